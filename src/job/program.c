#include "job/program.h"

#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "image/image.h"
#include "value/printable_json.h"

void program_hash(struct program *program)
{
	struct sha256_ctx context;
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_init(&context);
	sha256_update(&context, program->image_bytes, program->image);
	sha256_digest(&context, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(program->hash + 2 * i, 3, "%02x", digest[i]);
}

bool program_read(struct program *program, const char *path, struct err *err)
{
	program->image = image_read(path, &program->image_bytes, err);
	if (!program->image)
		return false;
	program_hash(program);
	return true;
}

size_t program_directories(const struct program *program)
{
	return program->mount_count + program->debug_mount_count;
}

void program_release(struct program *program)
{
	for (size_t i = 0; i < program_directories(program); i++)
		mount_close(&program->mounts[i]);
	for (size_t i = 0; i < program->argc; i++)
		free(program->argv[i]);
	free(program->mounts);
	free(program->argv);
	free(program->env);
	free(program->cwd);
	free(program->image);
	free(program->debug);
	free(program->name);
}

struct process_options program_process_options(const struct program *program)
{
	return (struct process_options){
		.program = program->name,
		.image = program->image,
		.image_bytes = program->image_bytes,
		.debug = program->debug,
		.debug_bytes = program->debug_bytes,
		.raw_names = program->raw_names,
		.argv = (const char *const *)program->argv,
		.env = program->env,
		.cwd = program->cwd,
		.mounts = program->mounts,
		.mount_count = program->mount_count,
		.debug_mounts =
			program->debug_mount_count ? program->mounts + program->mount_count : NULL,
		.debug_mount_count = program->debug_mount_count,
		.seed = program->seed,
		.memory_limit_bytes = program->memory_bytes,
		.denied = program->denied,
		.denied_count = program->denied_count,
		.profile = program->profile,
		.strict = program->strict,
		.keeps_mtime = program->keeps_mtime,
		.stdin_is_file = program->stdin_is_file,
	};
}

json_t *program_json(const struct program *program)
{
	json_t *arguments = json_array();

	for (size_t i = 1; i < program->argc; i++)
		json_array_append_new(arguments, printable_json(program->argv[i]));
	return json_pack("{s:o, s:o, s:s}", "name", printable_json(program->argv[0]), "arguments",
			 arguments, "sha256", program->hash);
}

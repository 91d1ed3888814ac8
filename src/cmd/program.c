#include "cmd/program.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

#define IMAGE_LIMIT (INT64_C(1) << 30)

static void hash_image(struct program *program)
{
	struct sha256_ctx context;
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_init(&context);
	sha256_update(&context, program->image_bytes, program->image);
	sha256_digest(&context, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(program->hash + 2 * i, 3, "%02x", digest[i]);
}

static bool read_image(struct program *program, const char *path, struct err *err)
{
	struct stat info;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return err_set_errno(err, errno, "cannot open %s", path);
	bool ok = fstat(fd, &info) == 0;
	if (ok && S_ISDIR(info.st_mode))
		ok = err_set(err, "%s is a directory, not a RISC-V program", path);
	else if (ok && !S_ISREG(info.st_mode))
		ok = err_set(err, "%s is not a regular file", path);
	else if (ok && info.st_size > IMAGE_LIMIT)
		ok = err_set(err, "%s has %lld bytes; programs over 1 GB are not loaded", path,
			     (long long)info.st_size);
	size_t done = 0;
	if (ok) {
		program->image = mem_alloc((size_t)info.st_size);
		while (ok && done < (size_t)info.st_size) {
			ssize_t got = read(fd, program->image + done, (size_t)info.st_size - done);

			if (got < 0)
				ok = err_set_errno(err, errno, "cannot read %s", path);
			else if (!got)
				break;
			else
				done += (size_t)got;
		}
	}
	program->image_bytes = done;
	close(fd);
	return ok;
}

static bool add_mount(struct program *program, const char *guest, const char *host, bool read_only,
		      struct err *err)
{
	struct mount *mount = &program->mounts[program->mount_count];
	int fd = open(host, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, errno, "cannot mount %s", host);
	*mount = (struct mount){mem_strdup(guest), mem_strdup(host), fd, read_only};
	program->mount_count++;
	return true;
}

static bool parse_mount(struct program *program, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	char guest[PATH_BYTES], host[PATH_BYTES];

	if (!equals || text[0] != '/' || !equals[1] || strlen(text) >= PATH_BYTES)
		return err_set(err,
			       "--mount %s: expected GUEST=HOST or GUEST=HOST:ro with GUEST an "
			       "absolute path, such as /data=.",
			       text);
	snprintf(guest, sizeof(guest), "%.*s", (int)(equals - text), text);
	snprintf(host, sizeof(host), "%s", equals + 1);
	size_t length = strlen(guest);
	while (length > 1 && guest[length - 1] == '/')
		guest[--length] = 0;
	if (strstr(guest, "//") || strstr(guest, "/./") || strstr(guest, "/../") ||
	    (length >= 2 && strcmp(guest + length - 2, "/.") == 0) ||
	    (length >= 3 && strcmp(guest + length - 3, "/..") == 0))
		return err_set(err, "--mount %s: write GUEST without //, . and ..", text);
	size_t host_length = strlen(host);
	bool read_only = host_length > 3 && strcmp(host + host_length - 3, ":ro") == 0;
	if (read_only)
		host[host_length - 3] = 0;
	return add_mount(program, guest, host, read_only, err);
}

static bool read_guest_options(struct program *program, const struct args *args, struct err *err)
{
	const char *cwd = args_get(args, OPTION_CWD), *sysroot = args_get(args, OPTION_SYSROOT);

	program->seed = 1;
	program->memory_bytes = UINT64_C(4) << 30;
	program->max_instructions = INT64_MAX;
	program->strict = args_get(args, OPTION_STRICT);
	program->denied = args->values[OPTION_DENY];
	program->denied_count = args->counts[OPTION_DENY];
	program->cwd = mem_strdup(cwd ? cwd : "/");
	if (program->cwd[0] != '/' || strlen(program->cwd) >= PATH_BYTES)
		return err_set(err, "--cwd %s: expected an absolute path", cwd);
	if (!args_get_count(args, OPTION_SEED, 0, UINT64_MAX, &program->seed, err) ||
	    !args_get_bytes(args, OPTION_MEMORY, UINT64_C(1) << 20, UINT64_C(1) << 37,
			    &program->memory_bytes, err) ||
	    !args_get_count(args, OPTION_MAX_INSNS, 1, INT64_MAX, &program->max_instructions,
			    err) ||
	    !args_get_seconds(args, OPTION_TIMEOUT, &program->timeout_seconds, err))
		return false;
	program->env = mem_alloc_array(args->counts[OPTION_ENV] + 1, sizeof(char *));
	for (size_t i = 0; i < args->counts[OPTION_ENV]; i++) {
		program->env[i] = args->values[OPTION_ENV][i];
		if (!strchr(program->env[i], '=') || program->env[i][0] == '=')
			return err_set(err, "--env %s: expected NAME=VALUE", program->env[i]);
	}
	/* Beside those given, a system root and a workload's input. */
	program->mounts = mem_alloc_array(args->counts[OPTION_MOUNT] + 2, sizeof(struct mount));
	if (sysroot && !add_mount(program, "/", sysroot, true, err))
		return err_prefix(err, "--sysroot");
	for (size_t i = 0; i < args->counts[OPTION_MOUNT]; i++)
		if (!parse_mount(program, args->values[OPTION_MOUNT][i], err))
			return false;
	return true;
}

/* Unless the user put another directory in its place. */
static bool mount_input(struct program *program, const char *host, struct err *err)
{
	for (size_t i = 0; i < program->mount_count; i++)
		if (strcmp(program->mounts[i].guest, WORKLOAD_INPUT) == 0)
			return true;
	return add_mount(program, WORKLOAD_INPUT, host, true, err);
}

static bool open_program(struct program *program, const struct args *args, struct err *err)
{
	struct workload workload = {0};
	const char *given = args->rest[0], *argv0 = args_get(args, OPTION_ARGV0);
	bool is_workload = given[0] == '@';

	program->name = mem_strdup(given);
	if (is_workload && !workload_find(given + 1, &workload, err))
		return false;
	if (workload.input[0] && !mount_input(program, workload.input, err))
		return false;
	const char *path = is_workload ? workload.elf : given, *slash = strrchr(path, '/');
	program->argv =
		mem_alloc_array(args->rest_count + workload.argument_count + 1, sizeof(char *));
	/* Not the whole path: the program's stack, and with it its timing, would
	 * depend on the directory it lies in. */
	program->argv[program->argc++] = mem_strdup(argv0 ? argv0 : slash ? slash + 1 : path);
	for (size_t i = 0; i < workload.argument_count; i++)
		program->argv[program->argc++] = mem_strdup(workload.arguments[i]);
	for (size_t i = 1; i < args->rest_count; i++)
		program->argv[program->argc++] = mem_strdup(args->rest[i]);
	if (!read_image(program, path, err))
		return false;
	hash_image(program);
	return true;
}

bool program_open(struct program *program, const struct args *args, int *status, struct err *err)
{
	*program = (struct program){0};
	*status = EXIT_USAGE;
	if (!args->rest_count)
		return err_set(err, "which program? Give a RISC-V ELF file or a workload such as "
				    "@chess");
	if (!read_guest_options(program, args, err))
		return false;
	*status = EXIT_TOOL;
	return open_program(program, args, err);
}

void program_release(struct program *program)
{
	for (size_t i = 0; i < program->mount_count; i++) {
		close(program->mounts[i].fd);
		free((void *)(uintptr_t)program->mounts[i].guest);
		free((void *)(uintptr_t)program->mounts[i].host);
	}
	for (size_t i = 0; i < program->argc; i++)
		free(program->argv[i]);
	free(program->mounts);
	free(program->argv);
	free(program->env);
	free(program->cwd);
	free(program->image);
	free(program->name);
}

struct process_options program_process_options(const struct program *program)
{
	return (struct process_options){
		.program = program->name,
		.image = program->image,
		.image_bytes = program->image_bytes,
		.argv = (const char *const *)program->argv,
		.env = program->env,
		.cwd = program->cwd,
		.mounts = program->mounts,
		.mount_count = program->mount_count,
		.seed = program->seed,
		.memory_limit_bytes = program->memory_bytes,
		.denied = program->denied,
		.denied_count = program->denied_count,
		.strict = program->strict,
	};
}

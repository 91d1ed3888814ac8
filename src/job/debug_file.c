#include "job/debug_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "image/build_id.h"
#include "image/image.h"

/* The name of the file, to be freed. */
static char *path_of(const char *directory, const char *beneath, const struct build_id *id)
{
	size_t bytes = strlen(directory) + strlen(beneath);
	char *path = mem_alloc(bytes + BUILD_ID_PATH_BYTES);

	sprintf(path, "%s%s", directory, beneath);
	build_id_path(id, path + bytes);
	return path;
}

static bool read_file(struct program *program, const char *path, const struct build_id *id,
		      struct err *err)
{
	struct build_id found;

	program->debug = image_read(path, &program->debug_bytes, err);
	if (!program->debug)
		return false;
	if (build_id_read(&found, program->debug, program->debug_bytes) &&
	    found.count == id->count && memcmp(found.bytes, id->bytes, id->count) == 0)
		return true;
	free(program->debug);
	program->debug = NULL;
	return err_set(err,
		       "%s does not have the build id that its name says; remove it or put it "
		       "right",
		       path);
}

bool debug_file_find(struct program *program, const char *directory, struct err *err)
{
	static const char *const beneath[] = {"", "/usr/lib/debug"};
	struct build_id id;
	bool ok = true;

	if (!build_id_read(&id, program->image, program->image_bytes))
		return true;
	for (size_t i = 0; ok && !program->debug && i < ARRAY_COUNT(beneath); i++) {
		char *path = path_of(directory, beneath[i], &id);

		ok = access(path, F_OK) != 0 || read_file(program, path, &id, err);
		free(path);
	}
	return ok;
}

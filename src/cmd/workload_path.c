#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/program.h"

bool workloads_directory(char *path, size_t bytes, struct err *err)
{
	const char *given = getenv("CYCLESTACK_WORKLOADS");
	static const char *const places[] = {"workloads", "../share/cyclestack/workloads"};
	char self[PATH_BYTES];

	if (given) {
		snprintf(path, bytes, "%s", given);
		if (access(path, R_OK | X_OK) == 0)
			return true;
		return err_set_errno(err, errno, "CYCLESTACK_WORKLOADS names %s", path);
	}
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (length < 0)
		return err_set_errno(err, errno, "cannot find where this program is installed");
	self[length] = 0;
	char *slash = strrchr(self, '/');
	slash[slash == self] = 0;
	for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
		snprintf(path, bytes, "%s/%s", self, places[i]);
		if (access(path, R_OK | X_OK) == 0)
			return true;
	}
	return err_set(err,
		       "the built-in workloads are not installed with this program: looked in "
		       "%s/workloads and %s/../share/cyclestack/workloads; build them with `make "
		       "workloads`, or set CYCLESTACK_WORKLOADS",
		       self, self);
}

/* Programs have no extension; what describes them does. */
static int is_program(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && !strchr(entry->d_name, '.') &&
	       strcmp(entry->d_name, "real") != 0;
}

char **workloads_names(const char *directory, struct err *err)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, is_program, alphasort);

	if (count < 0) {
		err_set_errno(err, errno, "%s", directory);
		return NULL;
	}
	char **names = mem_alloc_array((size_t)count + 1, sizeof(char *));
	for (int i = 0; i < count; i++) {
		names[i] = mem_strdup(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return names;
}

bool workload_split(const char *text, char name[64], char size[16], struct err *err)
{
	size_t length = strcspn(text, ":");

	snprintf(name, 64, "%.*s", (int)(length < 63 ? length : 63), text);
	snprintf(size, 16, "%.15s", text[length] ? text + length + 1 : "small");
	if (strcmp(size, "test") != 0 && strcmp(size, "small") != 0 && strcmp(size, "ref") != 0)
		return err_set(err, "workload sizes are test, small and ref, not \"%s\"", size);
	return true;
}

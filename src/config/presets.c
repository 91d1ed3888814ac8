#include "config/presets.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "config/check.h"
#include "base/nearest.h"

#define SUFFIX	   ".cfg"
#define NAME_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

static int is_preset(const struct dirent *entry)
{
	size_t bytes = strspn(entry->d_name, NAME_BYTES);

	return bytes && strcmp(entry->d_name + bytes, SUFFIX) == 0;
}

char **config_presets(const char *presets, struct err *err)
{
	struct dirent **entries;
	int count = scandir(presets, &entries, is_preset, alphasort);

	if (count < 0) {
		err_set_errno(err, errno, "%s", presets);
		return NULL;
	}
	char **names = mem_alloc_array((size_t)count + 1, sizeof(char *));
	for (int i = 0; i < count; i++) {
		names[i] = mem_strdup(entries[i]->d_name);
		names[i][strlen(names[i]) - strlen(SUFFIX)] = 0;
		free(entries[i]);
	}
	free(entries);
	return names;
}

static void fail_unknown(char **names, const char *name, struct err *err)
{
	char list[512] = "none", quoted[CHECK_QUOTE_BYTES];
	struct nearest nearest = {0};
	size_t used = 0;

	for (char **known = names; *known; known++) {
		nearest_consider(&nearest, name, *known);
		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? ", " : "", *known);
	}
	check_quote(name, strlen(name), quoted);
	err_set(err, "there is no preset \"%s\", only %s%s", quoted, list,
		nearest_ask(&nearest, "; did you mean ", "?").text);
}

char *presets_find(const char *directory, const char *name, struct err *err)
{
	char **names = directory ? config_presets(directory, err) : NULL;
	char *path = NULL;

	if (!directory)
		err_set(err, "there are no presets here to start from");
	if (!names)
		return NULL;
	for (char **known = names; *known; known++)
		if (strcmp(*known, name) == 0) {
			size_t bytes = strlen(directory) + strlen(name) + sizeof("/" SUFFIX);

			path = mem_alloc(bytes);
			snprintf(path, bytes, "%s/%s%s", directory, name, SUFFIX);
		}
	if (!path)
		fail_unknown(names, name, err);
	for (char **known = names; *known; known++)
		free(*known);
	free(names);
	return path;
}

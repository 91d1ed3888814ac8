#include "linux/special.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "linux/system_files.h"

#define SELF	    SYSTEM_SELF
#define DESCRIPTORS SELF "/fd"

static const struct row {
	const char *path;
	struct special special;
} rows[] = {
	{"/", {.kind = SPECIAL_DIRECTORY}},
	{"/dev", {.kind = SPECIAL_DIRECTORY}},
	{"/dev/null", {.kind = SPECIAL_DEVICE, .device = FILE_NULL}},
	{NODES_PATH, {.kind = SPECIAL_DIRECTORY}},
	{"/dev/zero", {.kind = SPECIAL_DEVICE, .device = FILE_ZERO}},
	{"/dev/full", {.kind = SPECIAL_DEVICE, .device = FILE_FULL}},
	{"/dev/random", {.kind = SPECIAL_DEVICE, .device = FILE_RANDOM}},
	{"/dev/urandom", {.kind = SPECIAL_DEVICE, .device = FILE_RANDOM}},
	{"/dev/fd", {.kind = SPECIAL_LINK, .target = "/proc/self/fd"}},
	{"/dev/stdin", {.kind = SPECIAL_LINK, .target = "/proc/self/fd/0"}},
	{"/dev/stdout", {.kind = SPECIAL_LINK, .target = "/proc/self/fd/1"}},
	{"/dev/stderr", {.kind = SPECIAL_LINK, .target = "/proc/self/fd/2"}},
	{"/proc", {.kind = SPECIAL_DIRECTORY}},
	{"/proc/mounts", {.kind = SPECIAL_LINK, .target = "self/mounts"}},
	{"/proc/self", {.kind = SPECIAL_LINK, .target = "1000"}},
	{SELF, {.kind = SPECIAL_DIRECTORY}},
	{SELF "/cwd", {.kind = SPECIAL_LINK}}, /* to the working directory */
	{SELF "/root", {.kind = SPECIAL_LINK, .target = "/"}},
	{"/sys/devices/cpu", {.kind = SPECIAL_LINK, .target = "/sys/bus/event_source/devices/cpu"}},
	{SELF "/exe", {.kind = SPECIAL_PROGRAM}},
	{DESCRIPTORS, {.kind = SPECIAL_DIRECTORY}},
};

/* The rest of the path below the directory, without its slash; NULL if it is not below it. */
static const char *rest_below(const char *directory, const char *path)
{
	size_t bytes = strcmp(directory, "/") == 0 ? 0 : strlen(directory);

	return strncmp(path, directory, bytes) == 0 && path[bytes] == '/' && path[bytes + 1]
		       ? path + bytes + 1
		       : NULL;
}

/* Whether a directory is on the way to a text. */
struct above {
	const char *directory;
	bool is_found;
};

static bool note_above(void *context, const char *path)
{
	struct above *above = context;

	above->is_found = rest_below(above->directory, path);
	return !above->is_found;
}

static bool may_lead_to_texts(const char *path)
{
	return strcmp(path, "/") == 0 || strncmp(path, "/proc", 5) == 0 ||
	       strncmp(path, "/sys", 4) == 0;
}

static struct special find_node(const struct files *files, const char *path)
{
	struct node *node = nodes_find(&files->nodes, path);
	struct special special = {.node = node};

	if (node)
		special.kind = S_ISDIR(node->mode)   ? SPECIAL_DIRECTORY
			       : S_ISLNK(node->mode) ? SPECIAL_LINK
						     : SPECIAL_NODE;
	if (special.kind == SPECIAL_LINK)
		special.target = node->target;
	return special;
}

struct special special_find(const struct files *files, const char *path)
{
	const char *number = rest_below(DESCRIPTORS, path);

	if (path_below(NODES_PATH, path)) {
		struct special special = find_node(files, path);

		if (special.kind)
			return special;
	}

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (strcmp(rows[i].path, path) == 0) {
			struct special special = rows[i].special;

			if (special.kind == SPECIAL_LINK && !special.target)
				special.target = files->cwd;
			return special;
		}
	for (size_t i = 0; i < files->mount_count; i++)
		if (rest_below(path, files->mounts[i].guest))
			return (struct special){.kind = SPECIAL_DIRECTORY};
	if (number && strspn(number, "0123456789") == strlen(number) && strlen(number) < 6 &&
	    (number[0] != '0' || !number[1]) && files_get_any(files, strtoul(number, NULL, 10)))
		return (struct special){.kind = SPECIAL_DESCRIPTOR,
					.descriptor = (uint32_t)strtoul(number, NULL, 10)};
	if (!may_lead_to_texts(path))
		return (struct special){.kind = SPECIAL_NONE};
	if (system_file_exists(files->process, path))
		return (struct special){.kind = SPECIAL_TEXT};
	struct above above = {.directory = path};
	system_files_each(files->process, note_above, &above);
	return (struct special){.kind = above.is_found ? SPECIAL_DIRECTORY : SPECIAL_NONE};
}

static void call_for_first(const char *rest, void (*call)(void *context, const char *name),
			   void *context)
{
	char name[PATH_BYTES];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(rest, "/"), rest);
	call(context, name);
}

/* A listing of a directory, to which texts add names. */
struct listing {
	const char *directory;
	void (*call)(void *context, const char *name);
	void *context;
};

static bool list_text(void *context, const char *path)
{
	const struct listing *listing = context;
	const char *rest = rest_below(listing->directory, path);

	if (rest)
		call_for_first(rest, listing->call, listing->context);
	return true;
}

void special_list(const struct files *files, const char *directory,
		  void (*call)(void *context, const char *name), void *context)
{
	struct listing listing = {directory, call, context};
	char name[16];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (rest_below(directory, rows[i].path))
			call_for_first(rest_below(directory, rows[i].path), call, context);
	for (size_t i = 0; i < files->mount_count; i++)
		if (rest_below(directory, files->mounts[i].guest))
			call_for_first(rest_below(directory, files->mounts[i].guest), call,
				       context);
	if (may_lead_to_texts(directory))
		system_files_each(files->process, list_text, &listing);
	const struct node *node =
		path_below(NODES_PATH, directory) ? nodes_find(&files->nodes, directory) : NULL;
	for (size_t i = 0; node && i < node->entry_count; i++)
		call(context, node->entries[i].name);
	for (uint32_t i = 0; strcmp(directory, DESCRIPTORS) == 0 && i < FILES_MAX; i++) {
		snprintf(name, sizeof(name), "%u", i);
		if (files_get_any(files, i))
			call(context, name);
	}
}

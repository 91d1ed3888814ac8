#include "image/source_file.h"

#include <stdbool.h>

#include "base/array.h"
#include "base/printable.h"

/* The directory in which the compiler ran, or "". libdw puts it before names that have no other. */
static const char *compiler_directory(Dwarf_Files *files)
{
	const char *const *directories = NULL;
	size_t count = 0;

	dwarf_getsrcdirs(files, &directories, &count);
	return count && directories[0] ? directories[0] : "";
}

static bool is_within(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return length && strncmp(path, directory, length) == 0 && path[length] == '/' &&
	       path[length + 1];
}

static size_t copy_path(char *to, const char *text)
{
	/* A little more than what is kept, so that a character at the cut is complete. */
	return printable_copy(to, SOURCE_FILE_BYTES, (const uint8_t *)text,
			      strnlen(text, SOURCE_FILE_BYTES + 3));
}

char *source_file_text(Dwarf_Files *files, size_t index)
{
	const char *path = dwarf_filesrc(files, index, NULL, NULL);

	if (!path || !path[0])
		return NULL;
	const char *directory = compiler_directory(files);
	bool is_inside = is_within(path, directory);
	const char *name = is_inside ? path + strlen(directory) + 1 : path;
	char *text = mem_alloc(2 * (SOURCE_FILE_BYTES + 1));
	size_t length = copy_path(text, name) + 1;

	length += copy_path(text + length, is_inside || path[0] != '/' ? directory : "") + 1;
	return mem_realloc(text, length, 1);
}

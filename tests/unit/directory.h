/* directory.h - tests that each run in an empty directory of their own. */
#ifndef TESTS_UNIT_DIRECTORY_H
#define TESTS_UNIT_DIRECTORY_H

#include "test.h"

#include <dirent.h>
#include <unistd.h>

#include "base/array.h"

static inline int directory_enter(void **state)
{
	char path[] = P_tmpdir "/test.XXXXXX";

	if (!mkdtemp(path) || chdir(path) != 0)
		return -1;
	*state = mem_strdup(path);
	return 0;
}

static inline int directory_leave(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", (const char *)*state);
	int failed = chdir("/") != 0 || system(command) != 0;
	free(*state);
	return failed;
}

#define IN_DIRECTORY(test) TEST_WITH(test, directory_enter, directory_leave)

static inline void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

/* The text of a file, to be freed; NULL if there is none. */
static inline char *read_file(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t used = 0, room = 0;

	for (int byte; in && (byte = fgetc(in)) != EOF;)
		*ARRAY_PUSH(text, used, room) = (char)byte;
	if (!in)
		return NULL;
	fclose(in);
	*ARRAY_PUSH(text, used, room) = '\0';
	return text;
}

static inline void file_holds(const char *path, const char *wanted)
{
	char *text = read_file(path);

	assert_non_null(text);
	assert_string_equal(text, wanted);
	free(text);
}

/* How many names a directory has, besides itself and the one above. */
static inline unsigned entries_of(const char *path)
{
	DIR *directory = opendir(path);
	unsigned count = 0;

	assert_non_null(directory);
	for (const struct dirent *entry; (entry = readdir(directory));)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(directory);
	return count;
}

#endif

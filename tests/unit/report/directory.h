/* directory.h - tests that each run in an empty directory of their own. */
#ifndef TESTS_UNIT_REPORT_DIRECTORY_H
#define TESTS_UNIT_REPORT_DIRECTORY_H

#include <dirent.h>
#include <unistd.h>

#include "sample.h"

static inline int directory_enter(void **state)
{
	char path[] = P_tmpdir "/report.XXXXXX";

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

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, directory_enter, directory_leave)

static inline void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static inline void file_holds(const char *path, const char *wanted)
{
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	fseek(in, 0, SEEK_END);
	char *text = sample_read(in);
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

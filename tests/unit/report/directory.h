/* directory.h - tests that each run in an empty directory of their own. */
#ifndef TESTS_UNIT_REPORT_DIRECTORY_H
#define TESTS_UNIT_REPORT_DIRECTORY_H

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

#endif

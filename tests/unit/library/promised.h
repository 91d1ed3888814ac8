/*
 * promised.h - the programs of tests/library in a unit test: each is run in a process of its own on
 * a guest program compiled for it, with its report read back. Without the cross compiler the test
 * skips.
 */
#ifndef TESTS_UNIT_LIBRARY_PROMISED_H
#define TESTS_UNIT_LIBRARY_PROMISED_H

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../image/toolchain.h"

/* The path of the guest program tests/guest/NAME.c, compiled. */
static inline void promised_program(const struct toolchain *toolchain, const char *name,
				    char path[512])
{
	char command[2048];

	snprintf(path, 512, "%s/%s", toolchain->directory, name);
	snprintf(command, sizeof(command),
		 TOOLCHAIN_PREFIX "gcc -O2 -static -pthread -o %s tests/guest/%s.c", path, name);
	assert_int_equal(system(command), 0);
}

/* Runs main(words), whose standard output and error are dropped; it must end with 0 and keep at
 * least so many promises, and break none. */
static inline void promised(const struct toolchain *toolchain, int (*program)(int, char **),
			    char **words, int least)
{
	char report[512], line[1024];
	int argc = 0, status, kept = 0;

	snprintf(report, sizeof(report), "%s/report", toolchain->directory);
	while (words[argc])
		argc++;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		int out = open(report, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		int null = open("/dev/null", O_WRONLY);

		if (out < 0 || null < 0 || dup2(out, 3) < 0 || dup2(null, 1) < 0 ||
		    dup2(null, 2) < 0)
			_exit(9);
		exit(program(argc, words));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	FILE *file = fopen(report, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "not ok", 6) == 0)
			fail_msg("%s", line);
		kept += strncmp(line, "ok ", 3) == 0;
	}
	fclose(file);
	assert_int_equal(status, 0);
	assert_true(kept >= least);
}

#endif

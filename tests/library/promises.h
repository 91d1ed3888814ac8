/*
 * promises.h - what the tests of cyclestack.h share: a line of report for each promise, and the
 * program under test, opened and started.
 *
 * The report goes to descriptor 3, as standard output is the guest's: "ok NAME" or "not ok NAME:
 * why". A test that cannot go on gives up, which leaves a "not ok" and a status of 1.
 */
#ifndef TESTS_LIBRARY_PROMISES_H
#define TESTS_LIBRARY_PROMISES_H

#include <cyclestack.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Results of the tool on the same program, and what they were made with. */
struct tool {
	const char *directory, *presets, *skipped, *limit;
};

struct test {
	FILE *report;
	char **argv;		 /* the program and its arguments; NULL at the end */
	const struct tool *tool; /* may be NULL */
};

static inline bool check(const struct test *test, bool ok, const char *name, const char *format,
			 ...)
{
	va_list ap;

	fprintf(test->report, "%s %s", ok ? "ok" : "not ok", name);
	if (!ok) {
		va_start(ap, format);
		fputs(": ", test->report);
		vfprintf(test->report, format, ap);
		va_end(ap);
	}
	fputc('\n', test->report);
	return ok;
}

static inline _Noreturn void give_up(const struct test *test, const char *promise, const char *why)
{
	check(test, false, promise, "%s", why);
	fclose(test->report);
	exit(1);
}

static inline struct cs_machine *prepare(const struct test *test)
{
	char error[1024];
	struct cs_machine *machine = cs_open(test->argv[0], error, sizeof(error));

	if (!machine)
		give_up(test, "the program opens", error);
	for (char **argument = test->argv + 1; *argument; argument++)
		if (!cs_configure(machine, "argv", *argument))
			give_up(test, "an argument is taken", cs_error(machine));
	return machine;
}

static inline struct cs_machine *start(const struct test *test, struct cs_machine *machine)
{
	if (!cs_start(machine))
		give_up(test, "the program starts", cs_error(machine));
	return machine;
}

#endif

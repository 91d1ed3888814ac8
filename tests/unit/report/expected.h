/*
 * expected.h - compares what a report writes with a file beside its test, line by line, and reads
 * the hand-made results that it is written from.
 *
 * The inputs are made so that a number tells where it comes from. The expected lines were written
 * by the program and read against the input and the rule. Nothing here can renew a file: where a
 * text differs, the one that was written is left as NAME.actual in $BUILD, to be looked at.
 */
#ifndef TESTS_REPORT_EXPECTED_H
#define TESTS_REPORT_EXPECTED_H

#include "../test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <jansson.h>
#include <malloc.h>

/* The file's text; the caller frees it. Tests run in the root of the project. */
static inline char *expected_read(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!in)
		fail_msg("%s cannot be read", path);
	FILE *out = open_memstream(&text, &size);
	for (int c; (c = fgetc(in)) != EOF;)
		fputc(c, out);
	fclose(out);
	fclose(in);
	return text;
}

static inline json_t *expected_json(const char *path)
{
	json_error_t error;
	json_t *json = json_load_file(path, 0, &error);

	if (!json)
		fail_msg("%s:%d: %s", path, error.line, error.text);
	return json;
}

static inline void expected_keep(const char *path, const char *text)
{
	const char *build = getenv("BUILD"), *name = strrchr(path, '/');
	char *to;

	if (!build || asprintf(&to, "%s/%s.actual", build, name ? name + 1 : path) < 0)
		return;
	FILE *out = fopen(to, "w");
	if (out) {
		fputs(text, out);
		fclose(out);
	}
	free(to);
}

/* Fails with the first line that differs. */
static inline void expected_text(const char *path, const char *text)
{
	char *wanted = expected_read(path);
	const char *a = wanted, *b = text;

	for (unsigned line = 1; *a || *b; line++) {
		size_t left = strcspn(a, "\n"), right = strcspn(b, "\n");

		if (left != right || strncmp(a, b, left) != 0 || !a[left] != !b[right]) {
			expected_keep(path, text);
			fail_msg("%s:%u: expected\n%.*s\nbut it is\n%.*s", path, line, (int)left, a,
				 (int)right, b);
		}
		a += left + (a[left] != 0);
		b += right + (b[right] != 0);
	}
	free(wanted);
}

/* Whether a process that does this ends by BUG. */
static inline bool expected_is_bug(void (*work)(unsigned), unsigned what)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(1);
		signal(SIGABRT, SIG_DFL);
		work(what);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* Starts the program again with an allocator that keeps no lists of free blocks by thread, so that
 * what is in use can be told to the byte. */
static inline void expected_exact_memory(char **argv)
{
	static const char setting[] = "glibc.malloc.tcache_count=0";
	const char *set = getenv("GLIBC_TUNABLES");

	if (set && strcmp(set, setting) == 0)
		return;
	setenv("GLIBC_TUNABLES", setting, 1);
	execv("/proc/self/exe", argv);
	fail_msg("the test cannot be started again");
}

/* Runs the tests again: they leave nothing allocated. */
static inline void expected_no_growth(const struct CMUnitTest *tests, size_t count)
{
	size_t used[3];

	for (unsigned round = 0; round < 3; round++) {
		for (size_t i = 0; i < count; i++) {
			void *state = NULL;

			tests[i].test_func(&state);
		}
		used[round] = mallinfo2().uordblks;
	}
	assert_int_equal(used[2], used[1]);
}

/* The program runs the tests, and then all of them again for what they leave allocated. Memory that
 * nobody has written holds zeros, so that an item behind the last one of a list looks like one. */
#define EXPECTED_MAIN                                        \
	TEST(nothing_is_left_in_memory)                      \
	{                                                    \
		size_t count;                                \
		struct CMUnitTest *tests = test_all(&count); \
                                                             \
		expected_no_growth(tests, count - 1);        \
		free(tests);                                 \
	}                                                    \
                                                             \
	int main(int argc, char **argv)                      \
	{                                                    \
		(void)argc;                                  \
		expected_exact_memory(argv);                 \
		mallopt(M_PERTURB, 0xff);                    \
		return test_run();                           \
	}

#endif

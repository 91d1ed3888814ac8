/*
 * expected.h - compares what a report writes with a file beside its test, line by line, and reads
 * the hand-made results that it is written from.
 *
 * The inputs are made so that a number tells where it comes from, and the expected lines follow
 * from the input and the rule, not from a run. Nothing here can renew a file: where a text differs,
 * the one that was written is left as NAME.actual in $BUILD, to be looked at.
 */
#ifndef TESTS_REPORT_EXPECTED_H
#define TESTS_REPORT_EXPECTED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

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

#endif

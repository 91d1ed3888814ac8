/*
 * golden.h - what a program writes, held against a file that somebody has read and accepted.
 *
 * With ACCEPT set in the environment (`make accept`) the file is written anew, and the difference
 * is to be read before it is committed. A golden file is never the only evidence for a number.
 */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

#include "test.h"

/* The whole file; the caller frees it. NULL if it is not there. */
static inline char *golden_read(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "r");
	char *text = NULL, part[4096];

	*bytes = 0;
	if (!file)
		return NULL;
	for (size_t got; (got = fread(part, 1, sizeof(part), file)) > 0; *bytes += got) {
		text = realloc(text, *bytes + got + 1);
		assert_non_null(text);
		memcpy(text + *bytes, part, got);
	}
	fclose(file);
	text = text ? text : calloc(1, 1);
	text[*bytes] = '\0';
	return text;
}

/* The first line in which two texts differ, counted from 1. */
static inline size_t golden_line(const char *a, const char *b)
{
	size_t line = 1;

	for (; *a && *a == *b; a++, b++)
		line += *a == '\n';
	return line;
}

static inline void golden_is(const char *path, const char *text, size_t bytes)
{
	size_t known_bytes;
	char *known = golden_read(path, &known_bytes);

	if (getenv("ACCEPT")) {
		if (!known || known_bytes != bytes || memcmp(known, text, bytes) != 0) {
			FILE *file = fopen(path, "w");

			assert_non_null(file);
			assert_int_equal(fwrite(text, 1, bytes, file), bytes);
			assert_int_equal(fclose(file), 0);
		}
	} else if (!known) {
		fail_msg("%s is not there; make accept writes it", path);
	} else if (known_bytes != bytes || memcmp(known, text, bytes) != 0) {
		fail_msg("%s: line %zu differs; make accept shows it", path,
			 golden_line(known, text));
	}
	free(known);
}

#endif

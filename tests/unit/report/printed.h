/*
 * printed.h - what a function prints, held against the whole text that is expected, and results as
 * JSON with single quotes, which are easier to read in C.
 */
#ifndef TESTS_UNIT_REPORT_PRINTED_H
#define TESTS_UNIT_REPORT_PRINTED_H

#include "../test.h"

#include <malloc.h>
#include <jansson.h>

#include "base/array.h"
#include "doc/terminal.h"

struct printed {
	FILE *out;
	char *text;
	size_t bytes;
};

static inline FILE *printed_open(struct printed *printed)
{
	printed->out = open_memstream(&printed->text, &printed->bytes);
	assert_non_null(printed->out);
	return printed->out;
}

static inline void printed_is(struct printed *printed, const char *wanted)
{
	fclose(printed->out);
	assert_string_equal(printed->text, wanted);
	free(printed->text);
}

/* What is done again and again takes no more memory than before. The caches of malloc fill now and
 * then, by chance; a leak shows every time. */
#define MEMORY_IS_GIVEN_BACK(...)                                            \
	do {                                                                 \
		bool grows = true;                                           \
		for (int round = 0; grows && round < 10; round++) {          \
			const size_t before = mallinfo2().uordblks;          \
			for (int time = 0; time < 20; time++)                \
				__VA_ARGS__;                                 \
			grows = round == 0 || mallinfo2().uordblks > before; \
		}                                                            \
		assert_false(grows);                                         \
	} while (0)

/* Prints into P, whose stream is p.out, and gives the memory back. */
#define PRINTS_AND_GIVES_BACK(p, call) \
	MEMORY_IS_GIVEN_BACK({         \
		printed_open(&(p));    \
		call;                  \
		fclose((p).out);       \
		free((p).text);        \
	})

/* The caller owns the result. */
static inline json_t *json_of(const char *text)
{
	char *copy = mem_strdup(text);
	json_error_t where;

	for (char *p = copy; (p = strchr(p, '\''));)
		*p = '"';
	json_t *value = json_loads(copy, 0, &where);
	if (!value)
		fail_msg("%s at %d: %s", where.text, where.position, text);
	free(copy);
	return value;
}

#endif

#include "classify/expected.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path is relative to the root of the source, where the compiler is started. */
__asm__(".pushsection .rodata.expected_text, \"a\", @progbits\n"
	".globl expected_text\n"
	".hidden expected_text\n"
	"expected_text:\n"
	".incbin \"kernels/expected.txt\"\n"
	".byte 0\n"
	".popsection\n");
extern const char expected_text[] __attribute__((visibility("hidden")));

#define HEADING "# kernel "

/* The next word of a line; NULL at its end. */
static const char *next_word(const char *at, size_t *length)
{
	at += strspn(at, " ");
	*length = strcspn(at, " \n");
	return *length ? at : NULL;
}

static bool is_word(const char *word, size_t length, const char *text)
{
	return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* The number of the column, counted from 1 behind the name of the kernel; 0: there is none. */
static unsigned find_column(const char *column)
{
	const char *word = strstr(expected_text, HEADING) + strlen(HEADING);
	size_t length;
	unsigned number = 0;

	while ((word = next_word(word, &length))) {
		number++;
		if (is_word(word, length, column))
			return number;
		word += length;
	}
	return 0;
}

bool expected_find(const char *kernel, const char *column, double *value)
{
	unsigned number = find_column(column);

	if (!number)
		return false;
	for (const char *line = expected_text; *line; line += strcspn(line, "\n") + 1) {
		size_t length;
		const char *word = next_word(line, &length);

		if (!word || *word == '#' || !is_word(word, length, kernel))
			continue;
		for (unsigned i = 0; i < number; i++)
			word = next_word(word + length, &length);
		char text[32];
		snprintf(text, sizeof(text), "%.*s", (int)length, word);
		char *end;
		*value = strtod(text, &end);
		return !*end;
	}
	return false;
}

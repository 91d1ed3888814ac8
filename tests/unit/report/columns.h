/*
 * columns.h - the width of lines of text on a terminal, computed by the C library instead of the
 * code under test; escape sequences for colours have no width.
 */
#ifndef TESTS_REPORT_COLUMNS_H
#define TESTS_REPORT_COLUMNS_H

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* The widest line. Text that is not UTF-8, or has a control character, fails the test. */
static inline int columns_of_widest(const char *text)
{
	mbstate_t shift = {0};
	int widest = 0, used = 0;

	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	while (*text) {
		wchar_t character;

		if (*text == '\n') {
			used = 0;
			text++;
			continue;
		}
		if (text[0] == '\033' && text[1] == '[') {
			text += 2 + strspn(text + 2, "0123456789;");
			assert_int_equal(*text, 'm');
			text++;
			continue;
		}
		size_t bytes = mbrtowc(&character, text, strlen(text), &shift);
		assert_in_range(bytes, 1, 4);
		int columns = wcwidth(character);
		assert_true(columns >= 0);
		used += columns;
		widest = used > widest ? used : widest;
		text += bytes;
	}
	return widest;
}

static inline bool is_plain_ascii(const char *text)
{
	for (; *text; text++)
		if (*text != '\n' && (*text < ' ' || *text > '~'))
			return false;
	return true;
}

#endif

/*
 * terminal.h - the terminal that text is printed to: its width, height, colours and characters;
 * and functions that print words and numbers in a given number of columns.
 *
 * Callers make every line at most `width` columns wide, so nothing wraps. A file or pipe is 100
 * columns wide (or COLUMNS) and has no colour. Text from outside is made printable: control
 * characters are replaced, and so are characters above ASCII unless the locale is UTF-8.
 *
 * For some scripts the widths of characters are upper bounds: a line with such names may be
 * shorter than intended, never longer.
 */
#ifndef DOC_TERMINAL_H
#define DOC_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#define TERMINAL_LEAST_COLUMNS 40
#define TERMINAL_MOST_COLUMNS  200
#define TERMINAL_LIST_COLUMNS  1000 /* of a list that a program reads: each row is one line */
#define TERMINAL_NUMBER_BYTES  32

struct terminal {
	unsigned width; /* TERMINAL_LEAST_COLUMNS .. TERMINAL_MOST_COLUMNS, or of a list */
	unsigned height;
	bool colour;
	bool utf8;
};

/* Reads the stream, the environment (COLUMNS, LINES, NO_COLOR, TERM) and the locale. */
void terminal_init(struct terminal *terminal, FILE *out);

/* Prints text in exactly `columns` columns: padded on the right, or cut in the middle ("...").
 * NULL is printed as "". */
void terminal_put(FILE *out, const struct terminal *terminal, const char *text, unsigned columns);
/* All of it, however many columns that takes. */
void terminal_put_all(FILE *out, const struct terminal *terminal, const char *text);
/* As terminal_put, but in `least` to `most` columns: what is too long loses its end. Tabs become
 * spaces. */
void terminal_put_start(FILE *out, const struct terminal *terminal, const char *text,
			unsigned least, unsigned most);
/* The columns that the text needs if it is not cut. */
unsigned terminal_columns(const struct terminal *terminal, const char *text);
/* Prints words in as many lines as they need; all but the first start with `indent` spaces. */
void terminal_put_words(FILE *out, const struct terminal *terminal, unsigned indent,
			const char *text);
/* Prints SGR codes such as "1"; nothing without colour. */
void terminal_style(FILE *out, const struct terminal *terminal, const char *codes);
void terminal_plain(FILE *out, const struct terminal *terminal);

/* At most 6 characters for any value below 10^18: 1234, 12.3k, -4.56M. */
const char *terminal_short(char text[TERMINAL_NUMBER_BYTES], double value);

#endif

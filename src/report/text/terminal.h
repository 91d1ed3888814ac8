/*
 * terminal.h - what text is printed to: its width, height, colours and characters;
 * and words and numbers that keep within a given number of columns.
 *
 * Whoever prints makes every line at most `width` columns, so nothing wraps. What is
 * not a terminal is 100 columns wide (or COLUMNS) and has no colour. Text from
 * outside is made printable on its way out: no control character gets through, and
 * no character above ASCII unless the locale is a UTF-8 one.
 *
 * Widths of characters are estimated from above for the rarer scripts: a line with
 * such names may come out short, never long.
 */
#ifndef REPORT_TEXT_TERMINAL_H
#define REPORT_TEXT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#define TERMINAL_LEAST_COLUMNS 40
#define TERMINAL_MOST_COLUMNS  200
#define TERMINAL_NUMBER_BYTES  32

struct terminal {
	unsigned width; /* TERMINAL_LEAST_COLUMNS .. TERMINAL_MOST_COLUMNS */
	unsigned height;
	bool colour;
	bool utf8;
};

/* From the stream, the environment (COLUMNS, LINES, NO_COLOR, TERM) and the locale. */
void terminal_init(struct terminal *terminal, FILE *out);

/* Text in exactly `columns` columns: padded at the right, or cut in the middle ("...").
 * NULL is printed as "". */
void terminal_put(FILE *out, const struct terminal *terminal, const char *text, unsigned columns);
/* The same, but what is too long loses its end, and tabs become spaces. */
void terminal_put_start(FILE *out, const struct terminal *terminal, const char *text,
			unsigned columns);
/* Columns the text needs if it is not cut. */
unsigned terminal_columns(const struct terminal *terminal, const char *text);
/* Words, in as many lines as they need; all but the first start with `indent` spaces. */
void terminal_put_words(FILE *out, const struct terminal *terminal, unsigned indent,
			const char *text);
/* SGR codes such as "1"; nothing without colour. */
void terminal_style(FILE *out, const struct terminal *terminal, const char *codes);
void terminal_plain(FILE *out, const struct terminal *terminal);

/* At most 6 characters for anything below 10^18: 1234, 12.3k, -4.56M. */
const char *terminal_short(char text[TERMINAL_NUMBER_BYTES], double value);
/* At most 7: -12.3%, 100.0%; beyond three digits a bound. `part` of nothing is "-". */
const char *terminal_percent(char text[TERMINAL_NUMBER_BYTES], double part, double whole);
/* At most 7: three decimals while they fit. Of no instructions: "-". */
const char *terminal_ratio(char text[TERMINAL_NUMBER_BYTES], double part, double whole);

#endif

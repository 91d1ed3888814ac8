#include "doc/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/array.h"
#include "base/printable.h"

#define FILE_COLUMNS  100
#define OTHER_COLUMNS 80
#define FILE_LINES    50
#define TAB_COLUMNS   4

/* 0 if the variable is not set to a number in the range. */
static unsigned from_environment(const char *name)
{
	const char *text = getenv(name);
	char *end = NULL;
	unsigned long value = text ? strtoul(text, &end, 10) : 0;

	return text && *text >= '0' && *text <= '9' && !*end && value <= 100000 ? (unsigned)value
										: 0;
}

/* Does not call setlocale, which changes the state of the whole process. */
static bool locale_is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);

	if (!locale)
		return false;
	bool is_utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
	freelocale(locale);
	return is_utf8;
}

void terminal_init(struct terminal *terminal, FILE *out)
{
	const char *no_colour = getenv("NO_COLOR"), *kind = getenv("TERM");
	bool is_terminal = isatty(fileno(out));
	struct winsize size = {0};

	terminal->width = from_environment("COLUMNS");
	terminal->height = from_environment("LINES");
	if (is_terminal && ioctl(fileno(out), TIOCGWINSZ, &size) == 0) {
		if (size.ws_col)
			terminal->width = size.ws_col;
		if (size.ws_row)
			terminal->height = size.ws_row;
	}
	if (!terminal->width)
		terminal->width = is_terminal ? OTHER_COLUMNS : FILE_COLUMNS;
	if (terminal->width < TERMINAL_LEAST_COLUMNS)
		terminal->width = TERMINAL_LEAST_COLUMNS;
	if (terminal->width > TERMINAL_MOST_COLUMNS)
		terminal->width = TERMINAL_MOST_COLUMNS;
	if (!terminal->height)
		terminal->height = FILE_LINES;
	terminal->colour = is_terminal && !(no_colour && *no_colour) && kind && *kind &&
			   strcmp(kind, "dumb") != 0;
	terminal->utf8 = locale_is_utf8();
}

/* The character at *text, which must be well-formed; *text is moved to the next. */
static uint32_t next_character(const char **text)
{
	const uint8_t *p = (const uint8_t *)*text;
	unsigned bytes = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	uint32_t code = bytes == 1 ? p[0] : p[0] & (0xffu >> (bytes + 1));

	for (unsigned i = 1; i < bytes; i++)
		code = code << 6 | (p[i] & 0x3f);
	*text += bytes;
	return code;
}

static unsigned character_columns(uint32_t code)
{
	bool may_be_wide =
		(code >= 0x1100 && code <= 0x115f) || (code >= 0x2300 && code <= 0x23ff) ||
		(code >= 0x2600 && code <= 0x27bf) || (code >= 0x2b00 && code <= 0x303f) ||
		(code >= 0x3040 && code <= 0xa4cf) || (code >= 0xa960 && code <= 0xa97f) ||
		(code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
		(code >= 0xfe10 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xffe6) ||
		code >= 0x10000;

	return may_be_wide ? 2 : 1;
}

static unsigned columns_of(const char *text)
{
	unsigned columns = 0;

	while (*text)
		columns += character_columns(next_character(&text));
	return columns;
}

/* A printable copy, owned by the caller. */
static char *cleaned(const struct terminal *terminal, const char *text, bool expand_tabs)
{
	size_t length = text ? strlen(text) : 0, used = 0;
	char *wide = mem_alloc(length * (expand_tabs ? TAB_COLUMNS : 1) + 1);

	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\t' && expand_tabs)
			do
				wide[used++] = ' ';
			while (used % TAB_COLUMNS);
		else
			wide[used++] = text[i];
	}
	char *copy = mem_alloc(used + 1);
	printable_copy(copy, used, (const uint8_t *)wide, used);
	free(wide);
	if (terminal->utf8)
		return copy;
	char *to = copy;
	for (const char *from = copy; *from;) {
		uint32_t code = next_character(&from);

		*to++ = code < 0x80 ? (char)code : '?';
	}
	*to = 0;
	return copy;
}

/* Prints the characters that fit into the columns; returns the columns used. */
static unsigned put_head(FILE *out, const char *text, unsigned columns)
{
	unsigned used = 0;

	while (*text) {
		const char *from = text;
		unsigned needed = character_columns(next_character(&text));

		if (used + needed > columns)
			break;
		fwrite(from, 1, (size_t)(text - from), out);
		used += needed;
	}
	return used;
}

static void pad(FILE *out, unsigned used, unsigned columns)
{
	if (used < columns)
		fprintf(out, "%*s", (int)(columns - used), "");
}

void terminal_put(FILE *out, const struct terminal *terminal, const char *text, unsigned columns)
{
	char *copy = cleaned(terminal, text, false);
	const char *tail = copy;
	unsigned used, needed = columns_of(copy);

	if (needed <= columns || columns < 8) {
		used = put_head(out, copy, columns);
	} else {
		used = put_head(out, copy, (columns - 3 + 1) / 2);
		used += (unsigned)fprintf(out, "...");
		for (unsigned left = needed; left > columns - used;)
			left -= character_columns(next_character(&tail));
		used += put_head(out, tail, columns - used);
	}
	pad(out, used, columns);
	free(copy);
}

void terminal_put_all(FILE *out, const struct terminal *terminal, const char *text)
{
	char *copy = cleaned(terminal, text, false);

	fputs(copy, out);
	free(copy);
}

void terminal_put_start(FILE *out, const struct terminal *terminal, const char *text,
			unsigned least, unsigned most)
{
	char *copy = cleaned(terminal, text, true);

	pad(out, put_head(out, copy, most), least);
	free(copy);
}

unsigned terminal_columns(const struct terminal *terminal, const char *text)
{
	char *copy = cleaned(terminal, text, false);
	unsigned columns = columns_of(copy);

	free(copy);
	return columns;
}

void terminal_put_words(FILE *out, const struct terminal *terminal, unsigned indent,
			const char *text)
{
	char *copy = cleaned(terminal, text, false), *rest = copy;
	unsigned used = 0;

	for (char *word; (word = strsep(&rest, " "));) {
		unsigned columns = columns_of(word);

		if (!columns)
			continue;
		if (used && used + 1 + columns > terminal->width) {
			fprintf(out, "\n%*s", (int)indent, "");
			used = indent;
		} else if (used) {
			fputc(' ', out);
			used++;
		}
		if (columns > terminal->width - used)
			columns = terminal->width - used;
		terminal_put(out, terminal, word, columns);
		used += columns;
	}
	fputc('\n', out);
	free(copy);
}

void terminal_style(FILE *out, const struct terminal *terminal, const char *codes)
{
	if (terminal->colour)
		fprintf(out, "\033[%sm", codes);
}

void terminal_plain(FILE *out, const struct terminal *terminal)
{
	terminal_style(out, terminal, "0");
}

const char *terminal_short(char text[TERMINAL_NUMBER_BYTES], double value)
{
	static const char suffixes[] = "kMGTP";
	double size = fabs(value);
	size_t i = 0;

	if (size < 9999.5) {
		snprintf(text, TERMINAL_NUMBER_BYTES, "%.0f", value == 0 ? 0 : value);
		return strcmp(text, "-0") == 0 ? strcpy(text, "0") : text;
	}
	for (size /= 1000; size >= 999.5 && suffixes[i + 1]; i++)
		size /= 1000;
	snprintf(text, TERMINAL_NUMBER_BYTES, "%s%.*f%c", value < 0 ? "-" : "",
		 size < 9.995	? 2
		 : size < 99.95 ? 1
				: 0,
		 size, suffixes[i]);
	return text;
}

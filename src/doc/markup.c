#include "doc/markup.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"

#define MOST_LENGTH 1e6

static void put_character(FILE *out, char c)
{
	switch (c) {
	case '&': fputs("&amp;", out); break;
	case '<': fputs("&lt;", out); break;
	case '>': fputs("&gt;", out); break;
	case '"': fputs("&quot;", out); break;
	case '\'': fputs("&#39;", out); break;
	default: fputc(c, out);
	}
}

static bool is_plain(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

/* A printable copy, owned by the caller. */
static char *cleaned(const char *text)
{
	size_t length = strlen(text);
	char *copy = mem_strdup(text), *clean = mem_alloc(length + 1);

	for (char *c = copy; *c; c++)
		if (*c == '\t' || *c == '\n')
			*c = ' ';
	printable_copy(clean, length, (const uint8_t *)copy, length);
	free(copy);
	return clean;
}

static void put_text(FILE *out, const char *text, bool is_json)
{
	for (; *text; text++) {
		if (is_json && (*text == '"' || *text == '\\'))
			fputc('\\', out);
		put_character(out, *text);
	}
}

static void put_clean(FILE *out, const char *text, bool is_json)
{
	if (is_plain(text)) {
		put_text(out, text, is_json);
		return;
	}
	char *clean = cleaned(text);
	put_text(out, clean, is_json);
	free(clean);
}

void markup_text(FILE *out, const char *text)
{
	if (text)
		put_clean(out, text, false);
}

void markup_attribute(FILE *out, const char *name, const char *value)
{
	if (!value)
		return;
	fprintf(out, " %s=\"", name);
	markup_text(out, value);
	fputc('"', out);
}

void markup_json(FILE *out, const char *text)
{
	fputs("&quot;", out);
	put_clean(out, text ? text : "", true);
	fputs("&quot;", out);
}

void markup_length(FILE *out, double value)
{
	/* Decimals are written digit by digit: printf would use the locale's point. */
	long long scaled = llround(100 * fmax(-MOST_LENGTH, fmin(MOST_LENGTH, value)));
	long long whole = llabs(scaled) / 100, rest = llabs(scaled) % 100;

	fprintf(out, "%s%lld", scaled < 0 ? "-" : "", whole);
	if (rest)
		fprintf(out, rest % 10 ? ".%02lld" : ".%lld", rest % 10 ? rest : rest / 10);
}

void markup_number(FILE *out, double value)
{
	char text[NUMBER_BYTES];
	double size = fabs(value);
	int places = size >= 1e5 || size < 1e-12 ? 0 : 5 - (int)floor(log10(size));

	number_plain(text, value, places > 12 ? 12 : (unsigned)places);
	if (strchr(text, '.')) {
		char *end = text + strlen(text);

		while (end[-1] == '0')
			end--;
		end[end[-1] == '.' ? -1 : 0] = '\0';
	}
	fputs(strcmp(text, "-0") == 0 ? "0" : text, out);
}

const char *markup_value(char text[MARKUP_VALUE_BYTES], enum doc_unit unit, unsigned places,
			 bool is_bare, double value)
{
	return cell_number(text, unit, places, is_bare ? DOC_BARE : 0, value, CELL_GROUPED);
}

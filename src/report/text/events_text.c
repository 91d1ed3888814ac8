#include "report/text/events_text.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "value/counted.h"
#include "value/member.h"

#define NEAR_EDITS    5
#define VALUE_COLUMNS 15
#define RATE_COLUMNS  9

static bool word_matches(const char *word, size_t length, const char *name)
{
	char *pattern = mem_alloc(length + 1);

	memcpy(pattern, word, length);
	bool matches = fnmatch(pattern, name, 0) == 0;
	free(pattern);
	return matches;
}

/* Whether a word of the list matches the name. */
static bool list_matches(const char *list, const char *name)
{
	for (const char *word = list; *word;) {
		size_t length = strcspn(word, ",");

		if (length && word_matches(word, length, name))
			return true;
		word += length + (word[length] == ',');
	}
	return false;
}

static bool check_word(const char *word, size_t length, struct err *err)
{
	struct nearest nearest = {NEAR_EDITS, NULL};
	char given[NEAREST_FAR];

	snprintf(given, sizeof(given), "%.*s",
		 (int)(length < sizeof(given) ? length : sizeof(given) - 1), word);
	for (const struct counted_row *row = counted_rows; row->name; row++) {
		if (word_matches(word, length, row->name))
			return true;
		nearest_consider(&nearest, given, row->name);
	}
	return err_set(err, "--events: there is no \"%s\"; %s%s%s--events '*' prints them all",
		       given, nearest.word ? "did you mean " : "", nearest.word ? nearest.word : "",
		       nearest.word ? "? " : "");
}

bool events_text_check(const char *list, struct err *err)
{
	bool ok = true;

	for (const char *word = list; ok && *word;) {
		size_t length = strcspn(word, ",");

		ok = !length || check_word(word, length, err);
		word += length + (word[length] == ',');
	}
	return ok;
}

void events_text_print(FILE *out, const json_t *result, const struct terminal *terminal,
		       const char *list)
{
	const json_t *values = json_object_get(result, "values");
	double instructions = (double)member_whole(values, "instructions");
	unsigned name_columns = 0;

	for (const struct counted_row *row = counted_rows; row->name; row++)
		if (list_matches(list, row->name) && strlen(row->name) > name_columns)
			name_columns = (unsigned)strlen(row->name);
	unsigned used = VALUE_COLUMNS + 1 + name_columns + 1 + RATE_COLUMNS + 2;
	bool has_rate = used - 2 <= terminal->width;
	fprintf(out, "\n%*s %-*s", VALUE_COLUMNS, "count", has_rate ? (int)name_columns : 0,
		"event");
	if (has_rate)
		fprintf(out, " %*s", RATE_COLUMNS, "per 1000");
	fputc('\n', out);
	for (const struct counted_row *row = counted_rows; row->name; row++) {
		int64_t value = member_whole(values, row->name);

		if (!list_matches(list, row->name))
			continue;
		fprintf(out, "%*lld ", VALUE_COLUMNS, (long long)value);
		terminal_put(out, terminal, row->name,
			     has_rate ? name_columns : terminal->width - VALUE_COLUMNS - 1);
		if (has_rate)
			fprintf(out, " %*.2f", RATE_COLUMNS,
				instructions > 0 ? 1000 * (double)value / instructions : 0);
		if (has_rate && used + 10 <= terminal->width) {
			fputs("  ", out);
			terminal_put_start(out, terminal, row->meaning, 0, terminal->width - used);
		}
		fputc('\n', out);
	}
}

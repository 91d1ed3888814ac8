#include "classify/metric.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "classify/claim.h"

static const struct {
	const char *name, *preset, *expectation, *meaning;
} rows[] = {
#define METRIC(name, preset, expectation, meaning) {name, preset, expectation, meaning},
#include "classify/metrics.def"
};

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if (!isprint((unsigned char)*text))
			return false;
	return true;
}

static bool fail(struct err *err, const char *text, const char *what)
{
	return err_set(err, "metric \"%.60s\": %s", text, what);
}

static bool is_known(const char *category)
{
	char name[CATEGORY_NAME_BYTES];

	for (size_t i = 0; category_name_at(i, name); i++)
		if (strcmp(name, category) == 0)
			return true;
	return false;
}

static bool fail_category(struct err *err, const char *text, const char *category)
{
	struct nearest nearest = {0};
	char name[CATEGORY_NAME_BYTES], best[CATEGORY_NAME_BYTES];
	size_t edits = NEAREST_FAR;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		nearest_consider(&nearest, category, rows[i].name);
	for (size_t i = 0; category_name_at(i, name); i++)
		if (nearest_distance(category, name) < edits) {
			edits = nearest_distance(category, name);
			memcpy(best, name, sizeof(best));
		}
	if (edits < NEAREST_FAR)
		nearest_consider(&nearest, category, best);
	return err_set(err,
		       "metric \"%.60s\": \"%.60s\" is no metric, no event whose name says what it "
		       "counts, and no category%s; `inspect --compose list` shows the metrics",
		       text, category, nearest_ask(&nearest, "; did you mean ", "?").text);
}

/* Reads "2 * " before a category, if it is there. */
static bool read_factor(const char **at, const char *text, int sign, int *factor, struct err *err)
{
	char *end;
	long value = 1;

	if (isdigit((unsigned char)**at)) {
		value = strtol(*at, &end, 10);
		if (strncmp(end, " * ", 3) != 0)
			return fail(err, text, "a term that begins with a number is N * CATEGORY");
		if (value < 1 || value > METRIC_FACTOR_MOST)
			return fail(err, text, "a factor is a whole number from 1 to 1000");
		*at = end + 3;
	}
	*factor = sign * (int)value;
	return true;
}

/* The first of " + " and " - " in the text; its end if there is none. */
static const char *term_end(const char *text)
{
	const char *plus = strstr(text, " + "), *minus = strstr(text, " - ");

	if (plus && (!minus || plus < minus))
		return plus;
	return minus ? minus : text + strlen(text);
}

static bool read_sum(struct metric *metric, const char *text, struct err *err)
{
	const char *at = text;
	int sign = 1;

	while (true) {
		if (metric->term_count == METRIC_TERMS_MOST)
			return fail(err, text, "a sum has at most 8 terms");
		struct metric_term *term = &metric->terms[metric->term_count];

		if (!read_factor(&at, text, sign, &term->factor, err))
			return false;
		const char *end = term_end(at);
		size_t bytes = (size_t)(end - at);

		snprintf(term->category, sizeof(term->category), "%.*s",
			 (int)(bytes < CATEGORY_NAME_BYTES ? bytes : CATEGORY_NAME_BYTES - 1), at);
		if (bytes >= CATEGORY_NAME_BYTES || !is_known(term->category))
			return fail_category(err, text, term->category);
		metric->term_count++;
		if (!*end)
			return true;
		sign = end[1] == '+' ? 1 : -1;
		at = end + 3;
	}
}

/* What PAPI is to call a metric that it has no name for. */
static void make_preset(char preset[METRIC_PRESET_BYTES], const char *name)
{
	size_t bytes = (size_t)snprintf(preset, METRIC_PRESET_BYTES, "USER_");

	for (; *name && bytes + 1 < METRIC_PRESET_BYTES; name++)
		preset[bytes++] =
			isalnum((unsigned char)*name) ? (char)toupper((unsigned char)*name) : '_';
	preset[bytes] = 0;
}

bool metric_at(struct metric *metric, size_t i)
{
	struct err err;

	if (i >= ARRAY_COUNT(rows))
		return false;
	*metric = (struct metric){.name = rows[i].name,
				  .expectation = rows[i].expectation,
				  .meaning = rows[i].meaning};
	snprintf(metric->preset, METRIC_PRESET_BYTES, "%s", rows[i].preset);
	BUG_ON(!read_sum(metric, metric->expectation, &err));
	return true;
}

bool metric_find(struct metric *metric, const char *text, struct err *err)
{
	for (size_t i = 0; metric_at(metric, i); i++)
		if (strcmp(metric->name, text) == 0)
			return true;
	if (!is_printable(text))
		return err_set(err, "a metric is a name or a sum in printable characters");
	const char *claim = claim_of(text);

	*metric = (struct metric){.name = text,
				  .expectation = claim ? claim : text,
				  .meaning = claim ? "what an event of this name says it counts"
						   : "a sum that was asked for"};
	make_preset(metric->preset, text);
	if (claim && strstr(claim, ", executed"))
		return err_set(
			err,
			"metric \"%.60s\": its name says %s, wrong paths among them, and how many "
			"those are nobody knows beforehand",
			text, claim);
	return read_sum(metric, metric->expectation, err);
}

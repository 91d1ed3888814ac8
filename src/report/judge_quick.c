#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/judge.h"
#include "value/member.h"

const json_t *judge_measured(const json_t *program)
{
	return json_object_get(json_object_get(program, "truth"), "measured");
}

bool judge_is_quick(const struct judge_report *judge)
{
	json_t *program;
	size_t i;

	json_array_foreach(judge->programs, i, program)
	{
		if (judge_measured(program))
			return true;
	}
	return false;
}

const char *judge_off_words(const struct judge_report *judge, double error, const json_t *low,
			    const json_t *high)
{
	if (!low || !high)
		return NULL;
	const double off = fmax(error - json_number_value(low), json_number_value(high) - error);

	return doc_words(judge->doc, "+-%s", doc_decimal(judge->doc, 100 * off, 2));
}

enum judge_certainty judge_certainty(const struct judge_report *judge, const char *method)
{
	enum judge_certainty certainty = JUDGE_BELOW;
	json_t *program;
	size_t i;

	json_array_foreach(judge->programs, i, program)
	{
		const json_t *verdict = judge_method(program, method);
		const json_t *low = json_object_get(verdict, "max_error_low"),
			     *high = json_object_get(verdict, "max_error_high"),
			     *error = json_object_get(verdict, "max_error");

		if (json_number_value(low ? low : error) > JUDGE_LIMIT)
			return JUDGE_ABOVE;
		if (json_number_value(high ? high : error) > JUDGE_LIMIT)
			certainty = JUDGE_OPEN;
	}
	return certainty;
}

void judge_say_measured(const struct judge_report *judge, unsigned where)
{
	if (!judge_is_quick(judge))
		return;
	doc_note(judge->doc,
		 "The truth is order A, measured in windows of each run on machines without each "
		 "cause: every component is right within an interval in 19 of 20 cases. +- "
		 "tells by how much an error may be off for that; an error that is not larger "
		 "may be none. `exact` is what these windows say, so it is not judged here.");
	doc_only(judge->doc, where);
}

struct ranked {
	const char *method;
	double mean;
};

static int by_mean(const void *a, const void *b)
{
	const struct ranked *one = a, *other = b;

	return (one->mean > other->mean) - (one->mean < other->mean);
}

/* The methods that the truth does not tell from one; "-" if there are none. */
static const char *not_told_from(const struct judge_report *judge, const char *method)
{
	const json_t *list = json_object_get(judge->summary, "open");
	const char *names = "";
	json_t *pair;
	size_t i;

	json_array_foreach(list, i, pair)
	{
		const char *first = member_text(pair, "first"),
			   *second = member_text(pair, "second");
		const bool is_first = strcmp(first, method) == 0;

		if (is_first || strcmp(second, method) == 0)
			names = doc_words(judge->doc, "%s%s%s", names, *names ? ", " : "",
					  is_first ? second : first);
	}
	return *names ? names : "-";
}

void judge_ranking(const struct judge_report *judge, const char *id, unsigned where)
{
	static const char *const certainties[] = {"below", "open", "above"};
	const json_t *means = json_object_get(judge->summary, "mean_error");
	const size_t most = json_object_size(judge->methods);
	size_t count = 0;
	const char *method;
	json_t *unused;

	if (!judge_is_quick(judge))
		return;
	struct ranked *ranked = mem_alloc_array(most, sizeof(*ranked));
	json_object_foreach(judge->methods, method, unused) ranked[count++] =
		(struct ranked){method, member_number(means, method)};
	qsort(ranked, count, sizeof(*ranked), by_mean);
	struct doc_table *table = doc_table(judge->doc, id, NULL, "method");
	judge_percent(table, "mean error", 2);
	judge_percent(table, "at least", 2);
	judge_percent(table, "at most", 2);
	doc_column(table, "4 %", DOC_WORDS, 0)->about =
		"whether its error is below 4 % on every program";
	struct doc_column *column = doc_column(table, "either may be better", DOC_WORDS, 0);
	column->about = "methods that the truth does not tell from it by their mean errors";
	column->flags = DOC_WHOLE;
	for (size_t i = 0; i < count; i++) {
		struct doc_row *row = doc_row(table, ranked[i].method);

		row->colour = common_method_colour(ranked[i].method);
		row->about = common_method_about(ranked[i].method);
		doc_value(table, ranked[i].mean);
		doc_value_of(table,
			     json_object_get(json_object_get(judge->summary, "mean_error_low"),
					     ranked[i].method));
		doc_value_of(table,
			     json_object_get(json_object_get(judge->summary, "mean_error_high"),
					     ranked[i].method));
		doc_cell_words(table, certainties[judge_certainty(judge, ranked[i].method)]);
		doc_cell_words(table, not_told_from(judge, ranked[i].method));
	}
	doc_only(judge->doc, where);
	free(ranked);
}

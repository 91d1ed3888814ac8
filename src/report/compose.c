#include <math.h>
#include <string.h>

#include "base/array.h"
#include "report/report.h"
#include "value/member.h"

static const char *event_name(struct doc *doc, const json_t *event)
{
	return *member_text(event, "name")
		       ? member_text(event, "name")
		       : doc_words(doc, "%lld:%lld", (long long)member_whole(event, "type"),
				   (long long)member_whole(event, "code"));
}

/* "a + 2 * b - c" */
static const char *sum_words(struct doc *doc, const json_t *terms)
{
	const char *words = "";
	const json_t *term;
	size_t i;

	json_array_foreach(terms, i, term)
	{
		double factor = member_number(term, "factor");
		const char *sign = factor < 0 ? (i ? " - " : "-") : i ? " + " : "";
		const char *times =
			fabs(factor) == 1 ? "" : doc_words(doc, "%.6g * ", fabs(factor));

		words = doc_words(doc, "%s%s%s%s", words, sign, times, event_name(doc, term));
	}
	return words;
}

static bool is_composed(const json_t *metric)
{
	return json_is_true(json_object_get(metric, "composed"));
}

static const char *answer_words(struct doc *doc, const json_t *metric)
{
	return is_composed(metric)
		       ? sum_words(doc, json_object_get(metric, "terms"))
		       : doc_words(doc, "cannot be composed: %s", member_text(metric, "reason"));
}

static bool has_answers(const json_t *metrics)
{
	return json_object_get(json_array_get(metrics, 0), "composed") != NULL;
}

static const char *machine_of(const json_t *result)
{
	const json_t *configuration = json_object_get(result, "configuration");

	if (configuration)
		return member_text(configuration, "name");
	return strcmp(member_text(result, "on"), "host") == 0 ? "this host" : "the readings";
}

static void heading(struct doc *doc, const json_t *result, const json_t *metrics)
{
	const char *what = json_array_size(metrics) == 1
				   ? member_text(json_array_get(metrics, 0), "name")
				   : "each metric";

	if (!has_answers(metrics)) {
		doc->title = "Metrics - cyclestack";
		doc_say(&doc->heading, "What can be composed of events");
		return;
	}
	doc->title = doc_words(doc, "Metrics of %s - cyclestack", machine_of(result));
	doc_say(&doc->heading, "Which events of %s measure %s", machine_of(result), what);
}

static void list_table(struct doc *doc, const json_t *metrics)
{
	struct doc_table *table = doc_table(doc, NULL, NULL, "metric");
	const json_t *metric;
	size_t i;

	doc_only(doc, DOC_IN_TEXT | DOC_IN_PAGE);
	doc_column(table, "PAPI", DOC_WORDS, 0);
	doc_column(table, "counts", DOC_WORDS, 0)->flags = DOC_WHOLE;
	json_array_foreach(metrics, i, metric)
	{
		doc_row(table, member_text(metric, "name"));
		doc_cell_words(table, member_text(metric, "preset"));
		doc_cell_words(table, member_text(metric, "meaning"));
	}
}

static void answer_table(struct doc *doc, const json_t *metrics)
{
	struct doc_table *table = doc_table(doc, NULL, NULL, "metric");
	const json_t *metric;
	size_t i;

	doc_only(doc, DOC_IN_TEXT | DOC_IN_PAGE);
	doc_column(table, "error", DOC_PERCENT, 1);
	doc_column(table, "sum of events", DOC_WORDS, 0)->flags = DOC_WHOLE;
	json_array_foreach(metrics, i, metric)
	{
		doc_row(table, member_text(metric, "name"));
		if (is_composed(metric))
			doc_value(table, member_number(metric, "error"));
		else
			doc_cell_none(table);
		doc_cell_words(table, answer_words(doc, metric));
	}
}

/* For CSV: everything in a row. */
static void csv_table(struct doc *doc, const json_t *metrics)
{
	struct doc_table *table = doc_table(doc, "metrics", NULL, "metric");
	const json_t *metric;
	size_t i;

	doc_only(doc, DOC_IN_CSV);
	doc_column(table, "preset", DOC_WORDS, 0);
	doc_column(table, "meaning", DOC_WORDS, 0);
	doc_column(table, "expectation", DOC_WORDS, 0);
	if (has_answers(metrics)) {
		doc_column(table, "error", DOC_NUMBER, 6);
		doc_column(table, "answer", DOC_WORDS, 0);
		doc_column(table, "perf", DOC_WORDS, 0);
		doc_column(table, "papi", DOC_WORDS, 0);
	}
	json_array_foreach(metrics, i, metric)
	{
		doc_row(table, member_text(metric, "name"));
		doc_cell_words(table, member_text(metric, "preset"));
		doc_cell_words(table, member_text(metric, "meaning"));
		doc_cell_words(table, member_text(metric, "expectation"));
		if (!has_answers(metrics))
			continue;
		doc_value_of(table, json_object_get(metric, "error"));
		doc_cell_words(table, answer_words(doc, metric));
		doc_cell_words(table, member_text(metric, "perf"));
		doc_cell_words(table, member_text(metric, "papi"));
	}
}

/* Where the sum is off most, or the nearest one too much. */
static void worst_table(struct doc *doc, const json_t *metric)
{
	struct doc_table *table;
	const json_t *kernel, *worst = json_object_get(metric, "worst");
	size_t i;

	if (!json_array_size(worst))
		return;
	table = doc_table(doc, NULL,
			  is_composed(metric) ? "Off most" : "Where the nearest sum fails",
			  "kernel");
	doc_only(doc, DOC_IN_TEXT | DOC_IN_PAGE);
	doc_column(table, "expected", DOC_NUMBER, 2);
	doc_column(table, "found", DOC_NUMBER, 2);
	json_array_foreach(worst, i, kernel)
	{
		doc_row(table, member_text(kernel, "kernel"));
		doc_value(table, member_number(kernel, "expected"));
		doc_value(table, member_number(kernel, "found"));
	}
}

static void also_facts(struct doc *doc, const json_t *terms)
{
	const json_t *term, *other;
	size_t i, k;

	json_array_foreach(terms, i, term)
	{
		const json_t *also = json_object_get(term, "also");
		struct doc_text *text;

		if (!json_array_size(also))
			continue;
		text = doc_fact(doc, doc_words(doc, "the same here as %s", event_name(doc, term)));
		json_array_foreach(also, k, other)
			doc_say(text, "%s%s", k ? ", " : "", event_name(doc, other));
	}
}

static void considered(struct doc *doc, const json_t *metric)
{
	const json_t *events = json_object_get(metric, "events");

	if (!events)
		return;
	struct doc_text *text = doc_fact(doc, "events that could be in it");

	doc_say(text, "%lld", (long long)member_whole(events, "kept"));
	if (member_whole(events, "forbidden"))
		doc_say(text, "; left out by --events: %lld",
			(long long)member_whole(events, "forbidden"));
	if (member_whole(events, "not_counted"))
		doc_say(text, "; not counted: %lld",
			(long long)member_whole(events, "not_counted"));
	if (member_whole(events, "not_repeated"))
		doc_say(text, "; differ from run to run: %lld",
			(long long)member_whole(events, "not_repeated"));
	doc_say(text, "; no combination of what the kernels do: %lld",
		(long long)member_whole(events, "not_fitting"));
}

/* With blanks behind commas, so that lines can end there. */
static const char *with_blanks(struct doc *doc, const char *text)
{
	const char *words = "", *end;

	for (; (end = strchr(text, ',')); text = end + 1 + (end[1] == ' '))
		words = doc_words(doc, "%s%.*s, ", words, (int)(end - text), text);
	return doc_words(doc, "%s%s", words, text);
}

/* The sum as other tools read it; text breaks it into lines. */
static void spelling_table(struct doc *doc, const json_t *metric, unsigned where, const char *title)
{
	static const struct {
		const char *key, *tool;
	} rows[] = {{"perf", "perf"}, {"papi", "PAPI"}};
	struct doc_table *table = doc_table(doc, NULL, NULL, "for");

	doc_only(doc, where);
	doc_column(table, title, DOC_WORDS, 0)->flags = DOC_WHOLE;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *text = member_text(metric, rows[i].key);

		doc_row(table, rows[i].tool);
		doc_cell_words(table, !*text		     ? "no way to write it"
				      : where == DOC_IN_TEXT ? with_blanks(doc, text)
							     : text);
	}
}

static void details(struct doc *doc, const json_t *metric)
{
	const json_t *terms = json_object_get(metric, "terms");

	doc_say(doc_fact(doc, "counts"), "%s", member_text(metric, "meaning"));
	doc_say(doc_fact(doc, "expectation"), "%s", member_text(metric, "expectation"));
	if (is_composed(metric)) {
		doc_say(doc_fact(doc, "sum of events"), "%s", sum_words(doc, terms));
		doc_say(doc_fact(doc, "events needed"), "%zu", json_array_size(terms));
		doc_say(doc_fact(doc, "error"), "%.2f %% over %lld kernels",
			100 * member_number(metric, "error"),
			(long long)member_whole(metric, "kernels"));
		also_facts(doc, terms);
	} else {
		doc_say(doc_fact(doc, "cannot be composed"), "%s", member_text(metric, "reason"));
	}
	considered(doc, metric);
	worst_table(doc, metric);
	if (!is_composed(metric))
		return;
	spelling_table(doc, metric, DOC_IN_TEXT, "the sum is (in --json and --csv, in one line)");
	spelling_table(doc, metric, DOC_IN_PAGE, "the sum is");
}

REPORT_BUILDER(compose)
{
	const json_t *metrics = json_object_get(result, "metrics"), *metric;
	size_t i;

	(void)options;
	(void)err;
	heading(doc, result, metrics);
	csv_table(doc, metrics);
	if (!has_answers(metrics)) {
		list_table(doc, metrics);
		return true;
	}
	if (json_array_size(metrics) == 1) {
		details(doc, json_array_get(metrics, 0));
		return true;
	}
	answer_table(doc, metrics);
	json_array_foreach(metrics, i, metric)
	{
		doc_fold(doc, member_text(metric, "name"))->where = DOC_IN_PAGE;
		details(doc, metric);
		doc_end(doc);
	}
	return true;
}

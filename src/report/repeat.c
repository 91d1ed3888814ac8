#include <math.h>

#include "base/array.h"
#include "report/common.h"
#include "report/report.h"
#include "value/member.h"

/* What every run has, whatever is counted. */
static const char *const run_values[] = {"cycles", "instructions"};

/* "l1d.misses@main" */
static const char *name_of(struct doc *doc, const json_t *item, const char *member)
{
	const char *where = member_text(item, "where");

	return doc_words(doc, "%s%s%s", member_text(item, member), *where ? "@" : "", where);
}

/* "+- 0.53 %", as perf says it; NULL if all runs have the same. */
static const char *spread_of(struct doc *doc, const json_t *item)
{
	const json_t *spread = json_object_get(item, "spread");
	const double percent = 100 * json_number_value(spread);

	if (!json_is_number(spread))
		return NULL;
	return percent < 0.005 ? "+- <0.01 %"
			       : doc_words(doc, "+- %s %%", doc_decimal(doc, percent, 2));
}

static void spread_cell(struct doc *doc, struct doc_table *table, const json_t *item)
{
	const char *spread = spread_of(doc, item);

	doc_cell_words(table, spread ? spread : "the same in all");
}

/* A mean of counts is whole where all runs have the same. */
static const char *mean_of(struct doc *doc, const json_t *item)
{
	return doc_words(
		doc, "%s%s", json_is_true(json_object_get(item, "saturated")) ? ">=" : "",
		doc_decimal(doc, member_number(item, "mean"), spread_of(doc, item) ? 2 : 0));
}

static void counters(struct doc *doc, const json_t *result, bool varies)
{
	const json_t *item;
	size_t i;

	doc_section(doc, "counters", "Counters, means over the runs")->short_title = "Counters";
	struct doc_table *table = doc_table(doc, "means", NULL, "counter");
	doc_column(table, "mean", DOC_NUMBER, 2);
	if (varies)
		doc_column(table, "spread", DOC_WORDS, 0)->about =
			"standard error of the mean, in percent of it";
	doc_column(table, "unit", DOC_WORDS, 0)->flags = DOC_OPTIONAL;
	doc_column(table, "by run", DOC_SPARK, 0)->flags = DOC_UNSORTED;
	json_array_foreach(json_object_get(result, "counters"), i, item)
	{
		const json_t *totals = json_object_get(item, "totals");

		doc_row(table, name_of(doc, item, "signal"));
		doc_value(table, member_number(item, "mean"))->shown = mean_of(doc, item);
		if (varies)
			spread_cell(doc, table, item);
		doc_cell_words(table, member_text(item, "unit"));
		doc_cell_values(table, doc_numbers(doc, totals, json_array_size(totals)),
				json_array_size(totals));
	}
	doc_end(doc);
}

static void derived(struct doc *doc, const json_t *result, bool varies)
{
	const json_t *list = json_object_get(result, "derived"), *item;
	size_t i;

	if (!json_array_size(list))
		return;
	doc_section(doc, "derived", "Derived values, means over the runs")->short_title = "Derived";
	struct doc_table *table = doc_table(doc, "derived-table", NULL, "value");
	doc_column(table, "mean", DOC_NUMBER, 4);
	if (varies)
		doc_column(table, "spread", DOC_WORDS, 0);
	doc_column(table, "formula", DOC_WORDS, 0)->flags = DOC_OPTIONAL;
	json_array_foreach(list, i, item)
	{
		doc_row(table, name_of(doc, item, "name"));
		doc_value_of(table, json_object_get(item, "mean"));
		if (varies)
			spread_cell(doc, table, item);
		doc_cell_words(table, member_text(item, "formula"));
	}
	doc_end(doc);
}

static void notes(struct doc *doc, const json_t *result, bool varies)
{
	const json_t *runs = json_object_get(result, "runs");
	const size_t count = json_array_size(runs);

	struct doc_text *text = doc_text(doc, DOC_PARAGRAPH);
	doc_say(text, "%zu runs, with the seeds %s to %s:", count,
		member_text(json_array_get(runs, 0), "seed"),
		member_text(json_array_get(runs, count ? count - 1 : 0), "seed"));
	for (size_t i = 0; i < ARRAY_COUNT(run_values); i++) {
		const json_t *value = json_object_get(result, run_values[i]);
		const char *spread = spread_of(doc, value);

		doc_say(text, "%s %s %s%s%s", i ? "," : "", mean_of(doc, value), run_values[i],
			spread ? " " : "", spread ? spread : "");
	}
	if (varies)
		doc_note(doc, "+- : the standard error of the mean, in percent of it, as perf stat "
			      "-r has it");
	else
		doc_note(doc, "Nothing that was counted varies with the seed: neither the program "
			      "nor a cache of this machine used random numbers to an effect.");
}

/* A line for each run, on a page. */
static void runs_section(struct doc *doc, const json_t *result)
{
	const json_t *run;
	size_t i;

	doc_section(doc, "runs", "Runs")->where = DOC_IN_PAGE | DOC_IN_CSV;
	struct doc_table *table = doc_table(doc, "runs-table", NULL, "seed");
	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "instructions", DOC_COUNT, 0);
	doc_column(table, "status", DOC_COUNT, 0);
	json_array_foreach(json_object_get(result, "runs"), i, run)
	{
		doc_row(table, member_text(run, "seed"));
		doc_value_of(table, json_object_get(run, "cycles"));
		doc_value_of(table, json_object_get(run, "instructions"));
		doc_value_of(table, json_object_get(run, "status"));
	}
	doc_end(doc);
}

/* The values of a member of every run. */
static json_t *of_runs(const json_t *result, const char *member)
{
	json_t *values = json_array(), *run;
	size_t i;

	json_array_foreach(json_object_get(result, "runs"), i, run)
		json_array_append(values, json_object_get(run, member));
	return values;
}

static void csv_rows(struct doc_table *table, const json_t *result, const json_t *item,
		     const char *name, const json_t *values)
{
	const json_t *runs = json_object_get(result, "runs"), *value;
	size_t i;

	json_array_foreach(values, i, value)
	{
		doc_row(table, name);
		doc_cell_words(table, member_text(item, "where"));
		doc_cell_words(table, member_text(json_array_get(runs, i), "seed"));
		doc_value_of(table, value);
		doc_cell_words(table, "");
	}
	doc_row(table, name);
	doc_cell_words(table, member_text(item, "where"));
	doc_cell_words(table, "mean");
	doc_value_of(table, json_object_get(item, "mean"));
	doc_value_of(table, json_object_get(item, "spread"));
}

/* A line for every counter and run, and one whose seed is "mean". */
static void csv_table(struct doc *doc, const json_t *result)
{
	struct doc_table *table = doc_table(doc, "rows", NULL, "signal");
	const json_t *item;
	size_t i;

	doc_only(doc, DOC_IN_CSV);
	doc_column(table, "where", DOC_WORDS, 0);
	doc_column(table, "seed", DOC_WORDS, 0);
	doc_column(table, "count", DOC_NUMBER, 6);
	doc_column(table, "spread", DOC_NUMBER, 6);
	json_array_foreach(json_object_get(result, "counters"), i, item) csv_rows(
		table, result, item, member_text(item, "signal"), json_object_get(item, "totals"));
	json_array_foreach(json_object_get(result, "derived"), i, item) csv_rows(
		table, result, item, member_text(item, "name"), json_object_get(item, "values"));
	for (i = 0; i < ARRAY_COUNT(run_values); i++) {
		json_t *of_all = of_runs(result, run_values[i]);

		csv_rows(table, result, json_object_get(result, run_values[i]), run_values[i],
			 of_all);
		json_decref(of_all);
	}
}

REPORT_BUILDER(repeat)
{
	const bool varies = json_is_true(json_object_get(result, "varies"));

	(void)options;
	(void)err;
	common_heading(doc, result);
	counters(doc, result, varies);
	derived(doc, result, varies);
	notes(doc, result, varies);
	runs_section(doc, result);
	csv_table(doc, result);
	return true;
}

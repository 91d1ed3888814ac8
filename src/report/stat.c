#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/report.h"
#include "report/stat.h"
#include "value/member.h"

/* A browser took 5.9 s for the page of 22,052 intervals of 30 counters (15 MB, 683,732 cells), and
 * 1.8 s with these limits (1.5 MB). Nor has it room for more points of a curve. */
#define PAGE_ROWS_MOST	 2000
#define PLOT_POINTS_MOST 2000

/* "l1d.misses@main" */
static const char *name_of(struct doc *doc, const json_t *item, const char *member)
{
	const char *where = member_text(item, "where");

	return doc_words(doc, "%s%s%s", member_text(item, member), *where ? "@" : "", where);
}

/* The interval at which an epoch begins. */
static size_t first_interval(const json_t *intervals, int64_t epoch)
{
	size_t first = 0;

	while (first < json_array_size(intervals) &&
	       member_whole(json_array_get(intervals, first), "epoch") != epoch)
		first++;
	return first;
}

static void spark_cell(struct doc *doc, struct doc_table *table, const json_t *counts)
{
	doc_cell_values(table, doc_numbers(doc, counts, json_array_size(counts)),
			json_array_size(counts));
}

static double largest(const json_t *counts)
{
	double most = 0;

	for (size_t i = 0; i < json_array_size(counts); i++)
		most = fmax(most, json_number_value(json_array_get(counts, i)));
	return most;
}

/* How many intervals an epoch has: one is no curve. */
static size_t count_intervals(const json_t *result, size_t epoch)
{
	const json_t *intervals = json_object_get(result, "intervals"), *interval;
	size_t i, count = 0;

	json_array_foreach(intervals, i, interval) count +=
		member_whole(interval, "epoch") == (int64_t)epoch;
	return count;
}

static void counter_row(struct doc *doc, struct doc_table *table, const json_t *counter,
			bool has_curves)
{
	const bool is_saturated = json_is_true(json_object_get(counter, "saturated"));

	doc_row(table, name_of(doc, counter, "signal"));
	struct doc_cell *total = doc_value(table, member_number(counter, "total"));
	if (is_saturated)
		total->shown = doc_words(doc, ">=%lld", (long long)member_whole(counter, "total"));
	doc_cell_words(table, member_text(counter, "unit"));
	if (has_curves)
		doc_value(table, largest(json_object_get(counter, "intervals")));
	spark_cell(doc, table, json_object_get(counter, "intervals"));
}

static void counter_columns(struct doc_table *table, bool has_curves)
{
	doc_column(table, "count", DOC_COUNT, 0);
	doc_column(table, "unit", DOC_WORDS, 0)->flags = DOC_OPTIONAL;
	if (has_curves) {
		struct doc_column *most = doc_column(table, "largest", DOC_COUNT, 0);

		most->about = "the largest count of an interval, at which the curve is highest";
		most->flags = DOC_OPTIONAL;
	}
	doc_column(table, "over time", DOC_SPARK, 0)->flags = DOC_UNSORTED;
}

/* What the curves of a table are: in text they have no axes. */
static void explain_curves(struct doc *doc, const json_t *result, size_t epoch)
{
	const json_t *intervals = json_object_get(result, "intervals"), *interval;
	double first = -1, last = 0;
	size_t i;

	json_array_foreach(intervals, i, interval)
	{
		if (member_whole(interval, "epoch") != (int64_t)epoch)
			continue;
		if (first < 0)
			first = member_number(interval, "start");
		last = member_number(interval, "start") + member_number(interval, "cycles");
	}
	doc_note(doc, doc_words(doc,
				"curves: counts of intervals from cycle %.0f to %.0f, from 0 up to "
				"the largest, in the unit of the counter",
				first, last));
}

/* The counters of one configuration of the module, which a run may change. */
static void epoch_section(struct doc *doc, const json_t *result, size_t number)
{
	const json_t *epochs = json_object_get(result, "epochs"), *counter;
	const json_t *epoch = json_array_get(epochs, number);
	const bool is_one = json_array_size(epochs) < 2;
	const bool has_curves = count_intervals(result, number) > 1;
	size_t i;

	doc_section(doc, doc_words(doc, "counters-%zu", number + 1),
		    is_one ? doc_words(doc, "Counters, every %lld cycles",
				       (long long)member_whole(epoch, "every"))
			   : doc_words(doc, "Epoch %zu, from cycle %lld, every %lld cycles", number,
				       (long long)member_whole(epoch, "cycle"),
				       (long long)member_whole(epoch, "every")))
		->short_title = is_one ? "Counters" : doc_words(doc, "Epoch %zu", number);
	struct doc_table *table =
		doc_table(doc, doc_words(doc, "totals-%zu", number + 1), NULL, "counter");
	counter_columns(table, has_curves);
	json_array_foreach(json_object_get(result, "counters"), i, counter)
	{
		if (member_whole(counter, "epoch") == (int64_t)number)
			counter_row(doc, table, counter, has_curves);
	}
	if (has_curves)
		explain_curves(doc, result, number);
	doc_end(doc);
}

/* Of so many intervals together. */
static double rate_of(const json_t *intervals, size_t first, const json_t *counts, size_t from,
		      size_t each)
{
	double sum = 0, cycles = 0;

	for (size_t i = from; i < from + each && i < json_array_size(counts); i++) {
		sum += json_number_value(json_array_get(counts, i));
		cycles += member_number(json_array_get(intervals, first + i), "cycles");
	}
	return common_ratio(sum, cycles);
}

/* Counts a cycle over time, a panel for each counter. */
static void plot(struct doc *doc, const json_t *result, const json_t *counter)
{
	const json_t *intervals = json_object_get(result, "intervals");
	const json_t *counts = json_object_get(counter, "intervals");
	const size_t first = first_interval(intervals, member_whole(counter, "epoch"));
	const size_t all = json_array_size(counts);
	const size_t each = all > PLOT_POINTS_MOST ? (all - 1) / PLOT_POINTS_MOST + 1 : 1;
	const size_t count = (all + each - 1) / each;
	json_t *rates = json_array(), *starts = json_array();

	for (size_t i = 0; i < count; i++) {
		json_array_append_new(rates,
				      json_real(rate_of(intervals, first, counts, i * each, each)));
		json_array_append_new(
			starts, json_real(member_number(json_array_get(intervals, first + i * each),
							"start")));
	}
	struct doc_drawing *drawing = doc_drawing(
		doc, DOC_PLOT, name_of(doc, counter, "signal"),
		each == 1 ? "Its count in each interval, divided by the cycles of the interval."
			  : doc_words(doc,
				      "Its count in every %zu intervals, divided by their cycles.",
				      each));
	drawing->x_title = "cycle";
	drawing->x_name = "cycle";
	drawing->shown = doc_words(doc, "%s a cycle", member_text(counter, "unit"));
	drawing->xs = doc_numbers(doc, starts, count);
	drawing->x_count = count;
	drawing->places = 3;
	struct doc_panel *panel = doc_panel(drawing, 30, 90, 0, 4);
	panel->title = drawing->shown;
	struct doc_series *series = doc_plot_series(drawing, panel, rates);
	series->name = name_of(doc, counter, "signal");
	series->words = series->name;
	series->style = DOC_LINE;
	series->colour = doc_method(1);
	json_decref(rates);
	json_decref(starts);
}

static void plots(struct doc *doc, const json_t *result)
{
	const json_t *counter;
	size_t i;

	if (json_array_size(json_object_get(result, "intervals")) < 2)
		return;
	doc_section(doc, "plots", "Over time")->where = DOC_IN_PAGE;
	json_array_foreach(json_object_get(result, "counters"), i, counter)
	{
		doc_heading(doc, name_of(doc, counter, "signal"));
		plot(doc, result, counter);
	}
	doc_end(doc);
}

static void derived_section(struct doc *doc, const json_t *result)
{
	const json_t *derived = json_object_get(result, "derived"), *item;
	size_t i;

	if (!json_array_size(derived))
		return;
	doc_section(doc, "derived", "Derived values");
	struct doc_table *table = doc_table(doc, "derived-table", NULL, "value");
	doc_column(table, "of the whole", DOC_NUMBER, 4);
	doc_column(table, "formula", DOC_WORDS, 0)->flags = DOC_OPTIONAL;
	doc_column(table, "", DOC_WORDS, 0);
	json_array_foreach(derived, i, item)
	{
		doc_row(table, name_of(doc, item, "name"));
		doc_value_of(table, json_object_get(item, "value"));
		doc_cell_words(table, member_text(item, "formula"));
		doc_cell_words(table, json_is_true(json_object_get(item, "saturated"))
					      ? "from counts that are lower bounds"
					      : "");
	}
	doc_end(doc);
}

static void interval_table(struct doc *doc, const json_t *result, size_t epoch)
{
	const json_t *intervals = json_object_get(result, "intervals");
	const json_t *counters = json_object_get(result, "counters"), *counter;
	const size_t first = first_interval(intervals, (int64_t)epoch);
	size_t i;

	struct doc_table *table =
		doc_table(doc, doc_words(doc, "intervals-%zu", epoch + 1), NULL, "cycle");
	table->limit = 200;
	doc_column(table, "cycles", DOC_COUNT, 0);
	json_array_foreach(counters, i, counter)
	{
		if (member_whole(counter, "epoch") == (int64_t)epoch)
			doc_column(table, name_of(doc, counter, "signal"), DOC_COUNT, 0);
	}
	for (size_t k = first; k < json_array_size(intervals); k++) {
		const json_t *interval = json_array_get(intervals, k);

		if (member_whole(interval, "epoch") != (int64_t)epoch)
			break;
		struct doc_row *row = doc_row(
			table, doc_words(doc, "%lld", (long long)member_whole(interval, "start")));
		if (k - first >= PAGE_ROWS_MOST)
			row->where = DOC_IN_CSV;
		doc_value(table, member_number(interval, "cycles"));
		json_array_foreach(counters, i, counter)
		{
			if (member_whole(counter, "epoch") == (int64_t)epoch)
				doc_value_of(table,
					     json_array_get(json_object_get(counter, "intervals"),
							    k - first));
		}
	}
}

static void intervals_section(struct doc *doc, const json_t *result)
{
	const size_t epochs = json_array_size(json_object_get(result, "epochs"));

	doc_section(doc, "intervals", "Intervals")->where = DOC_IN_PAGE | DOC_IN_CSV;
	for (size_t i = 0; i < epochs; i++) {
		doc_fold(doc, epochs > 1 ? doc_words(doc, "All intervals of epoch %zu", i)
					 : "All intervals");
		interval_table(doc, result, i);
		if (count_intervals(result, i) > PAGE_ROWS_MOST)
			doc_note(doc,
				 doc_words(doc,
					   "these are the first %d of %zu intervals: all are "
					   "in the CSV (--table intervals-%zu) and in the JSON",
					   PAGE_ROWS_MOST, count_intervals(result, i), i + 1));
		doc_end(doc);
	}
	doc_end(doc);
}

static void csv_row(struct doc_table *table, const json_t *item, const char *member,
		    const char *start, double cycles, const char *note, const json_t *count)
{
	doc_row(table, member_text(item, member));
	doc_cell_words(table, member_text(item, "where"));
	doc_value(table, member_number(item, "epoch"));
	doc_cell_words(table, start);
	if (note)
		doc_cell_words(table, note);
	else
		doc_value(table, cycles);
	doc_value_of(table, count);
}

/* A line for every counter and interval, and one whose start is "total". */
static void csv_table(struct doc *doc, const json_t *result)
{
	const json_t *intervals = json_object_get(result, "intervals"), *item, *count;
	struct doc_table *table = doc_table(doc, "rows", NULL, "signal");
	size_t i, k;

	doc_only(doc, DOC_IN_CSV);
	doc_column(table, "where", DOC_WORDS, 0);
	doc_column(table, "epoch", DOC_COUNT, 0);
	doc_column(table, "start", DOC_WORDS, 0);
	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "count", DOC_NUMBER, 6);
	json_array_foreach(json_object_get(result, "counters"), i, item)
	{
		const size_t first = first_interval(intervals, member_whole(item, "epoch"));

		json_array_foreach(json_object_get(item, "intervals"), k, count)
		{
			const json_t *interval = json_array_get(intervals, first + k);

			csv_row(table, item, "signal",
				doc_words(doc, "%lld", (long long)member_whole(interval, "start")),
				member_number(interval, "cycles"), NULL, count);
		}
		csv_row(table, item, "signal", "total", 0,
			json_is_true(json_object_get(item, "saturated")) ? "saturated" : "",
			json_object_get(item, "total"));
	}
	json_array_foreach(json_object_get(result, "derived"), i, item)
		csv_row(table, item, "name", "total", 0,
			json_is_true(json_object_get(item, "saturated")) ? "saturated" : "",
			json_object_get(item, "value"));
}

static void notes(struct doc *doc, const json_t *result)
{
	const json_t *values = json_object_get(result, "values"), *counter;
	bool is_saturated = false;
	size_t i;

	json_array_foreach(json_object_get(result, "counters"), i, counter)
	{
		is_saturated |= json_is_true(json_object_get(counter, "saturated"));
	}
	doc_paragraph(doc, doc_words(doc, "%lld cycles, %lld instructions, %zu intervals",
				     (long long)member_whole(values, "cycles"),
				     (long long)member_whole(values, "instructions"),
				     json_array_size(json_object_get(result, "intervals"))));
	if (json_is_true(json_object_get(result, "intervals_cut")))
		doc_note(doc, "there were more intervals than are kept; totals are of all of them");
	if (is_saturated)
		doc_note(doc, doc_words(doc,
					">= : a counter of %lld bits reached all ones within an "
					"interval; take --every shorter or --width larger",
					(long long)member_whole(json_object_get(result, "module"),
								"width")));
}

void stat_totals(struct doc *doc, const json_t *result)
{
	const size_t epochs = json_array_size(json_object_get(result, "epochs"));

	for (size_t i = 0; i < epochs; i++)
		epoch_section(doc, result, i);
}

void stat_intervals(struct doc *doc, const json_t *result)
{
	plots(doc, result);
	intervals_section(doc, result);
	csv_table(doc, result);
}

REPORT_BUILDER(stat)
{
	(void)options;
	(void)err;
	common_heading(doc, result);
	stat_totals(doc, result);
	derived_section(doc, result);
	notes(doc, result);
	stat_intervals(doc, result);
	return true;
}

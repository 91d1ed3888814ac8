#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/report.h"
#include "value/component.h"
#include "value/member.h"

#define STACKS_MOST 40 /* design points in one drawing */

/* The terms of the sum, with the component of a stack whose colour each has. */
static const struct term {
	const char *name, *component;
} terms[] = {{"base", "base"}, {"branch", "branch"}, {"icache", "l1i"}, {"dmiss", "l2d"}};

static struct doc_colour colour_of(const struct term *term)
{
	return doc_component_named(term->component);
}

/* What the trace is like: how often that happens which costs time. */
static void events(struct doc *doc, const json_t *result)
{
	static const struct {
		const char *member, *label;
	} rows[] = {
		{"load_misses", "long load misses"},
		{"store_misses", "long store misses"},
		{"mispredictions", "mispredictions"},
		{"fetch_misses", "L1I misses"},
	};
	const json_t *first = json_array_get(json_object_get(result, "points"), 0);
	const double thousands = member_number(result, "instructions") / 1000;
	struct doc_text *text = doc_text(doc, DOC_PARAGRAPH);

	doc_say(text, "%.0f instructions; per 1000:", member_number(result, "instructions"));
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const double count =
			member_number(json_object_get(first, "detail"), rows[i].member);

		doc_say(text, "%s %s %s", i ? "," : "",
			doc_decimal(doc, common_ratio(count, thousands), 2), rows[i].label);
	}
	doc_say(text, " (first point)");
	doc_note(doc, "Predicted from a trace, without simulating time; CPI = base + branch + "
		      "icache + dmiss.");
	doc_only(doc, DOC_IN_PAGE);
}

/* Whether the point has, in every parameter but this one, the value of the first point. */
static bool is_on_axis(const json_t *point, const json_t *first, const char *axis)
{
	const char *key;
	json_t *value;

	if (strcmp(member_text(point, "technique"), member_text(first, "technique")) != 0)
		return false;
	json_object_foreach(json_object_get(point, "set"), key, value)
	{
		const char *other = member_text(json_object_get(first, "set"), key);

		if (strcmp(key, axis) != 0 && strcmp(json_string_value(value), other) != 0)
			return false;
	}
	return true;
}

static struct doc_group *add_stack(struct doc_drawing *drawing, const char *name,
				   const json_t *components)
{
	struct doc_group *group = doc_group(drawing, name);

	for (size_t i = 0; i < ARRAY_COUNT(terms); i++)
		doc_set(group, i, member_number(components, terms[i].name));
	return group;
}

/* The CPI over one parameter, the others as in the first point; of that point if it is NULL. */
static void draw_axis(struct doc *doc, const json_t *points, const char *axis)
{
	const json_t *first = json_array_get(points, 0), *point;
	struct doc_drawing *drawing = doc_drawing(
		doc, DOC_STACKS,
		axis ? doc_words(doc, "CPI over %s", axis) : "CPI of the design point",
		"Cycles per instruction, components stacked; simulated points beside the modelled.");
	size_t i, count = 0;

	drawing->heading = doc_words(doc, "cycles per instruction%s%s; %s", axis ? " over " : "",
				     axis ? axis : "", member_text(first, "technique"));
	drawing->x_title = axis ? doc_words(doc, "%s", axis) : NULL;
	drawing->unit = DOC_NUMBER;
	drawing->places = 3;
	for (size_t k = 0; k < ARRAY_COUNT(terms); k++)
		doc_series(drawing, terms[k].name, colour_of(&terms[k]));
	json_array_foreach(points, i, point)
	{
		const json_t *simulated = json_object_get(point, "simulated");
		const char *value =
			axis ? member_text(json_object_get(point, "set"), axis) : "model";

		if (!is_on_axis(point, first, axis ? axis : "") || count == STACKS_MOST)
			continue;
		count++;
		add_stack(drawing, value, json_object_get(point, "components"));
		if (simulated)
			add_stack(drawing, doc_words(doc, "%s simulated", value),
				  json_object_get(simulated, "components"))
				->ends_block = true;
	}
}

static void axes(struct doc *doc, const json_t *points)
{
	json_t *set = json_object_get(json_array_get(points, 0), "set"), *value;
	const char *key;

	struct doc_block *section = doc_section(doc, "cpi", "CPI over each parameter");

	section->where = DOC_IN_PAGE;
	section->short_title = "CPI";
	if (!json_object_size(set))
		draw_axis(doc, points, NULL);
	json_object_foreach(set, key, value) draw_axis(doc, points, key);
	doc_end(doc);
}

/* The technique if all points have the same; else NULL. */
static const char *only_technique(const json_t *points)
{
	const char *first = member_text(json_array_get(points, 0), "technique");

	for (size_t i = 1; i < json_array_size(points); i++)
		if (strcmp(first, member_text(json_array_get(points, i), "technique")) != 0)
			return NULL;
	return first;
}

/* "rob.size=64 l2.mshrs=8" */
static const char *point_name(struct doc *doc, const json_t *point)
{
	const char *name = "", *key;
	json_t *value;

	json_object_foreach(json_object_get(point, "set"), key, value) name =
		doc_words(doc, "%s%s%s=%s", name, *name ? " " : "", key, json_string_value(value));
	return *name ? name : "(as configured)";
}

/* Columns of all terms, of which text has those of the model and the data misses. */
static void term_columns(struct doc *doc, struct doc_table *table, bool is_simulated)
{
	doc_column(table, is_simulated ? "simulated" : "CPI", DOC_NUMBER, 4);
	for (size_t i = 0; i < ARRAY_COUNT(terms); i++) {
		const bool is_dmiss = i + 1 == ARRAY_COUNT(terms);
		struct doc_column *column = doc_column(
			table,
			is_simulated ? doc_words(doc, "its %s", terms[i].name) : terms[i].name,
			DOC_NUMBER, 4);

		column->colour = colour_of(&terms[i]);
		if (is_simulated && !is_dmiss)
			column->where = DOC_IN_PAGE | DOC_IN_CSV;
	}
}

static void point_columns(struct doc *doc, struct doc_table *table, bool has_simulated)
{
	for (size_t i = 0; i < ARRAY_COUNT(terms); i++)
		doc_part(table, terms[i].name, colour_of(&terms[i]));
	doc_column(table, "stack", DOC_STACK, 0)->where = DOC_IN_PAGE;
	term_columns(doc, table, false);
	if (has_simulated) {
		term_columns(doc, table, true);
		doc_column(table, "error", DOC_CHANGE, 1)->about =
			"of the modelled CPI, beside the simulated";
		doc_column(table, "of dmiss", DOC_CHANGE, 1)->about =
			"of the modelled cycles of long data misses";
	}
}

static void term_cells(struct doc_table *table, const json_t *point)
{
	const json_t *components = json_object_get(point, "components");

	doc_value_of(table, json_object_get(point, "cpi"));
	for (size_t i = 0; i < ARRAY_COUNT(terms); i++)
		doc_value_of(table, json_object_get(components, terms[i].name));
}

static void point_cells(struct doc_table *table, const json_t *point)
{
	const json_t *components = json_object_get(point, "components");
	const json_t *error = json_object_get(point, "error");
	double values[ARRAY_COUNT(terms)];

	for (size_t i = 0; i < ARRAY_COUNT(terms); i++)
		values[i] = member_number(components, terms[i].name);
	doc_cell_values(table, values, ARRAY_COUNT(terms));
	term_cells(table, point);
	if (!json_object_get(point, "simulated"))
		return;
	term_cells(table, json_object_get(point, "simulated"));
	doc_value_of(table, json_object_get(error, "cpi"));
	doc_value_of(table, json_object_get(error, "dmiss"));
}

static bool any_simulated(const json_t *points)
{
	const json_t *point;
	bool any = false;
	size_t i;

	json_array_foreach(points, i, point) any |= json_object_get(point, "simulated") != NULL;
	return any;
}

/* For text, where names are short: techniques, if there are several, below their machine. */
static void points_text(struct doc *doc, const json_t *points, bool has_techniques)
{
	struct doc_table *table = doc_table(doc, NULL, NULL, "point");
	const json_t *point, *last = NULL;
	size_t i;

	doc_only(doc, DOC_IN_TEXT);
	table->has_whole_names = true;
	point_columns(doc, table, any_simulated(points));
	json_array_foreach(points, i, point)
	{
		const json_t *set = json_object_get(point, "set");

		if (!has_techniques || !last || !json_equal(set, last)) {
			doc_row(table, point_name(doc, point));
			for (size_t k = 0; has_techniques && k < table->column_count; k++)
				doc_cell_words(table, "");
		}
		if (has_techniques)
			doc_child(table, member_text(point, "technique"));
		point_cells(table, point);
		last = set;
	}
}

/* For a page and CSV: a column for each parameter. */
static void points_table(struct doc *doc, const json_t *points)
{
	struct doc_table *table = doc_table(doc, "points", NULL, NULL);
	json_t *set = json_object_get(json_array_get(points, 0), "set"), *value;
	const json_t *point;
	const char *key;
	size_t i;

	doc_only(doc, DOC_IN_PAGE | DOC_IN_CSV);
	json_object_foreach(set, key, value) doc_column(table, key, DOC_WORDS, 0);
	doc_column(table, "technique", DOC_WORDS, 0);
	point_columns(doc, table, any_simulated(points));
	json_array_foreach(points, i, point)
	{
		doc_row(table, "");
		json_object_foreach(set, key, value)
			doc_cell_words(table, member_text(json_object_get(point, "set"), key));
		doc_cell_words(table, member_text(point, "technique"));
		point_cells(table, point);
	}
}

static void points_section(struct doc *doc, const json_t *points)
{
	const char *technique = only_technique(points);

	doc_section(doc, "points-section", "All design points")->short_title = "Points";
	if (technique)
		doc_note(doc, doc_words(doc, "Long data misses by: %s", technique));
	points_text(doc, points, !technique);
	points_table(doc, points);
	doc_end(doc);
}

/* "registers 12, pending hit 3" */
static const char *dependences(struct doc *doc, const json_t *row)
{
	const char *name, *words = "";
	json_t *count;

	json_object_foreach(json_object_get(row, "depends_on"), name, count)
	{
		if (json_integer_value(count))
			words = doc_words(doc, "%s%s%s %lld", words, *words ? ", " : "", name,
					  (long long)json_integer_value(count));
	}
	return words;
}

static void share_column(struct doc_table *table)
{
	struct doc_column *column = doc_column(table, "of dmiss", DOC_PERCENT, 1);

	column->about = "share of the cycles lost to long data misses";
	column->flags = DOC_HEAT;
}

/* Programs may have no lines, or only their libraries none. */
static bool any_line(const json_t *rows)
{
	const json_t *row;
	bool any = false;
	size_t i;

	json_array_foreach(rows, i, row) any |= *member_text(row, "file") != '\0';
	return any;
}

/* Where misses are, by function or by line. */
static void shares(struct doc *doc, const char *id, const char *title, const json_t *rows)
{
	const bool has_lines = any_line(rows);
	const json_t *row;
	size_t i;

	doc_heading(doc, title);
	struct doc_table *table = doc_table(doc, id, NULL, "function");
	if (has_lines)
		doc_column(table, "line", DOC_WORDS, 0);
	share_column(table);
	doc_column(table, "on chains", DOC_COUNT, 0)->about = "misses on the longest chains";
	doc_column(table, "misses", DOC_COUNT, 0)->about = "all, hidden ones too";
	doc_column(table, "depend on", DOC_WORDS, 0)->flags = DOC_WHOLE;
	json_array_foreach(rows, i, row)
	{
		const char *file = member_text(row, "file");

		doc_row(table, member_text(row, "function"))->about = *file ? file : NULL;
		if (has_lines)
			doc_cell_words(table,
				       *file ? common_place(doc, file, member_whole(row, "line"))
					     : "");
		doc_value_of(table, json_object_get(row, "share"));
		doc_value_of(table, json_object_get(row, "serialized_misses"));
		doc_value_of(table, json_object_get(row, "misses"));
		doc_cell_words(table, dependences(doc, row));
	}
}

static void ends(struct doc *doc, const json_t *rows)
{
	const json_t *row;
	size_t i;

	doc_heading(doc, "What ended the windows");
	struct doc_table *table = doc_table(doc, "ends", NULL, "ended by");
	share_column(table);
	doc_column(table, "windows", DOC_COUNT, 0);
	doc_column(table, "on chains", DOC_COUNT, 0)->about = "misses on the longest chains";
	json_array_foreach(rows, i, row)
	{
		doc_row(table, member_text(row, "ended_by"));
		doc_value_of(table, json_object_get(row, "share"));
		doc_value_of(table, json_object_get(row, "windows"));
		doc_value_of(table, json_object_get(row, "serialized_misses"));
	}
}

/* "3 x main, a.c:7 (0x1234)" */
static const char *link_words(struct doc *doc, const json_t *miss)
{
	const char *file = member_text(miss, "file");

	return doc_words(doc, "%lld x %s%s%s (%s)", (long long)member_whole(miss, "misses"),
			 member_text(miss, "function"), *file ? ", " : "",
			 *file ? common_place(doc, file, member_whole(miss, "line")) : "",
			 member_text(miss, "pc"));
}

/* A miss that waits for the one in the row above. */
static void link_row(struct doc *doc, struct doc_table *table, const json_t *miss)
{
	doc_child(table, doc_words(doc, "through %s", member_text(miss, "depends_on")));
	for (size_t i = 0; i + 1 < table->column_count; i++)
		doc_cell_words(table, "");
	doc_cell_words(table, link_words(doc, miss));
}

/* The first miss of a chain is in the row of its window. */
static void window_rows(struct doc *doc, struct doc_table *table, const json_t *window)
{
	const json_t *chain = json_object_get(window, "chain");

	doc_row(table, doc_words(doc, "%lld to %lld", (long long)member_whole(window, "from"),
				 (long long)member_whole(window, "to") - 1));
	doc_value_of(table, json_object_get(window, "share"));
	doc_value_of(table, json_object_get(window, "windows"));
	doc_value_of(table, json_object_get(window, "misses"));
	doc_value_of(table, json_object_get(window, "serialized_misses"));
	doc_cell_words(table, member_text(window, "ended_by"));
	if (json_array_size(chain))
		doc_cell_words(table, link_words(doc, json_array_get(chain, 0)));
	for (size_t i = 1; i < json_array_size(chain); i++)
		link_row(doc, table, json_array_get(chain, i));
}

static void windows(struct doc *doc, const json_t *rows)
{
	const json_t *row;
	size_t i;

	doc_heading(doc, "The windows that cost most, those with the same chain of misses as one");
	struct doc_table *table = doc_table(doc, "windows", NULL, "instructions");
	share_column(table);
	doc_column(table, "windows", DOC_COUNT, 0)->about = "that are alike; the first is named";
	doc_column(table, "misses", DOC_COUNT, 0);
	doc_column(table, "in a row", DOC_COUNT, 0)->about = "misses one after the other";
	doc_column(table, "ended by", DOC_WORDS, 0);
	doc_column(table, "chain of misses", DOC_WORDS, 0)->flags = DOC_WHOLE | DOC_UNSORTED;
	json_array_foreach(rows, i, row) window_rows(doc, table, row);
}

static void explanation(struct doc *doc, const json_t *explained)
{
	if (!explained)
		return;
	doc_section(doc, "explanation", "Where the long data misses of the first point are")
		->short_title = "Explanation";
	shares(doc, "functions", "By function", json_object_get(explained, "functions"));
	shares(doc, "lines", "By line", json_object_get(explained, "lines"));
	ends(doc, json_object_get(explained, "ends"));
	windows(doc, json_object_get(explained, "windows"));
	doc_end(doc);
}

REPORT_BUILDER(model)
{
	const json_t *points = json_object_get(result, "points");

	(void)options;
	if (!json_array_size(points))
		return err_set(err, "points is empty");
	common_heading(doc, result);
	events(doc, result);
	axes(doc, points);
	points_section(doc, points);
	explanation(doc, json_object_get(result, "explanation"));
	return true;
}

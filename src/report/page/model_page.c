#include "report/page/model_page.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/page/html.h"
#include "report/papers/content_html.h"
#include "value/component.h"
#include "value/layout.h"
#include "value/member.h"

#define STACKS_MOST 40 /* design points in one drawing */

/* The components of the sum, with the component of a stack whose colour each has. */
static const struct term {
	const char *name, *component;
} terms[] = {{"base", "base"}, {"branch", "branch"}, {"icache", "l1i"}, {"dmiss", "l2d"}};

static void write_heading(FILE *out, const json_t *result)
{
	const json_t *program = json_object_get(result, "program");

	fputs("<header class=\"top\">\n<p class=\"kicker\">cyclestack model</p>\n<h1><bdi>", out);
	html_text(out, program ? member_text(program, "name") : "imported trace");
	fputs("</bdi> <span class=\"on\">on</span> <bdi>", out);
	html_text(out, member_text(json_object_get(result, "configuration"), "name"));
	fputs("</bdi></h1>\n<p class=\"facts\">", out);
	html_integer(out, member_whole(result, "instructions"));
	fputs(" instructions <span class=\"muted\">predicted from a trace, without simulating time; "
	      "CPI = base + branch + icache + dmiss.</span></p>\n</header>\n"
	      "<nav id=\"contents\"></nav>\n",
	      out);
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

static void add_stack(struct content *content, struct content_drawing *drawing, const char *name,
		      const json_t *components)
{
	struct content_group *group = content_group(content, drawing, name);

	for (size_t i = 0; i < ARRAY_COUNT(terms); i++)
		content_set(group, i, member_number(components, terms[i].name));
}

/* The CPI over one parameter, the others as in the first point; all techniques if it is NULL. */
static void draw_axis(struct content *content, const json_t *points, const char *axis)
{
	const json_t *first = json_array_get(points, 0), *point;
	struct content_drawing *drawing = content_drawing(
		content, CONTENT_STACKS,
		axis ? content_words(content, "CPI over %s", axis) : "CPI of the design point",
		"Cycles per instruction, components stacked; simulated points beside the modelled.");
	size_t i, count = 0;

	drawing->heading = content_words(content, "cycles per instruction; %s",
					 member_text(first, "technique"));
	drawing->places = 3;
	for (size_t k = 0; k < ARRAY_COUNT(terms); k++)
		content_series(content, drawing, terms[k].name, SVG_NONE,
			       component_named(terms[k].component));
	json_array_foreach(points, i, point)
	{
		const json_t *simulated = json_object_get(point, "simulated");
		const char *value =
			axis ? member_text(json_object_get(point, "set"), axis) : "model";

		if (!is_on_axis(point, first, axis ? axis : "") || count == STACKS_MOST)
			continue;
		count++;
		add_stack(content, drawing, value, json_object_get(point, "components"));
		if (!simulated)
			continue;
		add_stack(content, drawing, content_words(content, "%s simulated", value),
			  json_object_get(simulated, "components"));
		drawing->groups[drawing->group_count - 1].ends_block = true;
	}
}

static void write_axes(FILE *out, const json_t *points)
{
	const json_t *set = json_object_get(json_array_get(points, 0), "set");
	struct content content;
	const char *key;
	json_t *value;

	fputs("<section id=\"cpi\" data-short=\"CPI\">\n<h2>CPI over each parameter</h2>\n", out);
	content_init(&content);
	if (!json_object_size(set))
		draw_axis(&content, points, NULL);
	json_object_foreach(json_object_get(json_array_get(points, 0), "set"), key, value)
		draw_axis(&content, points, key);
	content_html_write(out, &content);
	content_release(&content);
	fputs("</section>\n", out);
}

static void add_cells(struct content_table *table, const json_t *cpi, const json_t *components)
{
	content_value_of(table, cpi);
	for (size_t k = 0; k < ARRAY_COUNT(terms); k++)
		content_value_of(table, json_object_get(components, terms[k].name));
}

static void add_point_row(struct content *content, struct content_table *table, const json_t *point)
{
	const json_t *simulated = json_object_get(point, "simulated");
	const char *name = "", *key;
	json_t *value;

	json_object_foreach(json_object_get(point, "set"), key, value) name = content_words(
		content, "%s%s%s = %s", name, *name ? ", " : "", key, json_string_value(value));
	content_row(content, table, *name ? name : "as configured");
	content_cell_words(content, table, member_text(point, "technique"));
	add_cells(table, json_object_get(point, "cpi"), json_object_get(point, "components"));
	if (!simulated)
		return;
	add_cells(table, json_object_get(simulated, "cpi"),
		  json_object_get(simulated, "components"));
	content_value_of(table, json_object_get(json_object_get(point, "error"), "cpi"));
	content_value_of(table, json_object_get(json_object_get(point, "error"), "dmiss"));
}

static void write_points(FILE *out, const json_t *points)
{
	bool has_simulated = json_object_get(json_array_get(points, 0), "simulated");
	struct content content;
	const json_t *point;
	size_t i;

	fputs("<section id=\"points\" data-short=\"Points\">\n<h2>All design points</h2>\n", out);
	content_init(&content);
	struct content_table *table = content_table(&content, NULL, "point");
	content_column_words(&content, table, "technique");
	for (unsigned s = 0; s < (has_simulated ? 2U : 1U); s++) {
		content_column(&content, table, s ? "simulated CPI" : "CPI", CONTENT_NUMBER, 4);
		for (size_t k = 0; k < ARRAY_COUNT(terms); k++)
			content_column(&content, table, terms[k].name, CONTENT_NUMBER, 4);
	}
	if (has_simulated) {
		content_column(&content, table, "error of CPI", CONTENT_PERCENT, 1);
		content_column(&content, table, "of dmiss", CONTENT_PERCENT, 1);
	}
	json_array_foreach(points, i, point) add_point_row(&content, table, point);
	content_html_write(out, &content);
	content_release(&content);
	fputs("</section>\n", out);
}

/* "main, a.c:7 (0x1234)"; rows of lines have no pc. */
static const char *place_words(struct content *content, const json_t *row)
{
	const char *words = member_text(row, "function"), *file = member_text(row, "file");

	if (*file)
		words = content_words(content, "%s, %s:%lld", words, file,
				      (long long)member_whole(row, "line"));
	if (json_object_get(row, "pc"))
		words = content_words(content, "%s (%s)", words, member_text(row, "pc"));
	return words;
}

/* "registers 12, pending hit 3" */
static const char *dependence_words(struct content *content, const json_t *row)
{
	const char *name, *words = "";
	json_t *count;

	json_object_foreach(json_object_get(row, "depends_on"), name,
			    count) if (json_integer_value(count)) words =
		content_words(content, "%s%s%s %lld", words, *words ? ", " : "", name,
			      (long long)json_integer_value(count));
	return words;
}

static void write_shares(struct content *content, const char *heading, const char *what,
			 const json_t *rows)
{
	struct content_table *table = content_table(content, heading, what);
	const json_t *row;
	size_t i;

	content_column(content, table, "share of dmiss", CONTENT_PERCENT, 1);
	content_column(content, table, "misses on longest chains", CONTENT_COUNT, 0);
	content_column(content, table, "all misses", CONTENT_COUNT, 0);
	content_column_words(content, table, "depend on");
	json_array_foreach(rows, i, row)
	{
		content_row(content, table,
			    json_object_get(row, "file") ? place_words(content, row)
							 : member_text(row, "function"));
		content_value_of(table, json_object_get(row, "share"));
		content_value_of(table, json_object_get(row, "serialized_misses"));
		content_value_of(table, json_object_get(row, "misses"));
		content_cell_words(content, table, dependence_words(content, row));
	}
}

static void write_ends(struct content *content, const json_t *ends)
{
	struct content_table *table = content_table(content, "What ended the windows", "ended by");
	const json_t *row;
	size_t i;

	content_column(content, table, "share of dmiss", CONTENT_PERCENT, 1);
	content_column(content, table, "windows", CONTENT_COUNT, 0);
	content_column(content, table, "misses on longest chains", CONTENT_COUNT, 0);
	json_array_foreach(ends, i, row)
	{
		content_row(content, table, member_text(row, "ended_by"));
		content_value_of(table, json_object_get(row, "share"));
		content_value_of(table, json_object_get(row, "windows"));
		content_value_of(table, json_object_get(row, "serialized_misses"));
	}
}

/* "3 x main a.c:7 through registers; then ..." */
static const char *chain_words(struct content *content, const json_t *chain)
{
	const char *words = "";
	const json_t *miss;
	size_t i;

	json_array_foreach(chain, i, miss)
	{
		const char *dependence = member_text(miss, "depends_on");
		bool begins = strcmp(dependence, "nothing") == 0;

		words = content_words(content, "%s%s%lld x %s%s%s", words, *words ? "; then " : "",
				      (long long)member_whole(miss, "misses"),
				      place_words(content, miss), begins ? "" : " through ",
				      begins ? "" : dependence);
	}
	return words;
}

static void write_windows(struct content *content, const json_t *windows)
{
	struct content_table *table = content_table(
		content, "The windows that cost most, those with the same chain as one",
		"first such window");
	const json_t *row;
	size_t i;

	content_column(content, table, "share of dmiss", CONTENT_PERCENT, 1);
	content_column(content, table, "windows", CONTENT_COUNT, 0);
	content_column(content, table, "misses", CONTENT_NUMBER, 0);
	content_column(content, table, "one after the other", CONTENT_NUMBER, 0);
	content_column_words(content, table, "ended by");
	content_column_words(content, table, "chain");
	json_array_foreach(windows, i, row)
	{
		content_row(content, table,
			    content_words(content, "%lld to %lld",
					  (long long)member_whole(row, "from"),
					  (long long)member_whole(row, "to") - 1));
		content_value_of(table, json_object_get(row, "share"));
		content_value_of(table, json_object_get(row, "windows"));
		content_value_of(table, json_object_get(row, "misses"));
		content_value_of(table, json_object_get(row, "serialized_misses"));
		content_cell_words(content, table, member_text(row, "ended_by"));
		content_cell_words(content, table,
				   chain_words(content, json_object_get(row, "chain")));
	}
}

static void write_explanation(FILE *out, const json_t *explanation)
{
	struct content content;

	if (!explanation)
		return;
	fputs("<section id=\"explanation\" data-short=\"Explanation\">\n"
	      "<h2>Where the long data misses of the first point are</h2>\n",
	      out);
	content_init(&content);
	write_shares(&content, NULL, "function", json_object_get(explanation, "functions"));
	write_shares(&content, "By line", "line", json_object_get(explanation, "lines"));
	write_ends(&content, json_object_get(explanation, "ends"));
	write_windows(&content, json_object_get(explanation, "windows"));
	content_html_write(out, &content);
	content_release(&content);
	fputs("</section>\n", out);
}

bool model_page_write(FILE *out, const json_t *result, struct err *err)
{
	const struct page_asset scripts[] = {page_asset_common()};
	const json_t *points = json_object_get(result, "points");

	if (!layout_check(result, &layout_model, err))
		return false;
	if (!json_array_size(points))
		return err_set(err, "points is empty");
	html_begin(out, "Modelled - cyclestack", scripts, ARRAY_COUNT(scripts));
	write_heading(out, result);
	write_axes(out, points);
	write_points(out, points);
	write_explanation(out, json_object_get(result, "explanation"));
	return html_end(out, result, scripts, ARRAY_COUNT(scripts), err);
}

#include "papers/paper_table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "papers/paper.h"
#include "papers/path.h"
#include "value/member.h"

#define STATED	     "stated."
#define PANEL_PIXELS 180

static struct doc_colour colour_of(enum paper_colour colour)
{
	static const struct doc_colour colours[] = {
		[PAPER_NOT_DRAWN] = {DOC_NO_COLOUR, 0}, [PAPER_FIRST] = {DOC_METHOD, 1},
		[PAPER_SECOND] = {DOC_METHOD, 2},	[PAPER_THIRD] = {DOC_METHOD, 3},
		[PAPER_MUTED] = {DOC_MUTED, 0},		[PAPER_LINE] = {DOC_GRID, 0},
		[PAPER_PALE] = {DOC_PALE, 0},		[PAPER_WARN] = {DOC_WARN, 0},
	};

	return colours[colour];
}

static const json_t *cell_of(const json_t *result, const json_t *row, const char *path)
{
	size_t length = strlen(STATED);

	if (strncmp(path, STATED, length) != 0)
		return path_value(row, path);
	return path_value(paper_program_entry(result, member_text(row, "name")), path + length);
}

static const json_t *total_of(const json_t *result, const struct paper_table *table,
			      const struct paper_column *column)
{
	return column->total ? path_value(result, column->total)
			     : path_value(path_value(result, table->total), column->path);
}

static void add_cell(struct doc_table *made, const json_t *value)
{
	if (json_is_string(value))
		doc_cell_words(made, json_string_value(value));
	else
		doc_value_of(made, value);
}

static void add_table(struct doc *doc, const struct paper_table *table, const json_t *result)
{
	struct doc_table *made = doc_table(doc, NULL, NULL, table->names);
	const struct paper_column *c;
	json_t *row;
	size_t i;

	for (c = table->columns; c->title; c++)
		doc_column(made, c->title, c->unit, c->places);
	json_array_foreach(path_value(result, table->rows), i, row)
	{
		doc_row(made, table->name
				      ? member_text(row, table->name)
				      : paper_both_names(doc, result, member_text(row, "name")));
		for (c = table->columns; c->title; c++)
			add_cell(made, cell_of(result, row, c->path));
	}
	if (!table->total_name)
		return;
	doc_row(made, table->total_name);
	doc_row_total(made);
	for (c = table->columns; c->title; c++)
		add_cell(made, total_of(result, table, c));
}

static void add_group(struct doc_drawing *drawing, const struct paper_table *table,
		      const json_t *result, const json_t *row)
{
	const char *name = row ? member_text(row, "name") : table->total_name;
	size_t series = 0;

	name += *name == '@';
	struct doc_group *group =
		doc_group(drawing, doc_words(drawing->doc, "%.*s", (int)strcspn(name, ":"), name));
	for (const struct paper_column *c = table->columns; c->title; c++)
		if (c->colour != PAPER_NOT_DRAWN)
			doc_set(group, series++,
				json_number_value(row ? cell_of(result, row, c->path)
						      : total_of(result, table, c)));
}

static void add_bars(struct doc *doc, const struct paper_table *table, const json_t *result)
{
	struct doc_drawing *drawing =
		doc_drawing(doc, DOC_BARS, table->bars->title, table->bars->description);
	json_t *row;
	size_t i;

	drawing->unit = table->columns[0].unit;
	drawing->top = table->bars->top;
	drawing->limit = table->bars->limit;
	for (const struct paper_column *c = table->columns; c->title; c++)
		if (c->colour != PAPER_NOT_DRAWN)
			doc_series(drawing, c->title, colour_of(c->colour));
	json_array_foreach(path_value(result, table->rows), i, row)
		add_group(drawing, table, result, row);
	if (table->total_name)
		add_group(drawing, table, result, NULL);
}

/* Whether the row's name is a number and it has all cells that are drawn. */
static bool is_point(const struct paper_table *table, const json_t *result, const json_t *row,
		     double *x)
{
	const char *name = member_text(row, table->name);
	char *end;

	*x = strtod(name, &end);
	for (const struct paper_column *c = table->columns; c->title; c++)
		if (c->colour != PAPER_NOT_DRAWN && !json_is_number(cell_of(result, row, c->path)))
			return false;
	return end != name && !*end;
}

static void add_line(struct doc_drawing *drawing, struct doc_panel *panel,
		     const struct paper_table *table, const struct paper_column *column,
		     const json_t *result)
{
	json_t *values = json_array(), *row;
	double x;
	size_t i;

	json_array_foreach(path_value(result, table->rows), i, row)
	{
		if (is_point(table, result, row, &x))
			json_array_append_new(values, json_real(json_number_value(
							      cell_of(result, row, column->path))));
	}
	struct doc_series *series = doc_plot_series(drawing, panel, values);
	series->name = series->words = column->title;
	series->colour = colour_of(column->colour);
	series->style = DOC_LINE;
	json_decref(values);
}

static void add_panel(struct doc_drawing *drawing, const struct paper_table *table,
		      const json_t *result, size_t most)
{
	struct doc_panel *panel = doc_panel(drawing, 34, PANEL_PIXELS, 1, 5);

	for (const struct paper_column *c = table->columns; c->title; c++)
		if (c->colour != PAPER_NOT_DRAWN && panel->series_count < most)
			add_line(drawing, panel, table, c, result);
}

static void add_lines(struct doc *doc, const struct paper_table *table, const json_t *result)
{
	const struct paper_lines *lines = table->lines;
	json_t *xs = json_array(), *row;
	double x;
	size_t i;

	json_array_foreach(path_value(result, table->rows), i, row)
	{
		if (is_point(table, result, row, &x))
			json_array_append_new(xs, json_real(x));
	}
	if (json_array_size(xs) > 1) {
		struct doc_drawing *drawing =
			doc_drawing(doc, DOC_PLOT, lines->title, lines->description);

		drawing->x_count = json_array_size(xs);
		drawing->xs = doc_numbers(doc, xs, drawing->x_count);
		drawing->x_title = lines->axis;
		drawing->x_name = table->names;
		drawing->shown = lines->shown;
		drawing->has_bars = true;
		add_panel(drawing, table, result, SIZE_MAX);
		if (lines->again)
			add_panel(drawing, table, result, lines->again);
	}
	json_decref(xs);
}

void paper_table_build(struct doc *doc, const struct paper_table *table, const json_t *result)
{
	if (table->note)
		doc_paragraph(doc, table->note);
	if (table->bars)
		add_bars(doc, table, result);
	if (table->lines)
		add_lines(doc, table, result);
	add_table(doc, table, result);
	const char *conclusion =
		table->conclusion ? json_string_value(path_value(result, table->conclusion)) : NULL;
	if (conclusion)
		doc_conclusion(doc, conclusion);
}

#include "report/papers/paper_table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/papers/paper.h"
#include "report/papers/path.h"
#include "value/member.h"

#define STATED	     "stated."
#define PANEL_PIXELS 180

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

static void add_cell(struct content *content, struct content_table *made, const json_t *value)
{
	if (json_is_string(value))
		content_cell_words(content, made, json_string_value(value));
	else
		content_value_of(made, value);
}

static void add_table(struct content *content, const struct paper_table *table,
		      const json_t *result)
{
	struct content_table *made = content_table(content, NULL, table->names);
	const struct paper_column *c;
	json_t *row;
	size_t i;

	for (c = table->columns; c->title; c++)
		content_column(content, made, c->title, c->unit, c->places);
	json_array_foreach(path_value(result, table->rows), i, row)
	{
		content_row(content, made,
			    table->name
				    ? member_text(row, table->name)
				    : paper_both_names(content, result, member_text(row, "name")));
		for (c = table->columns; c->title; c++)
			add_cell(content, made, cell_of(result, row, c->path));
	}
	if (!table->total_name)
		return;
	content_row(content, made, table->total_name);
	content_row_total(made);
	for (c = table->columns; c->title; c++)
		add_cell(content, made, total_of(result, table, c));
}

static void add_group(struct content *content, struct content_drawing *drawing,
		      const struct paper_table *table, const json_t *result, const json_t *row)
{
	const char *name = row ? member_text(row, "name") : table->total_name;
	size_t series = 0;

	name += *name == '@';
	struct content_group *group = content_group(
		content, drawing, content_words(content, "%.*s", (int)strcspn(name, ":"), name));
	for (const struct paper_column *c = table->columns; c->title; c++)
		if (c->colour != SVG_NONE)
			content_set(group, series++,
				    json_number_value(row ? cell_of(result, row, c->path)
							  : total_of(result, table, c)));
}

static void add_bars(struct content *content, const struct paper_table *table, const json_t *result)
{
	struct content_drawing *drawing = content_drawing(content, CONTENT_BARS, table->bars->title,
							  table->bars->description);
	json_t *row;
	size_t i;

	drawing->unit = table->columns[0].unit;
	drawing->top = table->bars->top;
	drawing->limit = table->bars->limit;
	for (const struct paper_column *c = table->columns; c->title; c++)
		if (c->colour != SVG_NONE)
			content_series(content, drawing, c->title, c->colour, -1);
	json_array_foreach(path_value(result, table->rows), i, row)
		add_group(content, drawing, table, result, row);
	if (table->total_name)
		add_group(content, drawing, table, result, NULL);
}

/* Whether the row's name is a number and it has all cells that are drawn. */
static bool is_point(const struct paper_table *table, const json_t *result, const json_t *row,
		     double *x)
{
	const char *name = member_text(row, table->name);
	char *end;

	*x = strtod(name, &end);
	for (const struct paper_column *c = table->columns; c->title; c++)
		if (c->colour != SVG_NONE && !json_is_number(cell_of(result, row, c->path)))
			return false;
	return end != name && !*end;
}

static void add_line(struct content *content, struct content_panel *panel,
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
	struct content_series *series = content_plot_series(content, panel, values);
	series->name = series->words = column->title;
	series->colour = column->colour;
	series->style = CONTENT_LINE;
	json_decref(values);
}

static void add_panel(struct content *content, struct content_drawing *drawing,
		      const struct paper_table *table, const json_t *result, size_t most)
{
	struct content_panel *panel = content_panel(drawing, 34, PANEL_PIXELS, 1, 5);

	for (const struct paper_column *c = table->columns; c->title; c++)
		if (c->colour != SVG_NONE && panel->series_count < most)
			add_line(content, panel, table, c, result);
}

static void add_lines(struct content *content, const struct paper_table *table,
		      const json_t *result)
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
		struct content_drawing *drawing =
			content_drawing(content, CONTENT_PLOT, lines->title, lines->description);

		drawing->x_count = json_array_size(xs);
		drawing->xs = content_numbers(content, xs, drawing->x_count);
		drawing->x_title = lines->axis;
		drawing->x_name = table->names;
		drawing->shown = lines->shown;
		drawing->has_bars = true;
		add_panel(content, drawing, table, result, SIZE_MAX);
		if (lines->again)
			add_panel(content, drawing, table, result, lines->again);
	}
	json_decref(xs);
}

void paper_table_build(struct content *content, const struct paper_table *table,
		       const json_t *result)
{
	if (table->note)
		content_paragraph(content, table->note);
	if (table->bars)
		add_bars(content, table, result);
	if (table->lines)
		add_lines(content, table, result);
	add_table(content, table, result);
	const char *conclusion =
		table->conclusion ? json_string_value(path_value(result, table->conclusion)) : NULL;
	if (conclusion)
		content_conclusion(content, conclusion);
}

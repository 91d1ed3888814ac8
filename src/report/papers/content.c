#include "report/papers/content.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"
#include "report/page/html.h"

#define MOST_VALUE 1e13

static bool is_shown(double value)
{
	return isfinite(value) && fabs(value) <= MOST_VALUE;
}

void content_init(struct content *content)
{
	*content = (struct content){0};
}

void content_release(struct content *content)
{
	for (size_t i = 0; i < content->count; i++) {
		struct content_table *table = content->blocks[i].table;
		struct content_drawing *drawing = content->blocks[i].drawing;

		if (table) {
			free(table->columns);
			free(table->rows);
		}
		if (drawing) {
			for (size_t k = 0; k < drawing->panel_count; k++)
				free(drawing->panels[k].series);
			free(drawing->panels);
			free(drawing->series);
			free(drawing->groups);
			free(drawing->marks);
		}
	}
	for (size_t i = 0; i < content->owned_count; i++)
		free(content->owned[i]);
	free(content->owned);
	free(content->blocks);
}

static void *own(struct content *content, void *block)
{
	*ARRAY_PUSH(content->owned, content->owned_count, content->owned_room) = block;
	return block;
}

const char *content_words(struct content *content, const char *format, ...)
{
	va_list list;
	char *text;

	va_start(list, format);
	int length = vasprintf(&text, format, list);
	va_end(list);
	if (length < 0)
		BUG("no memory for a text");
	return own(content, text);
}

const char *content_whole(struct content *content, double value)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	BUG_ON(!out);
	html_decimal(out, is_shown(value) ? value : 0, 0);
	fclose(out);
	return own(content, text);
}

static const char *copy(struct content *content, const char *text)
{
	return text ? own(content, mem_strdup(text)) : NULL;
}

static struct content_block *add_block(struct content *content)
{
	struct content_block *block = ARRAY_PUSH(content->blocks, content->count, content->room);

	*block = (struct content_block){0};
	return block;
}

void content_paragraph(struct content *content, const char *text)
{
	add_block(content)->text = copy(content, text);
}

void content_conclusion(struct content *content, const char *text)
{
	struct content_block *block = add_block(content);

	block->kind = CONTENT_STRONG;
	block->text = copy(content, text);
}

struct content_table *content_table(struct content *content, const char *caption, const char *names)
{
	struct content_table *table = own(content, mem_alloc(sizeof(*table)));
	struct content_block *block = add_block(content);

	table->caption = copy(content, caption);
	table->names = copy(content, names);
	block->kind = CONTENT_TABLE;
	block->table = table;
	return table;
}

void content_column(struct content *content, struct content_table *table, const char *title,
		    enum content_unit unit, unsigned places)
{
	BUG_ON(table->row_count);
	*ARRAY_PUSH(table->columns, table->column_count, table->column_room) =
		(struct content_column){copy(content, title), unit, places};
}

void content_column_words(struct content *content, struct content_table *table, const char *title)
{
	content_column(content, table, title, CONTENT_LEFT, 0);
}

void content_row(struct content *content, struct content_table *table, const char *name)
{
	struct content_cell *cells =
		own(content, mem_alloc_array(table->column_count, sizeof(*cells)));

	*ARRAY_PUSH(table->rows, table->row_count, table->row_room) =
		(struct content_row){copy(content, name), cells, false};
	table->cell_count = 0;
}

void content_row_total(struct content_table *table)
{
	table->rows[table->row_count - 1].is_total = true;
}

static struct content_cell *next_cell(struct content_table *table)
{
	BUG_ON(!table->row_count || table->cell_count == table->column_count);
	return &table->rows[table->row_count - 1].cells[table->cell_count++];
}

void content_value(struct content_table *table, double value)
{
	struct content_cell *cell = next_cell(table);

	if (is_shown(value))
		*cell = (struct content_cell){CONTENT_VALUE, value, NULL};
}

void content_value_of(struct content_table *table, const json_t *value)
{
	content_value(table, json_is_number(value) ? json_number_value(value) : NAN);
}

void content_cell_words(struct content *content, struct content_table *table, const char *words)
{
	*next_cell(table) = (struct content_cell){CONTENT_WORDS, 0, copy(content, words)};
}

struct content_drawing *content_drawing(struct content *content, enum content_kind kind,
					const char *title, const char *description)
{
	struct content_drawing *drawing = own(content, mem_alloc(sizeof(*drawing)));
	struct content_block *block = add_block(content);

	drawing->kind = kind;
	drawing->title = copy(content, title);
	drawing->description = copy(content, description);
	block->kind = CONTENT_DRAWING;
	block->drawing = drawing;
	return drawing;
}

void content_series(struct content *content, struct content_drawing *drawing, const char *name,
		    enum svg_colour colour, int component)
{
	BUG_ON(drawing->group_count);
	*ARRAY_PUSH(drawing->series, drawing->series_count, drawing->series_room) =
		(struct content_series){
			.name = copy(content, name), .colour = colour, .component = component};
}

struct content_group *content_group(struct content *content, struct content_drawing *drawing,
				    const char *name)
{
	struct content_group *group =
		ARRAY_PUSH(drawing->groups, drawing->group_count, drawing->group_room);

	*group = (struct content_group){
		.name = copy(content, name),
		.values = own(content, mem_alloc_array(drawing->series_count, sizeof(double)))};
	return group;
}

void content_set(struct content_group *group, size_t series, double value)
{
	group->values[series] = is_shown(value) ? value : 0;
}

struct content_panel *content_panel(struct content_drawing *drawing, double above, double height,
				    double least_high, unsigned steps)
{
	struct content_panel *panel =
		ARRAY_PUSH(drawing->panels, drawing->panel_count, drawing->panel_room);

	*panel = (struct content_panel){
		.above = above, .height = height, .least_high = least_high, .steps = steps};
	return panel;
}

double *content_numbers(struct content *content, const json_t *values, size_t count)
{
	double *numbers = own(content, mem_alloc_array(count, sizeof(*numbers)));

	for (size_t i = 0; i < count; i++) {
		double value = json_number_value(json_array_get(values, i));

		numbers[i] = is_shown(value) ? value : 0;
	}
	return numbers;
}

struct content_series *content_plot_series(struct content *content, struct content_panel *panel,
					   const json_t *values)
{
	struct content_series *series =
		ARRAY_PUSH(panel->series, panel->series_count, panel->series_room);

	*series = (struct content_series){
		.component = -1, .value_count = json_array_size(values), .curve_unit = 1};
	series->values = content_numbers(content, values, series->value_count);
	return series;
}

void content_mark(struct content *content, struct content_drawing *drawing, double x,
		  const char *words)
{
	*ARRAY_PUSH(drawing->marks, drawing->mark_count, drawing->mark_room) =
		(struct content_mark){is_shown(x) ? x : 0, copy(content, words)};
}

const struct content_drawing *content_picture(const struct content *content)
{
	for (size_t i = 0; i < content->count; i++)
		if (content->blocks[i].kind == CONTENT_DRAWING)
			return content->blocks[i].drawing;
	return NULL;
}

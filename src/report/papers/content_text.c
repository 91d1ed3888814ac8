#include "report/papers/content_text.h"

#include <math.h>

#include "base/array.h"
#include "report/text/grid.h"

#define CURVE_NAME_COLUMNS 13
#define BAR_NAME_COLUMNS   6

static const char *cell_text(char text[GRID_CELL_BYTES], const struct content_column *column,
			     const struct content_cell *cell)
{
	if (cell->kind == CONTENT_NONE)
		return "-";
	if (cell->kind == CONTENT_WORDS)
		return cell->words;
	if (column->unit == CONTENT_COUNT)
		return terminal_short(text, cell->value);
	snprintf(text, GRID_CELL_BYTES, "%.*f", (int)column->places,
		 column->unit == CONTENT_PERCENT ? 100 * cell->value : cell->value);
	return text;
}

static bool is_all_percent(const struct content_table *table)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (table->columns[i].unit != CONTENT_PERCENT)
			return false;
	return true;
}

static void print_table(FILE *out, const struct content_table *table,
			const struct terminal *terminal)
{
	struct grid *grid = grid_create(table->row_count, table->column_count);
	bool is_percent = is_all_percent(table);
	char text[GRID_CELL_BYTES];

	if (table->caption || is_percent)
		fprintf(out, "%s%s\n", table->caption ? table->caption : "In percent",
			table->caption && is_percent ? ", in percent" : "");
	for (size_t k = 0; k < table->column_count; k++) {
		const struct content_column *column = &table->columns[k];

		snprintf(text, sizeof(text), "%s%s", column->title,
			 column->unit == CONTENT_PERCENT && !is_percent ? " %" : "");
		grid_set_column(grid, k, text);
	}
	for (size_t i = 0; i < table->row_count; i++) {
		grid_set_row(grid, i, table->rows[i].name);
		for (size_t k = 0; k < table->column_count; k++)
			grid_set(grid, i, k,
				 cell_text(text, &table->columns[k], &table->rows[i].cells[k]));
	}
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

/* Each digit is the mean of `each` values. */
static void print_curve(FILE *out, const struct content_series *series, size_t each)
{
	fprintf(out, "%-*s", CURVE_NAME_COLUMNS, series->curve);
	for (size_t i = 0; i < series->value_count; i += each) {
		size_t end = i + each < series->value_count ? i + each : series->value_count;
		double sum = 0;

		for (size_t k = i; k < end; k++)
			sum += series->values[k];
		long digit = lround(fmax(0, sum / (double)(end - i) / series->curve_unit));
		fputc(digit == 0 ? '.' : '0' + (digit < 9 ? (int)digit : 9), out);
	}
	fputc('\n', out);
}

static void print_curves(FILE *out, const struct content_drawing *drawing, size_t columns,
			 size_t *length)
{
	for (size_t i = 0; i < drawing->panel_count; i++)
		for (size_t k = 0; k < drawing->panels[i].series_count; k++) {
			const struct content_series *series = &drawing->panels[i].series[k];

			if (!series->curve)
				continue;
			if (out)
				print_curve(out, series, (*length + columns - 1) / columns);
			else if (series->value_count > *length)
				*length = series->value_count;
		}
}

/* Prints nothing of a drawing that has no curves. */
static void print_plot(FILE *out, const struct content_drawing *drawing,
		       const struct terminal *terminal)
{
	size_t columns = terminal->width - CURVE_NAME_COLUMNS - 1;
	size_t length = 0;

	print_curves(NULL, drawing, columns, &length);
	if (!length)
		return;
	fprintf(out, "%s; %s %.0f to %.0f, %zu to a digit, . is below a half\n", drawing->shown,
		drawing->x_title, drawing->first, drawing->first + (double)length - 1,
		(length + columns - 1) / columns);
	print_curves(out, drawing, columns, &length);
}

/* A row for each x, with a bar of every series, all to one scale. */
static void print_bars(FILE *out, const struct content_drawing *drawing,
		       const struct terminal *terminal)
{
	const struct content_panel *panel = &drawing->panels[0];
	const unsigned room = (terminal->width - BAR_NAME_COLUMNS) / (unsigned)panel->series_count;
	const unsigned columns = room > 3 ? room - 2 : 1;
	double most = 0;

	for (size_t k = 0; k < panel->series_count; k++)
		for (size_t i = 0; i < panel->series[k].value_count; i++)
			most = fmax(most, panel->series[k].values[i]);
	if (!(most > 0))
		return;
	const double each = most / columns;
	fprintf(out, "%s; # is %.*f\n%*s", drawing->shown, each < 10, each, BAR_NAME_COLUMNS,
		drawing->x_name);
	for (size_t k = 0; k < panel->series_count; k++) {
		fputs("  ", out);
		terminal_put_start(out, terminal, panel->series[k].name,
				   k + 1 < panel->series_count ? columns : 0, columns);
	}
	for (size_t i = 0; i < drawing->x_count; i++) {
		fprintf(out, "\n%*g", BAR_NAME_COLUMNS, drawing->xs[i]);
		unsigned blanks = 0; /* since the end of the last bar */
		for (size_t k = 0; k < panel->series_count; k++) {
			const double value = fmax(0, panel->series[k].values[i]);
			const unsigned full = (unsigned)lround(value / each);

			blanks += 2;
			if (full)
				fprintf(out, "%*s", (int)blanks, "");
			for (unsigned n = 0; n < full; n++)
				fputc('#', out);
			blanks = full ? columns - full : blanks + columns;
		}
	}
	fputc('\n', out);
}

void content_text_print(FILE *out, const struct content *content, const struct terminal *terminal)
{
	for (size_t i = 0; i < content->count; i++) {
		const struct content_block *block = &content->blocks[i];

		if (block->kind == CONTENT_TABLE)
			print_table(out, block->table, terminal);
		else if (block->kind != CONTENT_DRAWING)
			terminal_put_words(out, terminal, 2, block->text);
		else if (block->drawing->has_bars)
			print_bars(out, block->drawing, terminal);
		else
			print_plot(out, block->drawing, terminal);
	}
}

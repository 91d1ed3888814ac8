#include "report/papers/content_html.h"

#include <stdlib.h>

#include "report/page/html.h"
#include "report/papers/content_svg.h"

/* Tables with at least this many columns do not break lines and scroll. */
#define WIDE_COLUMNS 9

static void write_cell(FILE *out, const struct content_column *column,
		       const struct content_cell *cell)
{
	fputs(column->unit == CONTENT_LEFT ? "<td class=\"left\">" : "<td>", out);
	if (cell->kind == CONTENT_WORDS) {
		html_text(out, cell->words);
	} else if (cell->kind == CONTENT_VALUE) {
		bool is_percent = column->unit == CONTENT_PERCENT;

		html_decimal(out, is_percent ? 100 * cell->value : cell->value, column->places);
		fputs(is_percent ? " %" : "", out);
	}
	fputs("</td>", out);
}

/* Writes the rows that are totals, or those that are not. */
static void write_rows(FILE *out, const struct content_table *table, bool is_total)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct content_row *row = &table->rows[i];

		if (row->is_total != is_total)
			continue;
		fputs("<tr><th scope=\"row\"><bdi>", out);
		html_text(out, row->name);
		fputs("</bdi></th>", out);
		for (size_t k = 0; k < table->column_count; k++)
			write_cell(out, &table->columns[k], &row->cells[k]);
		fputs("</tr>\n", out);
	}
}

static void write_table(FILE *out, const struct content_table *table)
{
	if (table->caption) {
		fputs("<h3>", out);
		html_text(out, table->caption);
		fputs("</h3>\n", out);
	}
	fprintf(out, "<div class=\"scroll\"><table%s>\n<thead><tr><th scope=\"col\">",
		table->column_count >= WIDE_COLUMNS ? " class=\"wide\"" : "");
	html_text(out, table->names);
	fputs("</th>", out);
	for (size_t k = 0; k < table->column_count; k++) {
		fprintf(out, "<th scope=\"col\"%s>",
			table->columns[k].unit == CONTENT_LEFT ? " class=\"left\"" : "");
		html_text(out, table->columns[k].title);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n<tbody>\n", out);
	write_rows(out, table, false);
	fputs("</tbody>\n<tfoot>\n", out);
	write_rows(out, table, true);
	fputs("</tfoot>\n</table></div>\n", out);
}

static json_t *numbers_array(const double *values, size_t count)
{
	json_t *numbers = json_array();

	for (size_t i = 0; values && i < count; i++)
		json_array_append_new(numbers, json_real(values[i]));
	return numbers;
}

/* Writes {"x", "name", "shown", "other", "places", "left", "right", "width", "length", "series":
 * [[words, values, others]...]} as the value of an attribute. */
static void write_values(FILE *out, const struct content_drawing *drawing)
{
	json_t *list = json_array();
	size_t length = 0;

	for (size_t i = 0; i < drawing->panel_count; i++)
		for (size_t k = 0; k < drawing->panels[i].series_count; k++) {
			const struct content_series *series = &drawing->panels[i].series[k];

			if (series->value_count > length)
				length = series->value_count;
			if (series->words)
				json_array_append_new(
					list, json_pack("[s, o, o]", series->words,
							numbers_array(series->values,
								      series->value_count),
							numbers_array(series->others,
								      series->value_count)));
		}
	json_t *values =
		json_pack("{s:f, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:I, s:o}", "x", drawing->first,
			  "name", drawing->x_name, "shown", drawing->shown, "other",
			  drawing->other ? drawing->other : "", "places", (int)drawing->places,
			  "left", CONTENT_SVG_LEFT, "right", CONTENT_SVG_RIGHT, "width",
			  CONTENT_SVG_WIDTH, "length", (json_int_t)length, "series", list);
	char *text = json_dumps(values, JSON_COMPACT | JSON_REAL_PRECISION(6));
	fputs(" data-values=\"", out);
	html_text(out, text ? text : "");
	fputc('"', out);
	free(text);
	json_decref(values);
}

static void write_drawing(FILE *out, const struct content_drawing *drawing)
{
	fputs("<div class=\"scroll\"", out);
	/* A plot with its own x values has few points, and a table lists them. */
	if (drawing->kind == CONTENT_PLOT && !drawing->xs)
		write_values(out, drawing);
	fputs(">\n", out);
	content_svg_draw(out, drawing, true);
	fputs("</div>\n", out);
}

void content_html_write(FILE *out, const struct content *content)
{
	for (size_t i = 0; i < content->count; i++) {
		const struct content_block *block = &content->blocks[i];

		if (block->kind == CONTENT_TABLE) {
			write_table(out, block->table);
		} else if (block->kind == CONTENT_DRAWING) {
			write_drawing(out, block->drawing);
		} else {
			bool is_strong = block->kind == CONTENT_STRONG;

			fputs(is_strong ? "<p><strong>" : "<p class=\"note\">", out);
			html_text(out, block->text);
			fputs(is_strong ? "</strong></p>\n" : "</p>\n", out);
		}
	}
}

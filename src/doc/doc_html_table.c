#include "doc/doc_html_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "doc/markup.h"

#define WIDE_COLUMNS 8
#define HEAT_LEVELS  9
#define SPARK_POINTS 100
#define SPARK_HEIGHT 20

/* Of a column: the range of its values, without totals. */
struct range {
	double low, high;
};

static bool is_in_page(const struct doc_column *column)
{
	return column->where & DOC_IN_PAGE;
}

static bool is_drawn(const struct doc_column *column)
{
	return column->unit == DOC_BAR || column->unit == DOC_STACK || column->unit == DOC_SPARK;
}

static bool is_words(const struct doc_column *column)
{
	return column->unit == DOC_WORDS || column->unit == DOC_CODE;
}

/* A class for every cell of the column; NULL: numbers at the right, as is usual. */
static const char *class_of(const struct doc_column *column)
{
	switch (column->unit) {
	case DOC_WORDS: return "left";
	case DOC_CODE: return "code";
	case DOC_BAR:
	case DOC_STACK:
	case DOC_SPARK: return "barcell";
	default: return NULL;
	}
}

static void put_swatch(FILE *out, struct doc_colour colour)
{
	if (colour.kind != DOC_NO_COLOUR)
		fprintf(out, "<i class=\"swatch %s\"></i>", doc_colour_class(colour));
}

static void put_link(FILE *out, const char *target, const char *text)
{
	fputs("<a href=\"#", out);
	markup_text(out, target);
	fputs("\">", out);
	markup_text(out, text);
	fputs("</a>", out);
}

/* The values of bars are compared with the largest of their column. */
static struct range range_of(const struct doc_table *table, size_t column)
{
	struct range range = {0, 0};

	for (size_t i = 0; i < table->row_count; i++) {
		const struct doc_cell *cell = &table->rows[i].cells[column];

		if (cell->kind != DOC_VALUE || table->rows[i].is_total)
			continue;
		range.low = fmin(range.low, cell->value);
		range.high = fmax(range.high, cell->value);
	}
	return range;
}

static void put_bar(FILE *out, const struct doc_column *column, const struct doc_cell *cell,
		    struct range range)
{
	double whole = range.high - range.low > 0 ? range.high - range.low : 1;
	double value = fmax(range.low, fmin(range.high, cell->value));
	struct doc_colour colour = cell->colour.kind ? cell->colour : column->colour;

	if (colour.kind == DOC_NO_COLOUR)
		colour = (struct doc_colour){DOC_OTHER, 0};
	fprintf(out, "<svg class=\"bar small\" aria-hidden=\"true\"><rect class=\"%s\" x=\"",
		doc_colour_class(colour));
	markup_length(out, 100 * (fmin(0, value) - range.low) / whole);
	fputs("%\" width=\"", out);
	markup_length(out, 100 * fabs(value) / whole);
	fputs("%\" height=\"100%\"/></svg>", out);
}

/* The mean of the values that one point of the curve stands for. */
static double spark_value(const struct doc_cell *cell, size_t i, size_t points)
{
	size_t from = i * cell->value_count / points, to = (i + 1) * cell->value_count / points;
	double sum = 0;

	for (size_t k = from; k < to; k++)
		sum += cell->values[k];
	return sum / (double)(to - from);
}

static void put_spark(FILE *out, const struct doc_cell *cell)
{
	size_t points = cell->value_count < SPARK_POINTS ? cell->value_count : SPARK_POINTS;
	struct range range = {0, 0};

	for (size_t i = 0; i < points; i++) {
		double value = spark_value(cell, i, points);

		range.low = fmin(range.low, value);
		range.high = fmax(range.high, value);
	}
	double whole = range.high > range.low ? range.high - range.low : 1;
	fprintf(out,
		"<svg class=\"spark\" viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\"><path d=\"",
		points ? points : 1, SPARK_HEIGHT);
	for (size_t i = 0; i < points; i++) {
		double value = spark_value(cell, i, points);

		fputs(i ? "V" : "M0 ", out);
		markup_length(out, SPARK_HEIGHT * (range.high - value) / whole);
		fprintf(out, "h1");
	}
	fputs("\"/></svg>", out);
}

static void put_stack(FILE *out, const struct doc_cell *cell)
{
	fputs(" data-s=\"", out);
	for (size_t i = 0; i < cell->value_count; i++) {
		if (i)
			fputc(' ', out);
		markup_number(out, cell->values[i]);
	}
	fputs("\">", out);
}

/* What a view makes of a value; NAN if it would divide by zero. */
static double seen_value(const struct doc_table *table, const struct doc_row *row,
			 const struct doc_view *view, double value)
{
	double by = view->by == DOC_BY_WHOLE	? table->whole
		    : view->by == DOC_BY_WEIGHT ? row->weight
						: 1;

	return by != 0 ? value / by : NAN;
}

static bool is_outstanding(const struct doc_column *column, const struct doc_cell *cell)
{
	return cell->is_marked || ((column->flags & DOC_RED) && cell->value < 0) ||
	       ((column->flags & DOC_LIMIT) && cell->value > column->limit);
}

/* Totals are not among those that are compared, and beyond the range. */
unsigned doc_html_heat(double value, double highest)
{
	if (value > highest || highest <= 0 || value <= 0)
		return 0;
	return (unsigned)lround(HEAT_LEVELS * fmin(1, value / highest));
}

static void put_class(FILE *out, const struct doc_column *column, const struct doc_cell *cell,
		      struct range range)
{
	const char *usual = class_of(column);
	bool stands_out = cell->kind == DOC_VALUE ? is_outstanding(column, cell) : cell->is_marked;
	unsigned heat = cell->kind == DOC_VALUE && (column->flags & DOC_HEAT)
				? doc_html_heat(cell->value, range.high)
				: 0;

	if (!usual && !stands_out && !heat)
		return;
	fputs(" class=\"", out);
	if (usual)
		fputs(usual, out);
	if (stands_out)
		fputs(usual ? " over" : "over", out);
	if (heat)
		fprintf(out, "%sheat%u", usual || stands_out ? " " : "", heat);
	fputc('"', out);
}

/* A value seen through the first view; the script has the others. A zero is the same in all. */
static void put_viewed(FILE *out, const struct doc_table *table, const struct doc_row *row,
		       const struct doc_cell *cell)
{
	const struct doc_view *view = &table->views[0];
	double value = seen_value(table, row, view, cell->value);
	char text[MARKUP_VALUE_BYTES];

	if (cell->value == 0) {
		fputs(">\302\267", out);
		return;
	}
	fputs(" data-v=\"", out);
	markup_number(out, cell->value);
	fputs("\">", out);
	if (doc_is_shown(value))
		fputs(markup_value(text, view->unit, view->places, false, value), out);
}

static void put_number(FILE *out, const struct doc_column *column, const struct doc_cell *cell)
{
	char text[MARKUP_VALUE_BYTES];

	const char *shown = cell->shown ? cell->shown
					: markup_value(text, column->unit, column->places,
						       column->flags & DOC_BARE, cell->value);

	fputc('>', out);
	if (cell->target)
		put_link(out, cell->target, shown);
	else
		markup_text(out, shown);
	if (cell->words) {
		fputc(' ', out);
		markup_text(out, cell->words);
	}
}

static void put_value(FILE *out, const struct doc_table *table, const struct doc_row *row,
		      size_t index, struct range range)
{
	const struct doc_column *column = &table->columns[index];
	const struct doc_cell *cell = &row->cells[index];

	if (column->unit == DOC_STACK) {
		put_stack(out, cell);
	} else if (column->unit == DOC_SPARK) {
		fputc('>', out);
		put_spark(out, cell);
	} else if (column->unit == DOC_BAR) {
		fputs(" data-v=\"", out);
		markup_number(out, cell->value);
		fputs("\">", out);
		put_bar(out, column, cell, range);
	} else if ((column->flags & DOC_VIEWED) && table->view_count) {
		put_viewed(out, table, row, cell);
	} else {
		put_number(out, column, cell);
	}
}

static void put_words(FILE *out, const struct doc_column *column, const struct doc_cell *cell)
{
	fputc('>', out);
	if (cell->target)
		put_link(out, cell->target, cell->words);
	else if (column->unit == DOC_CODE) {
		fputs("<code>", out);
		markup_text(out, cell->words);
		fputs("</code>", out);
	} else
		markup_text(out, cell->words);
}

static void put_cell(FILE *out, const struct doc_table *table, const struct doc_row *row,
		     size_t index, struct range range)
{
	const struct doc_column *column = &table->columns[index];
	const struct doc_cell *cell = &row->cells[index];

	fputs("<td", out);
	put_class(out, column, cell, range);
	if (cell->kind == DOC_VALUE)
		put_value(out, table, row, index, range);
	else if (cell->kind == DOC_TEXT)
		put_words(out, column, cell);
	else
		fputc('>', out);
}

static void put_name(FILE *out, const struct doc_row *row)
{
	fputs("<th scope=\"row\"", out);
	markup_attribute(out, "title", row->about);
	fputc('>', out);
	put_swatch(out, row->colour);
	fputs("<bdi>", out);
	if (row->target)
		put_link(out, row->target, row->name);
	else
		markup_text(out, row->name);
	fputs("</bdi>", out);
	if (row->detail) {
		fputs(" <span class=\"where\">", out);
		markup_text(out, row->detail);
		fputs("</span>", out);
	}
}

static bool has_children(const struct doc_table *table, size_t row)
{
	return row + 1 < table->row_count && table->rows[row + 1].level > table->rows[row].level;
}

/* Writes the attributes of a row. */
static void begin_row(FILE *out, const struct doc_table *table, size_t index, bool is_hidden)
{
	const struct doc_row *row = &table->rows[index];

	fputs(row->is_hot ? "<tr class=\"hot\"" : "<tr", out);
	if (row->level)
		fprintf(out, " data-l=\"%u\"", row->level);
	if (row->is_folded && has_children(table, index))
		fputs(" data-f", out);
	if (row->weight != 0) {
		fputs(" data-w=\"", out);
		markup_number(out, row->weight);
		fputc('"', out);
	}
	markup_attribute(out, "data-key", row->key);
	fputs(is_hidden ? " hidden>" : ">", out);
}

static void put_row(FILE *out, const struct doc_table *table, size_t index, bool is_hidden,
		    const struct range *ranges)
{
	const struct doc_row *row = &table->rows[index];

	begin_row(out, table, index, is_hidden);
	if (table->has_names)
		put_name(out, row);
	for (size_t i = 0; i < table->column_count; i++)
		if (is_in_page(&table->columns[i]))
			put_cell(out, table, row, i, ranges[i]);
	fputc('\n', out);
}

/* A row is hidden below one that is folded or hidden itself, and beyond the limit. */
static void put_body(FILE *out, const struct doc_table *table, const struct range *ranges)
{
	unsigned folded = 0; /* rows below this level are hidden; 0: none */
	bool is_beyond = false;
	size_t shown = 0;

	fputs("<tbody>\n", out);
	for (size_t i = 0; i < table->row_count; i++) {
		const struct doc_row *row = &table->rows[i];

		if (row->is_total || !(row->where & DOC_IN_PAGE))
			continue;
		if (!row->level)
			is_beyond = table->limit && shown++ >= table->limit;
		if (folded && row->level < folded)
			folded = 0;
		put_row(out, table, i, is_beyond || folded, ranges);
		if (!folded && row->is_folded)
			folded = row->level + 1;
	}
}

static void put_totals(FILE *out, const struct doc_table *table, const struct range *ranges)
{
	bool has_foot = false;

	for (size_t i = 0; i < table->row_count; i++) {
		if (!table->rows[i].is_total || !(table->rows[i].where & DOC_IN_PAGE))
			continue;
		if (!has_foot)
			fputs("<tfoot>\n", out);
		has_foot = true;
		put_row(out, table, i, false, ranges);
	}
}

static void put_heading(FILE *out, const struct doc_table *table, const struct doc_column *column)
{
	bool is_sorted = table->sorted && strcmp(table->sorted, column->title) == 0;

	fputs("<th scope=\"col\"", out);
	markup_attribute(out, "class", class_of(column));
	markup_attribute(out, "title", column->about);
	if (!(column->flags & DOC_UNSORTED) && column->unit != DOC_STACK &&
	    column->unit != DOC_SPARK && *column->title)
		fprintf(out, " data-sort=\"%c\"", is_words(column) ? 'w' : 'n');
	if ((column->flags & DOC_VIEWED) && table->view_count)
		fputs(" data-viewed", out);
	if (column->unit == DOC_STACK)
		fprintf(out, " data-places=\"%u\"", column->places);
	if (is_sorted)
		markup_attribute(out, "aria-sort",
				 table->is_ascending ? "ascending" : "descending");
	fputc('>', out);
	if (!is_drawn(column))
		put_swatch(out, column->colour);
	markup_text(out, column->title);
}

static void put_names_heading(FILE *out, const struct doc_table *table)
{
	bool is_sorted = table->sorted && strcmp(table->sorted, table->names) == 0;

	fputs("<th scope=\"col\" data-sort=\"w\"", out);
	if (is_sorted)
		markup_attribute(out, "aria-sort",
				 table->is_ascending ? "ascending" : "descending");
	fputc('>', out);
	markup_text(out, table->names);
}

static void put_head(FILE *out, const struct doc_table *table)
{
	fputs("<thead><tr>", out);
	if (table->has_names)
		put_names_heading(out, table);
	for (size_t i = 0; i < table->column_count; i++)
		if (is_in_page(&table->columns[i]))
			put_heading(out, table, &table->columns[i]);
	fputs("</thead>\n", out);
}

static char unit_letter(enum doc_unit unit)
{
	return unit == DOC_PERCENT  ? 'p'
	       : unit == DOC_CHANGE ? 'c'
	       : unit == DOC_SIGNED ? 's'
				    : 'n';
}

static void put_views(FILE *out, const struct doc_table *table)
{
	fputs(" data-whole=\"", out);
	markup_number(out, table->whole);
	fputs("\" data-views=\"[", out);
	for (size_t i = 0; i < table->view_count; i++) {
		const struct doc_view *view = &table->views[i];
		bool is_whole = view->unit == DOC_COUNT || view->unit == DOC_SHORT;

		fputs(i ? ",[" : "[", out);
		markup_json(out, view->label);
		fprintf(out, ",&quot;%c&quot;,%u,%d]", unit_letter(view->unit),
			is_whole ? 0 : view->places, view->by);
	}
	fputs("]\"", out);
}

static void put_parts(FILE *out, const struct doc_table *table)
{
	fputs(" data-parts=\"", out);
	for (size_t i = 0; i < table->part_count; i++)
		fprintf(out, "%s%s", i ? " " : "", doc_colour_class(table->parts[i].colour));
	fputs("\" data-names=\"[", out);
	for (size_t i = 0; i < table->part_count; i++) {
		if (i)
			fputc(',', out);
		markup_json(out, table->parts[i].name);
	}
	fputs("]\"", out);
}

static void begin_table(FILE *out, const struct doc_table *table, const char *id)
{
	size_t columns = table->has_names;

	for (size_t i = 0; i < table->column_count; i++)
		columns += is_in_page(&table->columns[i]);
	fputs("<div class=\"scroll\"><table", out);
	markup_attribute(out, "id", id);
	if (columns >= WIDE_COLUMNS)
		fputs(" class=\"wide\"", out);
	if (table->limit)
		fprintf(out, " data-limit=\"%zu\"", table->limit);
	if (table->has_filter)
		fputs(" data-filter", out);
	if (table->view_count)
		put_views(out, table);
	if (table->part_count)
		put_parts(out, table);
	if (table->can_fill)
		fputs(" data-fill", out);
	fputs(">\n", out);
}

void doc_html_table(FILE *out, const struct doc_block *block)
{
	const struct doc_table *table = block->table;
	struct range *ranges = mem_alloc_array(table->column_count, sizeof(*ranges));

	for (size_t i = 0; i < table->column_count; i++)
		ranges[i] = range_of(table, i);
	begin_table(out, table, block->id);
	if (table->caption) {
		fputs("<caption>", out);
		markup_text(out, table->caption);
		fputs("</caption>\n", out);
	}
	put_head(out, table);
	put_body(out, table, ranges);
	put_totals(out, table, ranges);
	fputs("</table></div>\n", out);
	free(ranges);
}

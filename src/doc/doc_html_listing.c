#include "doc/doc_html_listing.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "doc/doc_html_table.h"
#include "doc/markup.h"

/* Lines and instructions have columns and scales of their own. */
enum side { LINES, INSTRUCTIONS, SIDES };

struct listing {
	FILE *out;
	const struct doc_table *table;
	bool *is_used[SIDES];	/* whether a row of that side has something in the column */
	double *highest[SIDES]; /* of the column's values; of a stack, its length */
};

static enum side side_of(const struct doc_row *row)
{
	return row->level ? INSTRUCTIONS : LINES;
}

static double length_of(const struct doc_cell *cell)
{
	double sum = 0;

	for (size_t i = 0; i < cell->value_count; i++)
		sum += fmax(0, cell->values[i]);
	return sum;
}

static bool has_content(const struct doc_cell *cell)
{
	return cell->kind == DOC_VALUE || (cell->kind == DOC_TEXT && *cell->words) ||
	       cell->value_count;
}

static void survey(const struct listing *l)
{
	for (size_t i = 0; i < l->table->row_count; i++) {
		const struct doc_row *row = &l->table->rows[i];
		const enum side side = side_of(row);

		for (size_t k = 0; k < l->table->column_count; k++) {
			const struct doc_cell *cell = &row->cells[k];
			const double value = cell->value_count	       ? length_of(cell)
					     : cell->kind == DOC_VALUE ? cell->value
								       : 0;

			l->is_used[side][k] |= has_content(cell);
			l->highest[side][k] = fmax(l->highest[side][k], value);
		}
	}
}

static bool is_number(const struct doc_column *column)
{
	return column->unit != DOC_WORDS && column->unit != DOC_CODE && column->unit != DOC_STACK &&
	       column->unit != DOC_BAR && column->unit != DOC_SPARK;
}

static bool is_shown(const struct listing *l, enum side side, size_t column)
{
	return (l->table->columns[column].where & DOC_IN_PAGE) && l->is_used[side][column];
}

static void put_number(const struct listing *l, const struct doc_row *row, size_t column)
{
	const struct doc_column *about = &l->table->columns[column];
	const struct doc_cell *cell = &row->cells[column];
	const unsigned heat = cell->kind == DOC_VALUE && (about->flags & DOC_HEAT)
				      ? doc_html_heat(cell->value, l->highest[side_of(row)][column])
				      : 0;
	char text[MARKUP_VALUE_BYTES];

	fputs("<span class=\"num", l->out);
	if (heat)
		fprintf(l->out, " heat%u", heat);
	fputc('"', l->out);
	if (cell->kind == DOC_VALUE)
		markup_attribute(l->out, "title", about->title);
	fputc('>', l->out);
	if (cell->kind == DOC_VALUE)
		fputs(cell_number(text, about->unit, about->places, about->flags, cell->value,
				  about->unit == DOC_COUNT || about->unit == DOC_SHORT
					  ? CELL_SHORT
					  : CELL_GROUPED),
		      l->out);
	else if (cell->kind == DOC_TEXT)
		markup_text(l->out, cell->words);
	fputs("</span>", l->out);
}

/* Title, and for each part its class, name, value and share. */
static void put_tip(const struct listing *l, const struct doc_row *row, const struct doc_cell *cell,
		    const struct doc_column *column)
{
	const double whole = length_of(cell);

	fputs(" data-tip=\"", l->out);
	markup_text(l->out, row->name);
	for (size_t i = 0; i < cell->value_count && i < l->table->part_count; i++) {
		const struct doc_part *part = &l->table->parts[i];
		char text[MARKUP_VALUE_BYTES];

		if (cell->values[i] == 0)
			continue;
		fprintf(l->out, "&#10;%s&#9;", doc_colour_class(part->colour));
		markup_text(l->out, part->name);
		fprintf(l->out, "&#9;%s",
			markup_value(text, DOC_NUMBER, column->places, false, cell->values[i]));
		fprintf(l->out, "&#9;%s",
			markup_value(text, DOC_PERCENT, 1, false,
				     whole > 0 ? cell->values[i] / whole : 0));
	}
	fputc('"', l->out);
}

/* Stacks are as long as their sums beside those of all rows of their side. */
static void put_stack(const struct listing *l, const struct doc_row *row, size_t column)
{
	const struct doc_cell *cell = &row->cells[column];
	const double highest = l->highest[side_of(row)][column];
	double at = 0;

	if (!cell->value_count || highest <= 0) {
		fputs("<span class=\"barplace\"></span>", l->out);
		return;
	}
	fputs("<span class=\"barplace\"", l->out);
	put_tip(l, row, cell, &l->table->columns[column]);
	fputs("><svg class=\"bar small\" aria-hidden=\"true\">", l->out);
	for (size_t i = 0; i < cell->value_count && i < l->table->part_count; i++) {
		const double width = 100 * fmax(0, cell->values[i]) / highest;

		if (width <= 0)
			continue;
		fprintf(l->out, "<rect class=\"%s\" x=\"",
			doc_colour_class(l->table->parts[i].colour));
		markup_length(l->out, at);
		fputs("%\" width=\"", l->out);
		markup_length(l->out, width);
		fputs("%\" height=\"100%\"/>", l->out);
		at += width;
	}
	fputs("</svg></span>", l->out);
}

/* The indentation of a line is part of it, and tabs are spaces in a page. */
static void put_code(FILE *out, const char *text)
{
	fputs("<code>", out);
	for (; *text == '\t'; text++)
		fputs("    ", out);
	markup_text(out, text);
	fputs("</code>", out);
}

static void put_words(const struct listing *l, const struct doc_row *row, size_t column)
{
	const struct doc_column *about = &l->table->columns[column];
	const struct doc_cell *cell = &row->cells[column];

	if (cell->kind != DOC_TEXT || !*cell->words)
		return;
	if (about->unit == DOC_CODE) {
		put_code(l->out, cell->words);
		return;
	}
	fputs(" <small", l->out);
	markup_attribute(l->out, "title", about->title);
	fputc('>', l->out);
	markup_text(l->out, cell->words);
	fputs("</small>", l->out);
}

/* Numbers, stacks, then code with the words about it. */
static void put_row(const struct listing *l, const struct doc_row *row)
{
	const enum side side = side_of(row);
	const struct doc_table *table = l->table;

	fprintf(l->out, "<div class=\"%s%s\"><span class=\"no\">", side == LINES ? "at" : "at insn",
		row->is_hot ? " hot" : "");
	markup_text(l->out, row->name);
	fputs("</span>", l->out);
	for (size_t i = 0; i < table->column_count; i++)
		if (is_shown(l, side, i) && is_number(&table->columns[i]))
			put_number(l, row, i);
	for (size_t i = 0; i < table->column_count; i++)
		if (is_shown(l, side, i) && table->columns[i].unit == DOC_STACK)
			put_stack(l, row, i);
	fputs("<span class=\"what\">", l->out);
	for (size_t i = 0; i < table->column_count; i++)
		if (is_shown(l, side, i) &&
		    (table->columns[i].unit == DOC_WORDS || table->columns[i].unit == DOC_CODE))
			put_words(l, row, i);
	fputs("</span></div>\n", l->out);
}

static void put_titles(const struct listing *l, enum side side, const char *name, const char *code)
{
	const struct doc_table *table = l->table;

	fprintf(l->out, "<div class=\"%s\"><span class=\"no\">", side == LINES ? "at" : "at insn");
	markup_text(l->out, name);
	fputs("</span>", l->out);
	for (size_t i = 0; i < table->column_count; i++)
		if (is_shown(l, side, i) && is_number(&table->columns[i])) {
			fputs("<span class=\"num\">", l->out);
			markup_text(l->out, table->columns[i].title);
			fputs("</span>", l->out);
		}
	for (size_t i = 0; i < table->column_count; i++)
		if (is_shown(l, side, i) && table->columns[i].unit == DOC_STACK) {
			fputs("<span class=\"barplace\">", l->out);
			markup_text(l->out, table->columns[i].title);
			fputs("</span>", l->out);
		}
	fprintf(l->out, "<span class=\"what\">%s</span></div>\n", code);
}

static void put_head(const struct listing *l)
{
	fputs("<div class=\"pair head\">\n", l->out);
	put_titles(l, LINES, l->table->names, "source");
	fputs("<div class=\"insns\">\n", l->out);
	put_titles(l, INSTRUCTIONS, "address", "instruction");
	fputs("</div></div>\n", l->out);
}

/* A line and what is below it; returns the row after these. */
static size_t put_pair(const struct listing *l, size_t at)
{
	const struct doc_table *table = l->table;

	fputs("<div class=\"pair\">\n", l->out);
	put_row(l, &table->rows[at++]);
	if (at < table->row_count && table->rows[at].level) {
		fputs("<div class=\"insns\">\n", l->out);
		while (at < table->row_count && table->rows[at].level)
			put_row(l, &table->rows[at++]);
		fputs("</div>", l->out);
	}
	fputs("</div>\n", l->out);
	return at;
}

static size_t count_lines(const struct doc_table *table)
{
	size_t count = 0;

	for (size_t i = 0; i < table->row_count; i++)
		count += !table->rows[i].level;
	return count;
}

static void put_pairs(const struct listing *l)
{
	const size_t limit = l->table->limit, lines = count_lines(l->table);
	size_t shown = 0;

	for (size_t at = 0; at < l->table->row_count; shown++) {
		if (limit && shown == limit)
			fprintf(l->out,
				"<details class=\"rest\"><summary>%zu more lines</summary>\n",
				lines - shown);
		at = put_pair(l, at);
	}
	if (limit && shown > limit)
		fputs("</details>\n", l->out);
}

void doc_html_listing(FILE *out, const struct doc_block *block)
{
	struct listing l = {.out = out, .table = block->table};

	for (unsigned i = 0; i < SIDES; i++) {
		l.is_used[i] = mem_alloc_array(l.table->column_count, sizeof(*l.is_used[i]));
		l.highest[i] = mem_alloc_array(l.table->column_count, sizeof(*l.highest[i]));
	}
	survey(&l);
	fputs("<div class=\"listing\"", out);
	markup_attribute(out, "id", block->id);
	fputs(">\n", out);
	put_head(&l);
	put_pairs(&l);
	fputs("</div>\n", out);
	for (unsigned i = 0; i < SIDES; i++) {
		free(l.is_used[i]);
		free(l.highest[i]);
	}
}

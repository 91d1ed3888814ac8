#include "doc/cell.h"

#include <stdio.h>
#include <string.h>

#include "doc/number.h"

#define NO_BREAK "\302\240" /* a space at which no line breaks */

static bool is_viewed(const struct doc_table *table, size_t column)
{
	return (table->columns[column].flags & DOC_VIEWED) && table->view_count;
}

static double view_divisor(const struct doc_table *table, const struct doc_row *row)
{
	if (table->views[0].by == DOC_BY_NOTHING)
		return 1;
	return table->views[0].by == DOC_BY_WHOLE ? table->whole : row->weight;
}

double cell_value(const struct doc_table *table, const struct doc_row *row, size_t column)
{
	const double value = row->cells[column].value;

	if (!is_viewed(table, column))
		return value;
	const double divisor = view_divisor(table, row);

	return divisor != 0 ? value / divisor : 0;
}

const char *cell_number(char text[CELL_BYTES], enum doc_unit unit, unsigned places, unsigned flags,
			double value, enum cell_form form)
{
	const bool is_share = unit == DOC_PERCENT || unit == DOC_CHANGE;
	const bool is_count = unit == DOC_COUNT || unit == DOC_SHORT;
	char number[NUMBER_BYTES];

	if (is_share)
		value *= 100;
	if (is_count && (form == CELL_SHORT || (unit == DOC_SHORT && form == CELL_PLAIN)))
		number_short(number, value);
	else if (form == CELL_GROUPED)
		number_grouped(number, value, is_count ? 0 : places);
	else
		number_plain(number, value, is_count ? 0 : places);
	const bool has_sign = (unit == DOC_CHANGE || unit == DOC_SIGNED) &&
			      strpbrk(number, "123456789") && number[0] != '-';
	snprintf(text, CELL_BYTES, "%s%s%s", has_sign ? "+" : "", number,
		 !is_share || (flags & DOC_BARE) ? ""
		 : form == CELL_GROUPED		 ? NO_BREAK "%"
						 : "%");
	return text;
}

const char *cell_text(char text[CELL_BYTES], const struct doc_table *table,
		      const struct doc_row *row, size_t column, enum cell_form form)
{
	const struct doc_column *c = &table->columns[column];
	const struct doc_cell *cell = &row->cells[column];
	const bool viewed = is_viewed(table, column);

	if (cell->kind == DOC_TEXT)
		return cell->words;
	if (cell->shown)
		return cell->shown;
	if (c->unit == DOC_BAR || c->unit == DOC_STACK || c->unit == DOC_SPARK)
		return "";
	if (cell->kind == DOC_NONE)
		return c->unit == DOC_WORDS || c->unit == DOC_CODE ? "" : "-";
	cell_number(text, viewed ? table->views[0].unit : c->unit,
		    viewed ? table->views[0].places : c->places, c->flags,
		    cell_value(table, row, column), form);
	if (cell->words) {
		const size_t used = strlen(text);

		snprintf(text + used, CELL_BYTES - used, "%s", cell->words);
	}
	return text;
}

bool cell_stands_out(const struct doc_table *table, const struct doc_row *row, size_t column)
{
	const struct doc_column *c = &table->columns[column];
	const struct doc_cell *cell = &row->cells[column];

	return cell->is_marked ||
	       (cell->kind == DOC_VALUE && (((c->flags & DOC_RED) && cell->value < 0) ||
					    ((c->flags & DOC_LIMIT) && cell->value > c->limit)));
}

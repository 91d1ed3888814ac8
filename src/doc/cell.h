/*
 * cell.h - what a cell of a table says, in the unit of its column or in the view of its table.
 */
#ifndef DOC_CELL_H
#define DOC_CELL_H

#include "doc/doc.h"

#define CELL_BYTES 64

enum cell_form {
	CELL_PLAIN,   /* 1234567, 12.3% */
	CELL_SHORT,   /* 1.23M */
	CELL_GROUPED, /* 1,234,567, and a space before the percent sign: for a page */
};

/* A value in this unit. */
const char *cell_number(char text[CELL_BYTES], enum doc_unit unit, unsigned places, unsigned flags,
			double value, enum cell_form form);
/* The text of a cell, in `text` or owned by the document; "" of a bar, "-" of a number that is
 * absent. */
const char *cell_text(char text[CELL_BYTES], const struct doc_table *table,
		      const struct doc_row *row, size_t column, enum cell_form form);
/* The value as the column or the first view shows it: what CELL_BYTES of text are made from. */
double cell_value(const struct doc_table *table, const struct doc_row *row, size_t column);
/* Whether it is marked, below 0 where that stands out, or above the limit of its column. */
bool cell_stands_out(const struct doc_table *table, const struct doc_row *row, size_t column);

#endif

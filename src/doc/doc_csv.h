/*
 * doc_csv.h - a table of a document as CSV (RFC 4180): a line of titles, then a line for each row,
 * with every row whatever text or page show at first.
 *
 * Numbers are written with all their digits and without units: percentages as fractions. A stack
 * has a column for each of its parts. Rows below other rows have the names of these in columns
 * before their own. What a spreadsheet would compute is quoted by an apostrophe.
 */
#ifndef DOC_DOC_CSV_H
#define DOC_DOC_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "doc/doc.h"

/* The table with that id; NULL: the first one that CSV has. False with a sentence that lists the
 * tables there are. */
bool doc_csv_write(FILE *out, const struct doc *doc, const char *id, struct err *err);

#endif

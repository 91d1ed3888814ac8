/*
 * doc_html_table.h - a table of a document in a page.
 *
 * All rows are in the HTML; those beyond the limit and those below a folded row are hidden until
 * the script shows them. What the script needs is in attributes:
 *   table  data-limit, data-parts (classes of a stack's parts), data-names (their names, JSON),
 *          data-views ([[label, unit, places, by]...], JSON), data-whole, data-filter, data-fill
 *   th     data-sort: n (numbers) or w (words); absent where there is nothing to sort
 *   tr     data-l (its level, if not 0), data-f (it is folded), data-w (its weight), data-key
 *   td     data-v (the value behind what is shown), data-s (the values of a stack)
 */
#ifndef DOC_DOC_HTML_TABLE_H
#define DOC_DOC_HTML_TABLE_H

#include <stdio.h>

#include "doc/doc.h"

void doc_html_table(FILE *out, const struct doc_block *block);
/* How strongly a value is shaded beside the highest of its column: the number of the class, or 0.
 */
unsigned doc_html_heat(double value, double highest);

#endif

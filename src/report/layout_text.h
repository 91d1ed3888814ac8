/*
 * layout_text.h - the format of every result as a page of documentation (Markdown), from the
 * tables of value/: results, their parts, members, units and meanings, components and causes.
 *
 * docs/results-format.md is its output; it contains only what the tables contain.
 */
#ifndef REPORT_LAYOUT_TEXT_H
#define REPORT_LAYOUT_TEXT_H

#include <stdio.h>

void layout_text_print(FILE *out);

#endif

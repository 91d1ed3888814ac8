/*
 * reproduce_page.h - the page of a reproduction: every table and figure of a paper with our
 * numbers, beside each what the paper states.
 *
 * A pure function of the result (schema cyclestack-reproduce-1). Claims, what the paper
 * states, tables, interval plots and the example stack are plain HTML and SVG; stacks,
 * errors and penalties are drawn in the reader's browser by the scripts of the judgement's
 * page, under the paper's figures. It asks for nothing from any network; see page/html.h.
 */
#ifndef REPORT_PAPERS_REPRODUCE_PAGE_H
#define REPORT_PAPERS_REPRODUCE_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "base/err.h"

/* As page_write. */
bool reproduce_page_write(FILE *out, const json_t *result, struct err *err);

#endif

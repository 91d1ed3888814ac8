/*
 * paper_page.h - the page of a reproduction: every table and figure of a paper with our numbers,
 * beside each what the paper states.
 *
 * A pure function of the paper and the result (schema cyclestack-reproduce-1). Everything is plain
 * HTML and SVG; where a figure shows a part of a judgement, the scripts of the judgement's page
 * replace it by their own (paper_figure's script_part). The page makes no network request; see
 * page/html.h.
 */
#ifndef REPORT_PAPERS_PAPER_PAGE_H
#define REPORT_PAPERS_PAPER_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "base/err.h"
#include "report/papers/paper.h"

/* As page_write. What the paper states is read from the result, which may be older than the
 * tables. */
bool paper_page_write(FILE *out, const struct paper *paper, const json_t *result, struct err *err);

#endif

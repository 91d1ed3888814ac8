/*
 * run_page.h - the page of a run: where the cycles were spent, in one HTML file.
 *
 * A pure function of the result (schema cyclestack-run-2): the same result gives the same bytes.
 * The stack of the whole run is plain HTML; functions with their lines, instructions, the stack
 * over time, the counter architectures side by side and the other views are drawn in the reader's
 * browser from the result, which the page contains. The page makes no network request; see
 * page/html.h.
 *
 * It shows what the result contains and computes nothing new: no source text (the page may be read
 * where the source is not available), no call graph.
 */
#ifndef REPORT_PAGE_RUN_PAGE_H
#define REPORT_PAGE_RUN_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "base/err.h"

/* False with a sentence, before anything is written, if `result` is not such a result; and if
 * writing to `out` fails. The caller keeps `out`, which stays open. */
bool page_write(FILE *out, const json_t *result, struct err *err);

#endif

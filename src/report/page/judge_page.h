/*
 * judge_page.h - the page of a judgement: counter architectures beside the truth.
 *
 * A pure function of the result (schema cyclestack-judge-1). Draws what Eyerman, Eeckhout,
 * Karkhanis and Smith (2006) drew: normalised stacks side by side (figure 11), errors (figure 12),
 * cycles per miss and per misprediction (figures 4, 6 and 9), overlap (table 1); also storage, and
 * the losses of the shared table. Errors are plain HTML; the rest is drawn in the reader's
 * browser.
 *
 * It contains no number from a paper, except the line at 4 % in the drawing of the errors.
 */
#ifndef REPORT_PAGE_JUDGE_PAGE_H
#define REPORT_PAGE_JUDGE_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "base/err.h"

/* As page_write. */
bool judge_page_write(FILE *out, const json_t *judge, struct err *err);

#endif

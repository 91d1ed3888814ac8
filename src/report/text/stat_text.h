/*
 * stat_text.h - a result of `stat` as a table: each counter with its total, its mean in an interval
 * and a sparkline of all intervals; then the derived values. A total that is a lower bound, because
 * a counter saturated, begins with ">=".
 */
#ifndef REPORT_TEXT_STAT_TEXT_H
#define REPORT_TEXT_STAT_TEXT_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "report/text/terminal.h"

void stat_text_print(FILE *out, const json_t *result, const struct terminal *terminal);

/* Prints values in `columns` columns, or fewer if there are fewer: each is the mean of as many of
 * them as it stands for, from nothing to the highest. Without UTF-8 in digits 0 to 7. */
void stat_text_spark(FILE *out, const struct terminal *terminal, const double *values, size_t count,
		     unsigned columns);

#endif

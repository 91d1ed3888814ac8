/*
 * stat_page.h - a result of `stat` as one page: every counter with its total and a drawing of all
 * intervals; below it the intervals as numbers. Without scripts.
 */
#ifndef REPORT_PAGE_STAT_PAGE_H
#define REPORT_PAGE_STAT_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

bool stat_page_write(FILE *out, const json_t *result, struct err *err);

#endif

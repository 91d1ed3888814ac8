/*
 * reproduce_check.h - is this a reproduction that a page can be made of? As check.h, for
 * schema cyclestack-reproduce-1.
 */
#ifndef REPORT_PAPERS_REPRODUCE_CHECK_H
#define REPORT_PAPERS_REPRODUCE_CHECK_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"

bool page_check_reproduce(const json_t *result, struct err *err);

#endif

/*
 * inspect_page.h - an inspection (schema cyclestack-inspect-1) as one self-contained page: the
 * verdicts, and the plots of the paper for the machine inspected.
 */
#ifndef REPORT_PAGE_INSPECT_PAGE_H
#define REPORT_PAGE_INSPECT_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

bool inspect_page_write(FILE *out, const json_t *result, struct err *err);

#endif

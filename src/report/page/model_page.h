/*
 * model_page.h - a result of `model` as one page: for every parameter of the grid the CPI over its
 * values, components stacked, with the simulated points beside them where there are any; a table of
 * all points; the explanation if there is one.
 */
#ifndef REPORT_PAGE_MODEL_PAGE_H
#define REPORT_PAGE_MODEL_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* False with a sentence if the JSON is not such a result, or cannot be written. */
bool model_page_write(FILE *out, const json_t *result, struct err *err);

#endif

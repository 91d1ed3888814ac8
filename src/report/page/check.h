/*
 * check.h - is this a result that a page can be made of?
 *
 * A result may come from a file that someone edited, and the scripts of a page
 * take every member they use for what it should be; so that is looked at here,
 * and what is wrong is said in one sentence before anything is written. Members
 * that a page can do without may be missing; members it does not know are let be.
 */
#ifndef REPORT_PAGE_CHECK_H
#define REPORT_PAGE_CHECK_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"

bool page_check_run(const json_t *result, struct err *err);
bool page_check_judge(const json_t *judge, struct err *err);

#endif

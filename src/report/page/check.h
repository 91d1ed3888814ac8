/*
 * check.h - whether a page can be made of a result of `judge`: it has its layout. Only the
 * reproduction's own check still asks this here; everything else calls layout_check.
 */
#ifndef REPORT_PAGE_CHECK_H
#define REPORT_PAGE_CHECK_H

#include <stdbool.h>

#include <jansson.h>

#include "base/err.h"
#include "value/layout.h"

static inline bool page_check_judge(const json_t *judge, struct err *err)
{
	return layout_check(judge, &layout_judge, err);
}

#endif

/*
 * reproduce_page.h - the page of a reproduction of Eyerman et al. (2006), whatever name the
 * result gives its paper: for the page tests, whose samples name one of their own.
 */
#ifndef REPORT_PAPERS_REPRODUCE_PAGE_H
#define REPORT_PAPERS_REPRODUCE_PAGE_H

#include "report/papers/paper_eyerman2006.h"
#include "report/papers/paper_page.h"

static inline bool reproduce_page_write(FILE *out, const json_t *result, struct err *err)
{
	return paper_page_write(out, &paper_eyerman2006, result, err);
}

#endif

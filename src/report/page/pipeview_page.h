/*
 * pipeview_page.h - a pipeline as one self-contained page: a row per instruction, a column per
 * cycle, the same as in the terminal. It has no script; a pointer over a stage names it.
 */
#ifndef REPORT_PAGE_PIPEVIEW_PAGE_H
#define REPORT_PAGE_PIPEVIEW_PAGE_H

#include "report/text/pipeview_text.h"

/* False with a sentence if the stream cannot be written. */
bool pipeview_page_write(FILE *out, const struct kanata *kanata, const struct pipeview_range *range,
			 struct err *err);

#endif

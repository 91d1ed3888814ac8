/*
 * run_text.h - a result of `run`, for people: where the cycles went, as text.
 *
 * The stack of the whole run, what each counter architecture makes of it, the
 * hottest functions with a stack each, threads and intervals where there are any. A
 * pure function of the result: same result and terminal, same text. No line is wider
 * than the terminal; everything can be read without colour.
 *
 * In the bars of functions, threads and instructions the whole bar is that
 * function's cycles; in those of intervals the length is the CPI.
 */
#ifndef REPORT_TEXT_RUN_TEXT_H
#define REPORT_TEXT_RUN_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/terminal.h"

/* At most `functions` of the hottest; 0 leaves them out. A result that cannot be shown
 * gives one sentence that says why. */
void run_text_print(FILE *out, const json_t *result, const struct terminal *terminal,
		    unsigned functions);

#endif

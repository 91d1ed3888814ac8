/*
 * run_text.h - a result of `run` as text: where the cycles were spent.
 *
 * The stack of the whole run, the stack of each counter architecture, the hottest functions with a
 * stack each, and threads and intervals if there are any. A pure function of the result: the same
 * result and terminal give the same text. No line is wider than the terminal; everything can be
 * read without colour.
 *
 * In the bars of functions, threads and instructions the whole bar is that function's cycles; in
 * those of intervals the length is the CPI.
 */
#ifndef REPORT_TEXT_RUN_TEXT_H
#define REPORT_TEXT_RUN_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/terminal.h"

/* Shows at most `functions` of the hottest; 0 shows none. For a result that cannot be shown it
 * prints one sentence with the reason. */
void run_text_print(FILE *out, const json_t *result, const struct terminal *terminal,
		    unsigned functions);

#endif

/*
 * annotate.h - one function of a result of `run --annotate`, line by line: the cycles of each
 * source line and, below it, of its instructions, with their causes.
 *
 * Source text comes from where source.h finds it; without it there are line numbers only, and the
 * directory to add is named. No line is wider than the terminal.
 */
#ifndef REPORT_TEXT_ANNOTATE_H
#define REPORT_TEXT_ANNOTATE_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/source.h"
#include "report/text/terminal.h"

/* With sources from below the working directory. A result that cannot be shown, or has no
 * annotation, gives one sentence. */
void annotate_print(FILE *out, const json_t *result, const struct terminal *terminal);
/* The same with sources from below these directories alone. */
void annotate_print_from(FILE *out, const json_t *result, const struct terminal *terminal,
			 const struct source_roots *sources);

#endif

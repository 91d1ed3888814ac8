/*
 * annotate.h - one function of a result of `run --annotate`, line by line: the cycles of each
 * source line and, below it, of its instructions, with their causes.
 *
 * Source text is read from the file that the result names, or from a file of the same base name in
 * the current directory; without either, only line numbers are shown. A file that has changed
 * since the program was built is not detected. Only regular files of at most 16 MB are read. No
 * line is wider than the terminal.
 */
#ifndef REPORT_TEXT_ANNOTATE_H
#define REPORT_TEXT_ANNOTATE_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/terminal.h"

/* A result that cannot be shown, or has no annotation, gives one sentence. */
void annotate_print(FILE *out, const json_t *result, const struct terminal *terminal);

#endif

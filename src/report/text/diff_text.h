/*
 * diff_text.h - a comparison of two results as text: notes, cycles, instructions and CPI, the
 * functions and lines whose cycles changed, then every other value that differs.
 *
 * Only the ten functions and the ten lines with the largest change are shown. Their names are cut
 * to the width of the terminal; a value's name is not.
 */
#ifndef REPORT_TEXT_DIFF_TEXT_H
#define REPORT_TEXT_DIFF_TEXT_H

#include <stdio.h>

#include "report/compare/compare.h"
#include "report/text/terminal.h"

void diff_text_print(FILE *out, const struct comparison *c, const struct terminal *terminal);

#endif

/*
 * events_text.h - some of the counted values of a result of `run`, one a line, as `perf stat -e`
 * prints them: the value, its name, how many that is a thousand instructions, what it counts.
 *
 * Values are chosen by a list of names or patterns with commas between them; their rows are those
 * of value/counted.def.
 */
#ifndef REPORT_TEXT_EVENTS_TEXT_H
#define REPORT_TEXT_EVENTS_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "report/text/terminal.h"

/* False with a sentence if a word of the list matches no value. */
bool events_text_check(const char *list, struct err *err);
/* Each value at most once, in the order of the rows. */
void events_text_print(FILE *out, const json_t *result, const struct terminal *terminal,
		       const char *list);

#endif

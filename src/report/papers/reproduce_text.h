/*
 * reproduce_text.h - a reproduction (schema cyclestack-reproduce-1) for people, as text:
 * every table and figure of the paper with our numbers, beside each what the paper states,
 * and its claims with our verdict.
 *
 * Curves are rows of digits here, one for each few cycles; the page draws them.
 */
#ifndef REPORT_PAPERS_REPRODUCE_TEXT_H
#define REPORT_PAPERS_REPRODUCE_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/terminal.h"

void reproduce_text_print(FILE *out, const json_t *result, const struct terminal *terminal);

#endif

/*
 * paper_text.h - a reproduction (schema cyclestack-reproduce-1) for people, as text: every table
 * and figure of the paper with our numbers, beside each what the paper states, and its claims
 * with our verdict.
 */
#ifndef REPORT_PAPERS_PAPER_TEXT_H
#define REPORT_PAPERS_PAPER_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "report/papers/paper.h"
#include "report/text/terminal.h"

void paper_text_print(FILE *out, const struct paper *paper, const json_t *result,
		      const struct terminal *terminal);

#endif

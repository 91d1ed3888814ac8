/*
 * content_text.h - content for a terminal: paragraphs and tables in full, plots as rows of digits,
 * one for each few values. Stacks and bars are left out; a table has their numbers.
 */
#ifndef REPORT_PAPERS_CONTENT_TEXT_H
#define REPORT_PAPERS_CONTENT_TEXT_H

#include <stdio.h>

#include "report/papers/content.h"
#include "report/text/terminal.h"

void content_text_print(FILE *out, const struct content *content, const struct terminal *terminal);

#endif

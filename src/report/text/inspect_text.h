/*
 * inspect_text.h - the verdicts on events as a table (schema cyclestack-inspect-1).
 */
#ifndef REPORT_TEXT_INSPECT_TEXT_H
#define REPORT_TEXT_INSPECT_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/terminal.h"

void inspect_text_print(FILE *out, const json_t *result, const struct terminal *terminal);

#endif

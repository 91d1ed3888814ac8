/*
 * judge_text.h - a result of `judge` (schema cyclestack-judge-1) as text: every program's stacks
 * beside the truth, the errors of all methods, the cycles that each charges per event, overlap,
 * the losses of sFMT's clearing, and storage.
 */
#ifndef REPORT_TEXT_JUDGE_TEXT_H
#define REPORT_TEXT_JUDGE_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/terminal.h"

void judge_text_print(FILE *out, const json_t *result, const struct terminal *terminal);

#endif

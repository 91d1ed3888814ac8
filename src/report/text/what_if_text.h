/*
 * what_if_text.h - prints what a run says of other machines: a line for each, with the error that
 * was measured for that kind of change.
 */
#ifndef REPORT_TEXT_WHAT_IF_TEXT_H
#define REPORT_TEXT_WHAT_IF_TEXT_H

#include <jansson.h>

#include "report/text/terminal.h"

/* What the columns mean, in text and on the page. */
#define WHAT_IF_NOTE                                                                            \
	"Estimated from this run, whose committed instructions are timed again on the changed " \
	"machine with the misses and mispredictions they had. gain: the part of the cycles "    \
	"that would go away. error: how far estimates of this kind of change were from "        \
	"simulations over the workloads, in percent of the cycles, mean and largest."

/* Nothing if the result has no such member. */
void what_if_text_print(FILE *out, const json_t *result, const struct terminal *terminal);

#endif

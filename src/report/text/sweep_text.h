/*
 * sweep_text.h - a result of `sweep` (schema cyclestack-sweep-1) as text: a row for each program
 * and machine with cycles, CPI, how much longer it takes than the program's first machine, and the
 * components of the CPI.
 */
#ifndef REPORT_TEXT_SWEEP_TEXT_H
#define REPORT_TEXT_SWEEP_TEXT_H

#include <jansson.h>
#include <stdio.h>

void sweep_text_print(FILE *out, const json_t *result);

#endif

/*
 * summary_text.h - the counted values of a result of `run`, for people: cycles, instructions,
 * mispredictions, and what each cache and TLB was asked and missed.
 *
 * A pure function of the result's "values". A structure that was never accessed, such as a
 * cache the machine does not have, is left out. Where the cycles went is not here but in
 * run_text.h: a result without stacks has a summary too.
 */
#ifndef REPORT_TEXT_SUMMARY_TEXT_H
#define REPORT_TEXT_SUMMARY_TEXT_H

#include <jansson.h>
#include <stdio.h>

void summary_text_print(FILE *out, const json_t *result);

#endif

/*
 * summary_text.h - the counted values of a result of `run` as text: cycles, instructions,
 * mispredictions, and the accesses and misses of each cache and TLB.
 *
 * A pure function of the result's "values". A structure that was never accessed, such as a cache
 * that the machine does not have, is left out. Stacks are not here but in run_text.h: a result
 * without stacks has a summary too.
 */
#ifndef REPORT_TEXT_SUMMARY_TEXT_H
#define REPORT_TEXT_SUMMARY_TEXT_H

#include <jansson.h>
#include <stdio.h>

void summary_text_print(FILE *out, const json_t *result);

#endif

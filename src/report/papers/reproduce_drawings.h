/*
 * reproduce_drawings.h - the drawings of a reproduction (schema cyclestack-reproduce-1) that
 * need no script: interval plots, the example stack, the errors.
 *
 * Each is a pure function of the result. The same drawing goes into the page and, with
 * colours of its own, into a file for documentation.
 */
#ifndef REPORT_PAPERS_REPRODUCE_DRAWINGS_H
#define REPORT_PAPERS_REPRODUCE_DRAWINGS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* One of the result's "plots". */
void reproduce_draw_interval(FILE *out, const json_t *plot, bool is_page);
/* A program of the judgement: its simulated stacks and every method's, in cycles per
 * instruction. */
void reproduce_draw_stacks(FILE *out, const json_t *program, bool is_page);
/* The largest error of each method on each program of a judgement, and the mean. */
void reproduce_draw_errors(FILE *out, const json_t *judge, bool is_page);

#endif

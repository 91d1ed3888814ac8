/*
 * bar.h - a stack as one line of letters, one column or more for each component.
 */
#ifndef REPORT_TEXT_BAR_H
#define REPORT_TEXT_BAR_H

#include <stdio.h>

#include "value/component.h"

struct terminal;

/* Divides the columns a bar of `whole` would fill among the parts that are above
 * zero, by largest remainder: the segments add up to the rounded share of the sum,
 * and never to more than `columns`. */
void bar_segments(const struct stack *stack, double whole, unsigned columns,
		  unsigned segments[COMPONENT_COUNT]);

/* One bar of letters, coloured if the terminal is; no padding. Returns its columns. */
unsigned bar_put(FILE *out, const struct terminal *terminal, const struct stack *stack,
		 double whole, unsigned columns);

#endif

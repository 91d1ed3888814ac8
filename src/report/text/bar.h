/*
 * bar.h - a stack as one line of letters, one column or more for each component.
 */
#ifndef REPORT_TEXT_BAR_H
#define REPORT_TEXT_BAR_H

#include <stdio.h>

#include "value/component.h"

struct terminal;

/* Divides the columns that a bar of `whole` would fill among the positive parts, by largest
 * remainder: the segments add up to the rounded share of the sum, and never to more than
 * `columns`. */
void bar_segments(const struct stack *stack, double whole, unsigned columns,
		  unsigned segments[COMPONENT_COUNT]);

/* Prints one bar of letters, coloured if the terminal is, without padding. Returns its columns. */
unsigned bar_put(FILE *out, const struct terminal *terminal, const struct stack *stack,
		 double whole, unsigned columns);

#endif

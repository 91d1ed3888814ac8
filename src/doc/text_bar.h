/*
 * text_bar.h - bars in a line of text: of one value, of stacked parts, and small curves.
 */
#ifndef DOC_TEXT_BAR_H
#define DOC_TEXT_BAR_H

#include <stddef.h>
#include <stdio.h>

#include "doc/doc.h"
#include "doc/terminal.h"

/* How many of the columns each part of a stack gets: parts below 0 get none; the columns add up to
 * the share that the sum has of `whole`, or to all of them if that is less than the sum. */
void text_bar_segments(const double *values, size_t count, double whole, unsigned columns,
		       unsigned *segments);
/* A stacked bar; returns the columns it took. */
unsigned text_bar_stack(FILE *out, const struct terminal *terminal, const struct doc_part *parts,
			const double *values, size_t count, double whole, unsigned columns);
/* A bar of one value, `share` of the columns long: in eighths of a block if the terminal has such
 * characters. Returns the columns it took, as does the next. */
unsigned text_bar_one(FILE *out, const struct terminal *terminal, struct doc_colour colour,
		      double share, unsigned columns);
/* A character for each value, or for the mean of neighbours if there are more than columns. */
unsigned text_bar_spark(FILE *out, const struct terminal *terminal, const double *values,
			size_t count, unsigned columns);

#endif

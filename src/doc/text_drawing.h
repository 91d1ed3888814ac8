/*
 * text_drawing.h - drawings, flame graphs and pipelines of a document as text.
 *
 * Stacks are bars of letters, what goes over time is a line for each stretch of it, a plot is rows
 * of digits or bars. Grouped bars are not drawn: the table beside them has their numbers.
 */
#ifndef DOC_TEXT_DRAWING_H
#define DOC_TEXT_DRAWING_H

#include <stdio.h>

#include "doc/doc.h"
#include "doc/terminal.h"

void text_drawing_print(FILE *out, const struct doc_drawing *drawing,
			const struct terminal *terminal);
void text_flame_print(FILE *out, const struct doc_flame *flame, const struct terminal *terminal);
void text_pipeline_print(FILE *out, const struct doc_pipeline *pipeline,
			 const struct terminal *terminal);

/* "=:base i:l1i": the letters of parts. */
void text_legend_print(FILE *out, const struct doc_part *parts, size_t count,
		       const struct terminal *terminal);

#endif

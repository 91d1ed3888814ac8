/*
 * doc_html_drawing.h - drawings of a document in a page: SVG, a legend beside it where the picture
 * has none, and the values for who points at it.
 *
 * A figure of class flame has a g of class node for each node, in the order of the document: its
 * rect, whose words begin with the name, and a text where there is room.
 *
 * data-values of a figure is JSON: {"width", "left", "right": pixels of the picture and of its x
 * axis; "first", "last": range of the axis; "ends": where each value ends (absent: they are one
 * wide) or "xs": where each is; "name" of one value or "titles" of all; "shown", "other"; "places",
 * "percent"; "series": [[class, words, values, others]...]}.
 */
#ifndef DOC_DOC_HTML_DRAWING_H
#define DOC_DOC_HTML_DRAWING_H

#include <stdio.h>

#include "doc/doc.h"

void doc_html_drawing(FILE *out, const struct doc_drawing *drawing);
void doc_html_flame(FILE *out, const struct doc_block *block);
void doc_html_pipeline(FILE *out, const struct doc_block *block);
/* One entry of a legend. */
void doc_html_key(FILE *out, struct doc_colour colour, const char *name, const char *about);

#endif

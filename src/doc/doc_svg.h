/*
 * doc_svg.h - drawings, flame graphs and pipelines as SVG: for a page, whose style sheet has the
 * colours, or for a file of its own.
 */
#ifndef DOC_DOC_SVG_H
#define DOC_DOC_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/doc.h"

void doc_svg_drawing(FILE *out, const struct doc_drawing *drawing, bool is_page);
void doc_svg_flame(FILE *out, const struct doc_flame *flame, bool is_page);
void doc_svg_pipeline(FILE *out, const struct doc_pipeline *pipeline, bool is_page);
/* The first picture at or below a block, as a file of its own. False if it has none. */
bool doc_svg_write(FILE *out, const struct doc_block *block);

#endif

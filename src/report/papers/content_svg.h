/*
 * content_svg.h - a drawing as SVG, for a page or as a file of its own (page/svg.h).
 *
 * The same drawing gives the same bytes. All drawings are 760 pixels wide; bars that would need
 * more are drawn narrower. Values beyond an axis end at it.
 */
#ifndef REPORT_PAPERS_CONTENT_SVG_H
#define REPORT_PAPERS_CONTENT_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "report/papers/content.h"

/* The x axis of plots, in pixels: who points at a plot is told the values there. */
#define CONTENT_SVG_WIDTH 760
#define CONTENT_SVG_LEFT  46
#define CONTENT_SVG_RIGHT 14

void content_svg_draw(FILE *out, const struct content_drawing *drawing, bool is_page);

#endif

/*
 * content_svg.h - a drawing as SVG, for a page or as a separate file (page/svg.h).
 *
 * The same drawing gives the same bytes. All drawings are 760 pixels wide; bars that would need
 * more are drawn narrower. Values beyond an axis are drawn at its end.
 */
#ifndef REPORT_PAPERS_CONTENT_SVG_H
#define REPORT_PAPERS_CONTENT_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "report/papers/content.h"

/* The x axis of plots, in pixels, from which a script finds the value that a reader points at. */
#define CONTENT_SVG_WIDTH 760
#define CONTENT_SVG_LEFT  46
#define CONTENT_SVG_RIGHT 14

void content_svg_draw(FILE *out, const struct content_drawing *drawing, bool is_page);

#endif

/*
 * svg.h - plain drawings: rectangles, lines, paths and words, as SVG.
 *
 * The same calls give the same bytes in every locale. A drawing is made for a separate file (white
 * background, fixed colours) or for one of our pages, whose style sheet then sets the colours,
 * light or dark; a drawing contains no style, which a page's content security policy would forbid.
 *
 * It does not know what is drawn; lengths are pixels, rounded to hundredths. Text is escaped, not
 * measured. Coordinates are limited to a million pixels, so no value makes an invalid drawing.
 */
#ifndef REPORT_PAGE_SVG_H
#define REPORT_PAGE_SVG_H

#include <stdbool.h>
#include <stdio.h>

enum svg_colour {
	SVG_NONE,
	SVG_INK,
	SVG_MUTED,
	SVG_LINE,  /* lines of a grid */
	SVG_PALE,  /* an area in the background */
	SVG_FIRST, /* the first of several lines that are compared */
	SVG_SECOND,
	SVG_THIRD,
	SVG_WARN,
	SVG_COLOURS
};

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

struct svg {
	FILE *out;
	bool is_page;
	bool has_points; /* the current path has points */
};

/* Begins a picture of that size; title and description are alternative text. */
void svg_begin(struct svg *svg, FILE *out, bool is_page, unsigned width, unsigned height,
	       const char *title, const char *description);
void svg_end(struct svg *svg);

void svg_rect(struct svg *svg, double x, double y, double width, double height,
	      enum svg_colour fill);
/* In the colour of a stack's component (value/component.h). */
void svg_rect_component(struct svg *svg, double x, double y, double width, double height,
			unsigned component);
void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, enum svg_colour colour,
	      double width, bool is_dashed);
void svg_text(struct svg *svg, double x, double y, enum svg_anchor anchor, unsigned size,
	      enum svg_colour colour, const char *text);
/* The same, rotated by so many degrees about its position. */
void svg_text_turned(struct svg *svg, double x, double y, enum svg_anchor anchor, unsigned size,
		     enum svg_colour colour, int degrees, const char *text);

/* A path: begin, points, end; with a fill it is closed, else drawn as a line. */
void svg_path_begin(struct svg *svg);
void svg_path_point(struct svg *svg, double x, double y);
void svg_path_end(struct svg *svg, enum svg_colour fill, enum svg_colour stroke, double width,
		  bool is_dashed);

#endif

/*
 * picture.h - plain drawings: rectangles, lines, paths and words, as SVG.
 *
 * The same calls give the same bytes in every locale. A picture is made for a file of its own
 * (white background, fixed colours) or for a page, whose style sheet then sets the colours, light
 * or dark; a picture contains no style, which a page's content security policy would forbid.
 *
 * It does not know what is drawn; lengths are pixels, rounded to hundredths. Text is escaped, not
 * measured. Coordinates are limited to a million pixels, so no value makes an invalid drawing.
 */
#ifndef DOC_PICTURE_H
#define DOC_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/colour.h"

enum picture_anchor { PICTURE_START, PICTURE_MIDDLE, PICTURE_END };

#define PICTURE_INK   ((struct doc_colour){DOC_INK, 0})
#define PICTURE_MUTED ((struct doc_colour){DOC_MUTED, 0})
#define PICTURE_GRID  ((struct doc_colour){DOC_GRID, 0})
#define PICTURE_WARN  ((struct doc_colour){DOC_WARN, 0})
#define PICTURE_NONE  ((struct doc_colour){DOC_NO_COLOUR, 0})

#define PICTURE_LETTER 6.2 /* about the width of a letter of size 11 */

struct picture {
	FILE *out;
	bool is_page;
	bool has_points; /* the current path has points */
	double x, y;	 /* the last of them */
};

/* Begins a picture of that size; title and description are alternative text. */
void picture_begin(struct picture *picture, FILE *out, bool is_page, double width, double height,
		   const char *title, const char *description);
void picture_end(struct picture *picture);

/* Writes ` name="value"`. */
void picture_attribute(struct picture *picture, const char *name, double value);
/* The attributes that give an element this fill. */
void picture_fill(struct picture *picture, struct doc_colour colour);

void picture_rect(struct picture *picture, double x, double y, double width, double height,
		  struct doc_colour fill);
/* The same, with words that a reader sees who points at it: a title, then for each line a tab, the
 * label, a tab and the value. */
void picture_rect_about(struct picture *picture, double x, double y, double width, double height,
			struct doc_colour fill, const char *title, const char *label,
			const char *value);
void picture_line(struct picture *picture, double x1, double y1, double x2, double y2,
		  struct doc_colour colour, double width, bool is_dashed);
void picture_text(struct picture *picture, double x, double y, enum picture_anchor anchor,
		  unsigned size, struct doc_colour colour, const char *text);
/* The same, rotated by so many degrees about its position. */
void picture_text_turned(struct picture *picture, double x, double y, enum picture_anchor anchor,
			 unsigned size, struct doc_colour colour, int degrees, const char *text);

/* A path: begin, points, end; with a fill it is closed, else drawn as a line. */
void picture_path_begin(struct picture *picture);
void picture_path_point(struct picture *picture, double x, double y);
void picture_path_end(struct picture *picture, struct doc_colour fill, struct doc_colour stroke,
		      double width, bool is_dashed);

#endif

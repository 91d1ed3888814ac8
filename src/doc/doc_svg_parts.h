/*
 * doc_svg_parts.h - what the files of doc_svg.h share, and what the page needs to know of its
 * drawings: where their axes are, so that a script finds the value that a reader points at.
 */
#ifndef DOC_DOC_SVG_PARTS_H
#define DOC_DOC_SVG_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/doc.h"

#define DOC_SVG_WIDTH	   760
#define DOC_SVG_PAGE_WIDTH 1080 /* of what may be as wide as a page */
#define DOC_SVG_LEFT	   46
#define DOC_SVG_RIGHT	   14

/* A stack over time has at most so many steps: more are merged. */
#define DOC_SVG_MOST_STEPS 1000

/* Extends a range by the sums of a group's positive and negative values. */
void doc_svg_range(const struct doc_drawing *drawing, const struct doc_group *group, double *low,
		   double *high);

void doc_svg_plot(FILE *out, const struct doc_drawing *drawing, bool is_page);
/* The range of a plot's x axis. */
void doc_svg_plot_range(const struct doc_drawing *drawing, double *first, double *last);

/* A step of a stack over time: one or more groups. */
struct doc_step {
	double from, to; /* along the axis */
	size_t first, count;
	double *values; /* the heights of its parts, one for each series */
};

/* All steps, owned by the caller, who frees the block alone. */
struct doc_step *doc_svg_steps(const struct doc_drawing *drawing, size_t *count);
void doc_svg_over_time(FILE *out, const struct doc_drawing *drawing, bool is_page);

#endif

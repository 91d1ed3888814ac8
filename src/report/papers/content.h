/*
 * content.h - what stands under a figure or table of a paper: paragraphs, tables and drawings,
 * one after the other, ready to be shown as text, on a page or as a picture.
 *
 * Whoever makes content says what is shown (names, numbers, units); the renderers content_text.h,
 * content_html.h and content_svg.h say how it looks and know no paper. A content owns copies of
 * all it was given and lives until content_release.
 *
 * A number that is not finite, or beyond 10^13 either way, is taken for none at all: results come
 * from files that anyone may have written, and a division by a zero in them must not reach a
 * renderer.
 *
 * What is not here: logarithmic axes (give the logarithms, and say so in the title), numbers with
 * an error range, drawings of more than some twenty groups.
 */
#ifndef REPORT_PAPERS_CONTENT_H
#define REPORT_PAPERS_CONTENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "report/page/svg.h"

enum content_unit {
	CONTENT_NUMBER,
	CONTENT_PERCENT, /* of a fraction: 0.25 is shown as 25 */
	CONTENT_COUNT,	 /* of events: text shows it rounded to a few digits */
	CONTENT_LEFT,	 /* words, aligned left */
};

struct content_column {
	const char *title;
	enum content_unit unit;
	unsigned places; /* behind the point */
};

struct content_cell {
	enum { CONTENT_NONE, CONTENT_VALUE, CONTENT_WORDS } kind;
	double value;
	const char *words;
};

struct content_row {
	const char *name;
	struct content_cell *cells; /* as many as there are columns */
	bool is_total;		    /* a mean, a sum: set apart below the others */
};

struct content_table {
	const char *caption; /* may be NULL */
	const char *names;   /* heading of the rows' names */
	struct content_column *columns;
	struct content_row *rows;
	size_t column_count, row_count, cell_count; /* cells of the last row */
	size_t column_room, row_room;
};

/* One name and one colour of a drawing. */
struct content_series {
	const char *name; /* in the legend; NULL leaves it out there */
	enum svg_colour colour;
	int component; /* a stack's component, whose colour it has; or -1 */
	/* Of plots only: how it is drawn. An area is a row of steps down to zero. */
	enum { CONTENT_AREA, CONTENT_LINE, CONTENT_DASHED, CONTENT_POINTS, CONTENT_UNDRAWN } style;
	double *values;
	double *others;	    /* shown beside the values in words; may be NULL */
	size_t value_count; /* of each of the two */
	const char *words;  /* what a reader who points at the plot is told it is; or NULL */
	const char *curve;  /* its name where a text shows it as a row of digits; or NULL */
	double curve_unit;  /* what the digit 1 stands for */
};

/* A group of bars beside each other, or one bar of parts upon each other. */
struct content_group {
	const char *name;
	double *values;	  /* one for each series: content_set */
	bool is_labelled; /* a stack: wide, each part with its name and value */
	bool ends_block;  /* a stack: more room behind it */
};

struct content_panel {
	double above, height; /* pixels from the panel before, and its own */
	double least_high;    /* the axis goes at least so far */
	unsigned steps;	      /* at most so many on its axis */
	struct content_series *series;
	size_t series_count, series_room;
};

struct content_mark {
	double x;
	const char *words;
};

enum content_kind { CONTENT_STACKS, CONTENT_BARS, CONTENT_PLOT };

struct content_drawing {
	enum content_kind kind;
	const char *title, *description; /* for those who do not see it */
	const char *heading;		 /* a line above a stack; may be NULL */
	/* Stacks and bars. */
	enum content_unit unit;
	unsigned places;
	double top;   /* the axis ends here and a higher bar has its number; 0: the highest */
	double limit; /* a dashed line; 0: none */
	struct content_series *series;
	struct content_group *groups;
	size_t series_count, series_room, group_count, group_room;
	/* Plots: panels below each other over the same x. A value covers [x, x + 1) from `first`
	 * on; with `xs`, value i stands at xs[i] instead. */
	double first;
	double *xs;
	size_t x_count;
	const char *x_title, *x_name; /* at the axis ("cycles"), and of one value ("cycle") */
	const char *shown, *other;    /* what values and others are: "mean", "example" */
	struct content_panel *panels;
	struct content_mark *marks; /* in the first panel, in order of x */
	size_t panel_count, panel_room, mark_count, mark_room;
};

struct content_block {
	enum { CONTENT_PARAGRAPH, CONTENT_STRONG, CONTENT_TABLE, CONTENT_DRAWING } kind;
	const char *text;
	struct content_table *table;
	struct content_drawing *drawing;
};

struct content {
	struct content_block *blocks;
	size_t count, room;
	void **owned; /* everything that release frees */
	size_t owned_count, owned_room;
};

void content_init(struct content *content);
void content_release(struct content *content);

/* Text that lives as long as the content. */
const char *content_words(struct content *content, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* 1,234,567 */
const char *content_whole(struct content *content, double value);
void content_paragraph(struct content *content, const char *text);
void content_conclusion(struct content *content, const char *text);

/* A table: its columns, then row by row a name and the cells from left to right; those that
 * are not given are empty. */
struct content_table *content_table(struct content *content, const char *caption,
				    const char *names);
void content_column(struct content *content, struct content_table *table, const char *title,
		    enum content_unit unit, unsigned places);
void content_row(struct content *content, struct content_table *table, const char *name);
void content_row_total(struct content_table *table); /* the last row is one */
void content_value(struct content_table *table, double value);
/* None if it is not a number. */
void content_value_of(struct content_table *table, const json_t *value);
void content_cell_words(struct content *content, struct content_table *table, const char *words);

struct content_drawing *content_drawing(struct content *content, enum content_kind kind,
					const char *title, const char *description);
/* Of stacks and bars: all series first, then a group with room for as many values. */
void content_series(struct content *content, struct content_drawing *drawing, const char *name,
		    enum svg_colour colour, int component);
struct content_group *content_group(struct content *content, struct content_drawing *drawing,
				    const char *name);
void content_set(struct content_group *group, size_t series, double value);
/* Of plots, panel by panel: the next one ends the use of the one before. The values are an array
 * of numbers; whoever adds a series fills in the rest. */
struct content_panel *content_panel(struct content_drawing *drawing, double above, double height,
				    double least_high, unsigned steps);
struct content_series *content_plot_series(struct content *content, struct content_panel *panel,
					   const json_t *values);
double *content_numbers(struct content *content, const json_t *values, size_t count);
void content_mark(struct content *content, struct content_drawing *drawing, double x,
		  const char *words);

/* The first drawing, which is the picture of a figure; NULL if there is none. */
const struct content_drawing *content_picture(const struct content *content);

#endif

/*
 * content.h - the content of a figure or table of a paper: a sequence of paragraphs, tables and
 * drawings, to be shown as text, on a page or as a picture.
 *
 * The code that makes content gives names, numbers and units; the renderers content_text.h,
 * content_html.h and content_svg.h decide how it looks and know no paper. A content owns copies of
 * everything it is given, until content_release.
 *
 * A number that is not finite, or beyond 10^13 in either direction, counts as absent: results come
 * from files of any origin, and a division by a zero in them must not reach a renderer.
 *
 * Not provided: logarithmic axes (give the logarithms, and say so in the title), numbers with an
 * error range, drawings of more than some twenty groups.
 */
#ifndef REPORT_PAPERS_CONTENT_H
#define REPORT_PAPERS_CONTENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "report/page/svg.h"

enum content_unit {
	CONTENT_NUMBER,
	CONTENT_PERCENT, /* for a fraction: 0.25 is shown as 25 */
	CONTENT_COUNT,	 /* a number of events, which text shows rounded to a few digits */
	CONTENT_LEFT,	 /* words, aligned left */
};

struct content_column {
	const char *title;
	enum content_unit unit;
	unsigned places; /* number of decimals */
};

struct content_cell {
	enum { CONTENT_NONE, CONTENT_VALUE, CONTENT_WORDS } kind;
	double value;
	const char *words;
};

struct content_row {
	const char *name;
	struct content_cell *cells; /* one for each column */
	bool is_total;		    /* a mean or a sum, shown apart below the other rows */
};

struct content_table {
	const char *caption; /* may be NULL */
	const char *names;   /* heading of the column of row names */
	struct content_column *columns;
	struct content_row *rows;
	size_t column_count, row_count, cell_count; /* cell_count is that of the last row */
	size_t column_room, row_room;
};

/* A series of a drawing: one name and one colour. */
struct content_series {
	const char *name; /* the name in the legend; NULL: it is not in the legend */
	enum svg_colour colour;
	int component; /* the component of a stack whose colour it has; or -1 */
	/* For plots only: how it is drawn. An area is a sequence of steps filled down to zero. */
	enum { CONTENT_AREA, CONTENT_LINE, CONTENT_DASHED, CONTENT_POINTS, CONTENT_UNDRAWN } style;
	double *values;
	double *others; /* a second list of values, shown in words beside the first; may be NULL */
	size_t value_count; /* the length of each of the two lists */
	/* Its name in the words shown when a reader points at the plot; or NULL. */
	const char *words;
	const char *curve; /* its name in text, where it is shown as a row of digits; or NULL */
	double curve_unit; /* the value that digit 1 represents */
};

/* A group of adjacent bars, or one bar of stacked parts. */
struct content_group {
	const char *name;
	double *values;	  /* one for each series, set by content_set */
	bool is_labelled; /* for a stack: it is wide, and each part has its name and value */
	bool ends_block;  /* for a stack: more space follows it */
};

struct content_panel {
	double above, height; /* distance from the previous panel and its own height, in pixels */
	double least_high;    /* the axis extends at least this far */
	unsigned steps;	      /* the largest number of steps on its axis */
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
	const char *title, *description; /* alternative text for readers who cannot see it */
	const char *heading;		 /* a line above a stack; may be NULL */
	/* For stacks and bars. */
	enum content_unit unit;
	unsigned places;
	/* End of the axis, above which a bar is cut and its number written; 0: the highest bar. */
	double top;
	double limit; /* value of a dashed line; 0: none */
	struct content_series *series;
	struct content_group *groups;
	size_t series_count, series_room, group_count, group_room;
	/* For plots: panels below each other over the same x. A value covers [x, x + 1) from
	 * `first` on; with `xs`, value i is at xs[i] instead. */
	double first;
	double *xs;
	size_t x_count;
	/* Title of the axis ("cycles") and name of one value ("cycle"). */
	const char *x_title, *x_name;
	const char *shown, *other; /* what values and others are: "mean", "example" */
	bool has_bars; /* text shows the first panel: for each of xs a bar of each series */
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

/* Formatted text that is valid as long as the content. */
const char *content_words(struct content *content, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Writes, for example, 1,234,567. */
const char *content_whole(struct content *content, double value);
void content_paragraph(struct content *content, const char *text);
void content_conclusion(struct content *content, const char *text);

/* A table: its columns, then for each row a name and the cells from left to right; cells that are
 * not given are empty. */
struct content_table *content_table(struct content *content, const char *caption,
				    const char *names);
void content_column(struct content *content, struct content_table *table, const char *title,
		    enum content_unit unit, unsigned places);
/* A column of words, aligned left. */
void content_column_words(struct content *content, struct content_table *table, const char *title);
void content_row(struct content *content, struct content_table *table, const char *name);
void content_row_total(struct content_table *table); /* marks the last row as a total */
void content_value(struct content_table *table, double value);
/* The cell is empty if the value is not a number. */
void content_value_of(struct content_table *table, const json_t *value);
void content_cell_words(struct content *content, struct content_table *table, const char *words);

struct content_drawing *content_drawing(struct content *content, enum content_kind kind,
					const char *title, const char *description);
/* For stacks and bars: all series first, then groups, each with one value for each series. */
void content_series(struct content *content, struct content_drawing *drawing, const char *name,
		    enum svg_colour colour, int component);
struct content_group *content_group(struct content *content, struct content_drawing *drawing,
				    const char *name);
void content_set(struct content_group *group, size_t series, double value);
/* For plots, panel by panel: a pointer to a panel is valid until the next one is added. The
 * values are an array of numbers; the caller fills in the other members of a series. */
struct content_panel *content_panel(struct content_drawing *drawing, double above, double height,
				    double least_high, unsigned steps);
struct content_series *content_plot_series(struct content *content, struct content_panel *panel,
					   const json_t *values);
double *content_numbers(struct content *content, const json_t *values, size_t count);
void content_mark(struct content *content, struct content_drawing *drawing, double x,
		  const char *words);

/* The first drawing, which is used as the picture of a figure; NULL if there is none. */
const struct content_drawing *content_picture(const struct content *content);

#endif

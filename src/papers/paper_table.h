/*
 * paper_table.h - tables of a paper as data: the paths of rows and cells in the result, and which
 * columns are also drawn as bars or lines.
 *
 * A row is an entry of an array of the result, a cell the value at a column's path (path.h) in
 * that entry. A path that begins with "stated." starts from the entry of the result's "programs"
 * that has the row's name, so that a paper's numbers can be shown beside ours. If a path leads to
 * nothing, the cell is empty.
 */
#ifndef PAPERS_PAPER_TABLE_H
#define PAPERS_PAPER_TABLE_H

#include <jansson.h>

#include "doc/doc.h"

/* The colours of bars and lines. */
enum paper_colour {
	PAPER_NOT_DRAWN,
	PAPER_FIRST,
	PAPER_SECOND,
	PAPER_THIRD,
	PAPER_MUTED,
	PAPER_LINE,
	PAPER_PALE,
	PAPER_WARN,
};

struct paper_column {
	const char *title, *path;
	enum doc_unit unit;
	unsigned places;
	enum paper_colour colour; /* of its bars or line; PAPER_NOT_DRAWN: it is not drawn */
	/* Path, from the result, of its cell in the last row, if that is not `path`. */
	const char *total;
};

#define PAPER_COLUMN(title_, path_, unit_, places_)                                      \
	{                                                                                \
		.title = (title_), .path = (path_), .unit = (unit_), .places = (places_) \
	}
#define PAPER_DRAWN(title_, path_, unit_, places_, colour_)                               \
	{                                                                                 \
		.title = (title_), .path = (path_), .unit = (unit_), .places = (places_), \
		.colour = (colour_)                                                       \
	}
/* A list of columns, with its last row. */
#define PAPER_COLUMNS(...) ((const struct paper_column[]){__VA_ARGS__, {.title = NULL}})

/* One bar for each row and drawn column, and for the total. */
struct paper_bars {
	const char *title, *description;
	double top, limit; /* as in struct doc_drawing */
};

/* A line over the names of the rows, which are numbers, for each drawn column; of the rows that
 * have all of these cells. Text has bars in place of it. */
struct paper_lines {
	const char *title, *description;
	const char *axis;  /* what the names of the rows are */
	const char *shown; /* what the cells are */
	/* So many of the first drawn columns are drawn once more below, without the others; or 0.
	 */
	size_t again;
};

struct paper_table {
	const char *note;  /* a paragraph before it; may be NULL */
	const char *rows;  /* path of the array of rows */
	const char *names; /* heading of the column of row names */
	/* The member with a row's name; NULL: "name", shown with the paper's name. */
	const char *name;
	const struct paper_column *columns; /* ends with a row of NULLs */
	const char *total_name;		    /* name of the last row; NULL: there is none */
	/* Path of the object in which the cells of the last row are looked up; or NULL. */
	const char *total;
	const char *conclusion;		 /* path of a text below it; may be NULL */
	const struct paper_bars *bars;	 /* may be NULL */
	const struct paper_lines *lines; /* may be NULL */
};

void paper_table_build(struct doc *doc, const struct paper_table *table, const json_t *result);

#endif

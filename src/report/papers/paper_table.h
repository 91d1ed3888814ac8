/*
 * paper_table.h - tables of a paper as data: where in the result its rows and cells are, and
 * which columns are drawn as bars too.
 *
 * A row is an entry of an array of the result, a cell what a column's path (path.h) leads to in
 * that entry; behind "stated." it leads on from the entry of the result's "programs" that has the
 * row's name, so a paper's numbers can stand beside ours. What a path does not lead to is an empty
 * cell.
 */
#ifndef REPORT_PAPERS_PAPER_TABLE_H
#define REPORT_PAPERS_PAPER_TABLE_H

#include <jansson.h>

#include "report/papers/content.h"

struct paper_column {
	const char *title, *path;
	enum content_unit unit;
	unsigned places;
	enum svg_colour colour; /* of its bars; SVG_NONE: it is not drawn */
	const char *total; /* its path from the result in the last row, if that is not `path` */
};

#define PAPER_COLUMN(title_, path_, unit_, places_)                                      \
	{                                                                                \
		.title = (title_), .path = (path_), .unit = (unit_), .places = (places_) \
	}
/* A list of columns, and its end. */
#define PAPER_COLUMNS(...) ((const struct paper_column[]){__VA_ARGS__, {.title = NULL}})

/* A bar for each row and drawn column, and for the total. */
struct paper_bars {
	const char *title, *description;
	double top, limit; /* as of a drawing */
};

struct paper_table {
	const char *note;  /* a paragraph before it; may be NULL */
	const char *rows;  /* path of the array */
	const char *names; /* heading of the rows' names */
	const char *name; /* the member that names a row; NULL: "name", and the paper's beside it */
	const struct paper_column *columns; /* ends with NULLs */
	const char *total_name;		    /* of the last row; NULL: there is none */
	const char *total;		    /* path of what its cells' paths lead from; or NULL */
	const char *conclusion;		    /* path of a text below it; may be NULL */
	const struct paper_bars *bars;	    /* may be NULL */
};

void paper_table_build(struct content *content, const struct paper_table *table,
		       const json_t *result);

#endif

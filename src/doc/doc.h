/*
 * doc.h - a document: everything that a result is shown by, before it is text, a page, a picture or
 * CSV.
 *
 * A builder (report/) reads a result and says what there is to see: sentences, key figures, tables
 * with typed columns, stacks, bars, plots, flame graphs, pipelines, in sections. The renderers
 * doc_text.h, doc_html.h, doc_svg.h and doc_csv.h decide how it looks; they know no result, and a
 * builder prints nothing. So whatever a builder adds is in every format at once.
 *
 *   struct doc doc;
 *   doc_init(&doc, "run");
 *   doc_section(&doc, "stack", "Where the cycles went");
 *   doc_say(doc_text(&doc, DOC_NOTE), "%d intervals", 7);
 *   struct doc_table *t = doc_table(&doc, "components", NULL, "component");
 *   doc_column(t, "cycles", DOC_COUNT, 0);
 *   doc_row(t, "base");
 *   doc_value(t, 1234);
 *   doc_end(&doc);
 *   ...
 *   doc_release(&doc);
 *
 * What is added goes into the container that is open: the document itself, or the last begun of
 * doc_section, doc_fold, doc_choice, doc_cards that doc_end has not ended. A document owns copies
 * of everything it is given, until doc_release; pointers to rows, bars, series, panels and nodes
 * are valid until the next one is added to the same table, drawing or graph.
 *
 * A number that is not finite, or beyond 10^15 in either direction, counts as absent: results come
 * from files of any origin, and a division by a zero in them must not reach a renderer. Text may
 * have any bytes; renderers escape them or make them printable.
 *
 * Not provided: logarithmic axes (give the logarithms, and say so in the title), numbers with an
 * error range, styles of a builder's own.
 */
#ifndef DOC_DOC_H
#define DOC_DOC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/colour.h"

struct doc;

/* Where a block or a column is shown. CSV has tables alone. */
enum { DOC_IN_TEXT = 1, DOC_IN_PAGE = 2, DOC_IN_CSV = 4, DOC_EVERYWHERE = 7 };

/*
 * Text: a sentence or a paragraph, made of pieces.
 */
enum doc_text_style {
	DOC_PARAGRAPH,
	DOC_NOTE,    /* explains what is near it; smaller on a page */
	DOC_VERDICT, /* the answer, large on a page */
	DOC_STRONG,  /* a conclusion */
	DOC_WARNING,
};

struct doc_piece {
	enum { DOC_PLAIN, DOC_BOLD, DOC_WORD, DOC_SWATCH, DOC_LINK } kind;
	const char *text;	  /* of a swatch: NULL */
	const char *target;	  /* of a link: the id of a block */
	struct doc_colour colour; /* of a swatch */
};

struct doc_text {
	struct doc *doc;
	enum doc_text_style style;
	struct doc_piece *pieces;
	size_t count, room;
};

/*
 * Key figures: a label and a number each, the first things to be read. Facts: a label and a text
 * each, such as what was run.
 */
enum doc_unit {
	DOC_WORDS,   /* aligned left */
	DOC_CODE,    /* a line of a program: fixed width, the end is cut where there is no room */
	DOC_COUNT,   /* whole: 1,234,567 on a page, 1234567 in text, 1.23M where there is no room */
	DOC_SHORT,   /* whole, and 1.23M in text in any case */
	DOC_NUMBER,  /* with `places` decimals */
	DOC_SIGNED,  /* the same, with a + where it is positive */
	DOC_PERCENT, /* of a fraction: 0.25 is shown as 25 % */
	DOC_CHANGE,  /* of a fraction: +25 % */
	DOC_BAR,     /* a bar as long as the value beside the largest of its column */
	DOC_STACK,   /* a stacked bar */
	DOC_SPARK,   /* a small curve */
};

struct doc_figure {
	const char *label;
	enum doc_unit unit;
	unsigned places;
	double value;
};

struct doc_fact {
	const char *label;
	struct doc_text *text;
};

/*
 * Tables. A cell has the unit of its column.
 */
enum {
	DOC_BARE = 1,	  /* percent without the sign: the caption says it */
	DOC_OPTIONAL = 2, /* left out of text where there is no room */
	DOC_HEAT = 4,	  /* shaded on a page, the more the larger */
	DOC_UNSORTED = 8, /* a page offers no order by it */
	DOC_VIEWED = 16,  /* shown through the views of the table */
	DOC_RED = 32,	  /* values below 0 stand out */
	DOC_LIMIT = 64,	  /* values above the column's limit stand out */
	DOC_WHOLE = 128,  /* of the last column: words that text has no room for go on below */
};

struct doc_column {
	const char *title;
	const char *about; /* a sentence about it; may be NULL */
	enum doc_unit unit;
	unsigned places, flags, where;
	double limit;
	struct doc_colour colour; /* of a bar, and of a swatch in the heading */
};

struct doc_cell {
	enum { DOC_NONE, DOC_VALUE, DOC_TEXT } kind;
	double value;
	const char *words;    /* of text; of a value: words after it, such as "at least"; or NULL */
	const char *shown;    /* what is shown of a value, if not its number; or NULL */
	const char *target;   /* a link to a block; or NULL */
	const double *values; /* of a stack, one for each of the table's parts; of a spark */
	size_t value_count;
	bool is_marked;		  /* stands out */
	struct doc_colour colour; /* of a bar */
};

struct doc_row {
	const char *name;
	const char *detail; /* smaller, after the name: such as the file of a function; or NULL */
	const char *about;
	const char *target;	  /* a link; or NULL */
	const char *key;	  /* what it is about, for what is chosen; see doc_key; or NULL */
	struct doc_colour colour; /* of a swatch before its name */
	struct doc_cell *cells;	  /* one for each column */
	unsigned level;		  /* 0, or the depth below the last row of a smaller level */
	unsigned where;		  /* it is shown; what is below it is nowhere else */
	bool is_folded; /* its children are shown when it is opened; in text only those kept */
	bool is_kept;	/* text shows it although it is below a folded row */
	bool is_total;	/* a mean or a sum, shown apart below the other rows */
	bool is_hot;	/* stands out as a whole */
	double weight;	/* by which a view may divide: such as instructions */
};

/* Another way to see the columns that are DOC_VIEWED; the first is what text shows. */
struct doc_view {
	const char *label;
	enum doc_unit unit;
	unsigned places;
	enum { DOC_BY_NOTHING, DOC_BY_WHOLE, DOC_BY_WEIGHT } by;
};

/* One of the parts of all stacks of a table. */
struct doc_part {
	const char *name;
	struct doc_colour colour;
};

struct doc_table {
	struct doc *doc;
	const char *caption; /* may be NULL */
	const char *names;   /* heading of the column of row names */
	struct doc_column *columns;
	struct doc_row *rows;
	struct doc_view *views;
	struct doc_part *parts;
	size_t column_count, row_count, cell_count; /* cell_count is that of the last row */
	size_t view_count, part_count;
	size_t column_room, row_room, view_room, part_room;
	double whole;	    /* by which a view may divide: such as the run's cycles */
	size_t limit;	    /* rows of level 0 that a page shows at first; 0: all */
	size_t text_limit;  /* the same in text; 0: all */
	const char *rest;   /* what text says of the rows left out; NULL: "and 7 more" */
	const char *sorted; /* title of the column it is sorted by from the beginning; or NULL */
	bool is_ascending;
	bool has_filter;      /* a page has a field to find rows by name */
	bool has_names;	      /* false: there is no column of names */
	bool has_whole_names; /* text moves columns below the others before it cuts names */
	bool can_fill;	      /* a page lets the reader make every stack as long as the largest */
	bool is_listing; /* lines, and below each its instructions: a page has them side by side */
};

/*
 * Drawings: stacks, bars, plots. A series is one name and one colour.
 */
struct doc_series {
	const char *name; /* the name in the legend; NULL: it is not in the legend */
	const char *about;
	struct doc_colour colour;
	/* For plots only: how it is drawn. An area is a sequence of steps filled down to zero. */
	enum { DOC_AREA, DOC_LINE, DOC_DASHED, DOC_POINTS, DOC_UNDRAWN } style;
	double *values;
	double *others; /* a second list of values, shown in words beside the first; may be NULL */
	size_t value_count; /* the length of each of the two lists */
	/* Its name in the words shown when a reader points at the plot; or NULL. */
	const char *words;
	const char *curve; /* its name in text, where it is shown as a row of digits; or NULL */
	double curve_unit; /* the value that digit 1 represents */
};

/* A group of adjacent bars, or one bar of stacked parts. */
struct doc_group {
	const char *name;
	const char *about;  /* a line below the name; or NULL */
	const char *beside; /* a word after the bar; or NULL */
	const char *key;    /* see doc_key; or NULL */
	double *values;	    /* one for each series, set by doc_set; NAN: absent */
	bool is_labelled; /* for upright stacks: it is wide, and each part has its name and value */
	bool ends_block;  /* for upright stacks: more space follows it */
	bool is_total;	  /* a mean: its name stands out */
	bool is_marked;	  /* what stands beside it stands out */
};

struct doc_panel {
	double above, height; /* distance from the previous panel and its own height, in pixels */
	double least_high;    /* the axis extends at least this far */
	unsigned steps;	      /* the largest number of steps on its axis */
	const char *title;    /* of its axis; or NULL */
	struct doc_series *series;
	size_t series_count, series_room;
};

struct doc_mark {
	double x;
	const char *words;
};

enum doc_drawing_kind {
	DOC_STACKS,    /* stacked bars upright, side by side */
	DOC_LYING,     /* stacked bars below each other, each with its name at the left */
	DOC_BARS,      /* groups of bars, one bar for each series */
	DOC_PLOT,      /* panels below each other over the same x */
	DOC_OVER_TIME, /* one stack after the other along an axis, each as wide as its weight */
};

struct doc_drawing {
	struct doc *doc;
	enum doc_drawing_kind kind;
	const char *title, *description; /* alternative text for readers who cannot see it */
	const char *heading;		 /* a line above it; may be NULL */
	/* For stacks and bars. */
	enum doc_unit unit;
	unsigned places;
	/* End of the axis, above which a bar is cut and its number written; 0: the highest bar. */
	double top;
	double limit; /* value of a dashed line; 0: none */
	struct doc_series *series;
	struct doc_group *groups;
	size_t series_count, series_room, group_count, group_room;
	bool has_axis; /* of lying stacks: an axis below them */
	bool is_main;  /* of lying stacks: one, large */
	bool can_hide; /* a page lets the reader hide series */
	/* For DOC_OVER_TIME: the weight of each group, along the axis, and its name. The height of
	 * a stack is its values divided by its weight, or the shares of its values. A group
	 * shorter than nine tenths of the longest does not set the axis. */
	double *weights;
	size_t weight_count;
	/* For plots. A value covers [x, x + 1) from `first` on; with `xs`, value i is at xs[i]
	 * instead. */
	double first;
	double *xs;
	size_t x_count;
	/* Title of the axis ("cycles"), which upright stacks may have too, and name of one value
	 * ("cycle"). */
	const char *x_title, *x_name;
	const char *shown, *other; /* what values and others are: "mean", "example" */
	bool has_bars; /* text shows the first panel: for each of xs a bar of each series */
	struct doc_panel *panels;
	struct doc_mark *marks; /* in the first panel, in order of x */
	size_t panel_count, panel_room, mark_count, mark_room;
};

/*
 * A flame graph: a tree of places, each as wide as its value.
 */
struct doc_node {
	const char *name;
	double value; /* with all below it */
	unsigned level;
	struct doc_colour colour;
	const char *words; /* shown to who points at it, instead of its value and share; or NULL */
};

struct doc_flame {
	struct doc *doc;
	const char *title, *unit; /* "cycles" */
	struct doc_node *nodes;	  /* each before those below it */
	size_t count, room;
};

/*
 * A pipeline: a row for each instruction, a column for each cycle.
 */
struct doc_span {
	uint64_t begin, end; /* up to, not with, this cycle */
	unsigned stage;	     /* index of its name */
};

struct doc_lane {
	const char *label;
	struct doc_span *spans;
	size_t count, room;
	bool is_pale; /* squashed */
	bool is_loss; /* what cycles were lost to; drawn below all others */
	bool has_end;
	uint64_t end; /* the cycle in which it retires, if it does */
};

struct doc_pipeline {
	struct doc *doc;
	uint64_t from, to; /* the cycles shown, both included */
	const char **stages;
	const char **labels; /* of the stages, in the legend */
	struct doc_lane *lanes;
	size_t stage_count, lane_count, stage_room, lane_room;
	size_t label_count, label_room;
};

/*
 * Blocks.
 */
enum doc_kind {
	/* Containers. */
	DOC_ROOT,
	DOC_SECTION,
	DOC_FOLD,	 /* closed at first on a page; text shows what is in it */
	DOC_CHOICE,	 /* one of its alternatives is shown: a page lets the reader choose */
	DOC_ALTERNATIVE, /* text shows the first one of a choice */
	DOC_CARDS,	 /* its cards stand side by side where there is room */
	DOC_CARD,
	/* Leaves. */
	DOC_SENTENCE,
	DOC_HEADING,
	DOC_FIGURES,
	DOC_FACTS,
	DOC_TABLE,
	DOC_DRAWING,
	DOC_FLAME,
	DOC_PIPELINE,
	DOC_LEGEND, /* the colours of the parts used around it */
};

struct doc_block {
	enum doc_kind kind;
	unsigned where;
	const char *id; /* unique in the document; NULL: no link leads to it, CSV leaves it out */
	const char *title;	 /* of containers and headings */
	const char *short_title; /* in the list of contents; NULL: the title */
	const char *key;	 /* see doc_key */
	bool is_detail;		 /* shown only while its key is the chosen one */
	bool is_open;		 /* of a fold: a page shows at first what is in it */
	struct doc_block *first, *last, *next, *parent;
	struct doc_text *text;
	struct doc_table *table;
	struct doc_drawing *drawing;
	struct doc_flame *flame;
	struct doc_pipeline *pipeline;
	struct doc_figure *figures;
	struct doc_fact *facts;
	struct doc_part *parts;
	size_t count, room;
};

struct doc {
	const char *command;	 /* such as "run" */
	const char *title;	 /* of a page's window */
	struct doc_text heading; /* the first line */
	unsigned heading_where;	 /* where it is shown: a list has none in text */
	struct doc_text *about;	 /* a line below it; or NULL */
	struct doc_block root;
	struct doc_block *open; /* the container to which blocks are added */
	const char *key_label;	/* what keys are: "program"; NULL: there are none */
	const char **keys;
	size_t key_count, key_room;
	const char **warnings; /* such as that a result is partial: shown with the heading */
	size_t warning_count, warning_room;
	void **owned; /* everything that release frees */
	size_t owned_count, owned_room;
};

void doc_init(struct doc *doc, const char *command);
void doc_release(struct doc *doc);

/* Formatted text that is valid as long as the document. */
const char *doc_words(struct doc *doc, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Writes, for example, 1,234,567. */
const char *doc_whole(struct doc *doc, double value);
/* Writes so many places, with a point in every locale. */
const char *doc_decimal(struct doc *doc, double value, unsigned places);
void doc_warn(struct doc *doc, const char *text);

/* Containers. Each is open until its doc_end. */
struct doc_block *doc_section(struct doc *doc, const char *id, const char *title);
struct doc_block *doc_fold(struct doc *doc, const char *title);
struct doc_block *doc_choice(struct doc *doc, const char *label);
struct doc_block *doc_alternative(struct doc *doc, const char *label);
struct doc_block *doc_cards(struct doc *doc);
struct doc_block *doc_card(struct doc *doc, const char *title, const char *key);
void doc_end(struct doc *doc);
/* The last block that was added to the open container; to limit where it is shown, or to name it.
 */
struct doc_block *doc_last(struct doc *doc);
/* Limits the last block to these places: doc_only(doc, DOC_IN_PAGE). */
void doc_only(struct doc *doc, unsigned where);

/* Keys: rows, groups, cards and sections may be about one of several things, such as programs. What
 * a reader chooses in one place is marked in all places, and its details are shown. `label` says
 * what they are; returns the key. */
const char *doc_key(struct doc *doc, const char *label, const char *key);

struct doc_text *doc_text(struct doc *doc, enum doc_text_style style);
/* Adds a piece to a text. */
void doc_say(struct doc_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void doc_bold(struct doc_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void doc_word(struct doc_text *text, const char *word); /* in fixed width, as it is typed */
void doc_swatch(struct doc_text *text, struct doc_colour colour);
void doc_link(struct doc_text *text, const char *target, const char *words);
/* A whole text of one plain piece. */
void doc_paragraph(struct doc *doc, const char *text);
void doc_note(struct doc *doc, const char *text);
void doc_conclusion(struct doc *doc, const char *text);
void doc_heading(struct doc *doc, const char *text); /* a smaller heading inside a section */

/* Key figures and facts: adjacent calls go to one block. */
void doc_figure(struct doc *doc, const char *label, enum doc_unit unit, unsigned places,
		double value);
struct doc_text *doc_fact(struct doc *doc, const char *label);

/* A legend of parts. */
void doc_legend(struct doc *doc, const struct doc_part *parts, size_t count);

/* A table: its columns (and views and parts), then for each row a name and the cells from left to
 * right; cells that are not given are empty. With `names` NULL it has no column of names. */
struct doc_table *doc_table(struct doc *doc, const char *id, const char *caption,
			    const char *names);
struct doc_column *doc_column(struct doc_table *table, const char *title, enum doc_unit unit,
			      unsigned places);
struct doc_view *doc_view(struct doc_table *table, const char *label, enum doc_unit unit,
			  unsigned places, int by);
void doc_part(struct doc_table *table, const char *name, struct doc_colour colour);
struct doc_row *doc_row(struct doc_table *table, const char *name);
/* A row one level below the last row that is not. */
struct doc_row *doc_child(struct doc_table *table, const char *name);
/* Further below: level is at most one more than that of the last row. */
struct doc_row *doc_row_at(struct doc_table *table, unsigned level, const char *name);
void doc_row_total(struct doc_table *table); /* marks the last row as a total */
/* The next cell of the last row. Each returns it, so that more can be said of it. */
struct doc_cell *doc_value(struct doc_table *table, double value);
/* The cell is empty if the value is not a number. */
struct doc_cell *doc_value_of(struct doc_table *table, const json_t *value);
struct doc_cell *doc_cell_words(struct doc_table *table, const char *words);
struct doc_cell *doc_cell_none(struct doc_table *table);
struct doc_cell *doc_cell_values(struct doc_table *table, const double *values, size_t count);

struct doc_drawing *doc_drawing(struct doc *doc, enum doc_drawing_kind kind, const char *title,
				const char *description);
/* For stacks and bars: all series first, then groups, each with one value for each series. */
struct doc_series *doc_series(struct doc_drawing *drawing, const char *name,
			      struct doc_colour colour);
struct doc_group *doc_group(struct doc_drawing *drawing, const char *name);
void doc_set(struct doc_group *group, size_t series, double value);
/* For DOC_OVER_TIME: a group with its weight. */
struct doc_group *doc_moment(struct doc_drawing *drawing, const char *name, double weight);
/* For plots, panel by panel. The values are an array of numbers; the caller fills in the other
 * members of a series. */
struct doc_panel *doc_panel(struct doc_drawing *drawing, double above, double height,
			    double least_high, unsigned steps);
struct doc_series *doc_plot_series(struct doc_drawing *drawing, struct doc_panel *panel,
				   const json_t *values);
double *doc_numbers(struct doc *doc, const json_t *values, size_t count);
void doc_mark(struct doc_drawing *drawing, double x, const char *words);

struct doc_flame *doc_flame(struct doc *doc, const char *id, const char *title, const char *unit);
void doc_node(struct doc_flame *flame, unsigned level, const char *name, double value,
	      struct doc_colour colour);
/* What is said of the last node instead of its value and share. */
void doc_node_words(struct doc_flame *flame, const char *words);

struct doc_pipeline *doc_pipeline(struct doc *doc, const char *id, uint64_t from, uint64_t to);
/* The index of the stage; its label in the legend is its name, unless it is given another. */
unsigned doc_stage(struct doc_pipeline *pipeline, const char *name);
void doc_stage_label(struct doc_pipeline *pipeline, unsigned stage, const char *label);
struct doc_lane *doc_lane(struct doc_pipeline *pipeline, const char *label);
void doc_span(struct doc_lane *lane, uint64_t begin, uint64_t end, unsigned stage);

/* The block with that id; NULL if there is none. */
const struct doc_block *doc_find(const struct doc *doc, const char *id);
/* The block after this one, depth first; NULL after the last. For renderers. */
const struct doc_block *doc_next(const struct doc_block *block);
/* The first drawing at or below a block, which is used as the picture of a figure; NULL if there
 * is none. */
const struct doc_drawing *doc_picture(const struct doc_block *block);

/* Whether a value can be shown. */
bool doc_is_shown(double value);

#endif

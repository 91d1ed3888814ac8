/*
 * stat_rows.h - the rows that `stat` prints as perf stat does: with --interval-print a row for each
 * event and interval, while the program runs; with --field-separator the fields of a row are
 * separated by a string, for programs to read.
 *
 *   [time]value,unit,event,[variance],run time,percentage,metric value,metric unit
 *
 * An event is a counter, or a name that perf has too (a sum of counters that were asked for by that
 * name alone, and have no row of their own then). A derived value is a row of its metric alone. The
 * run time is simulated: nanoseconds, of which a cycle is one. The percentage is the part of the
 * run in which the event was counted. Names are not quoted, as perf's are not: a separator that
 * occurs in one is warned of.
 *
 * What the worker sends is checked by stat_frame_read; names of functions may still have any bytes.
 */
#ifndef CMD_STAT_ROWS_H
#define CMD_STAT_ROWS_H

#include <jansson.h>

#include "cmd/command.h"
#include "config/config.h"
#include "job/stat.h"

struct formula;

struct stat_rows {
	FILE *out;		  /* NULL: nothing is printed */
	const char *separator;	  /* NULL: columns for people */
	bool is_live;		  /* rows of intervals; else of the whole run */
	bool has_variance;	  /* of several runs */
	const char *const *asked; /* --events, those of perf left out */
	size_t asked_count;
	bool shows_all; /* a group asks for its signals by name */
	/* Of the epoch, while the program runs. */
	const struct stats_request *request;
	struct formula *formulas; /* as many as the request has */
	char **names;		  /* "SIGNAL@WHERE" */
	size_t name_count;
	bool has_heading, has_warned;
};

/* What the command line asks for. The request must outlive the rows. */
void stat_rows_init(struct stat_rows *rows, const struct args *args, const struct config *config,
		    const struct stats_request *request);
void stat_rows_release(struct stat_rows *rows);
/* Whether rows are asked for, and by which option. */
bool stat_rows_wanted(const struct args *args, enum option_id *asked);

/* An epoch's names, or an interval, whose rows are printed at once. */
void stat_rows_take(struct stat_rows *rows, const struct stat_frame *frame);
/* The totals of a result of one run (cyclestack-stat-1) or several (cyclestack-repeat-1), unless
 * rows of intervals are printed. */
void stat_rows_result(struct stat_rows *rows, const json_t *result);

#endif

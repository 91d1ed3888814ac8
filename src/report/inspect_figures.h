/*
 * inspect_figures.h - figures 10 and 12 to 17 of Danalis and others (2017), drawn for the machine
 * whose inspection (schema cyclestack-inspect-1) is given.
 *
 * Events are found by their verdicts, not by their names. A figure for which the machine has no
 * event, or the inspection no readings, says so in a sentence.
 */
#ifndef REPORT_INSPECT_FIGURES_H
#define REPORT_INSPECT_FIGURES_H

#include <jansson.h>

#include "doc/doc.h"

struct inspect_figure {
	const char *id, *title;
	void (*build)(struct doc *doc, const json_t *inspection);
};

extern const struct inspect_figure inspect_figures[]; /* ends with a NULL id */

/* The first event with this verdict, or with it among those that coincide; NULL if there is none.
 */
const json_t *inspect_event_of(const json_t *inspection, const char *category);
/* The slope of the event on a point such as "branch_a" or "read:64:4096"; NAN if it has none. */
double inspect_slope(const json_t *event, const char *point);

#endif

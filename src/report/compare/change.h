/*
 * change.h - what changed between the stacks of two runs: by component, by function, by source
 * line.
 *
 * Changes are in cycles, because the two machines may have different numbers of slots per cycle.
 * Only differences are listed, the largest first, whatever its sign. The changes of the functions
 * add up to that of the cycles, and so do those of the lines.
 *
 * A function is identified by its name and file, a line by file and number. If no file of one run
 * is named in the other (they were built in different places), files are identified by their base
 * names. A line that has moved counts as another line.
 */
#ifndef REPORT_COMPARE_CHANGE_H
#define REPORT_COMPARE_CHANGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "value/stacks.h"

/* Strings belong to the stacks' JSON. */
struct change {
	const char *name; /* the component or function; NULL for a line */
	const char *file; /* NULL for a component, "" if unknown */
	int64_t line;	  /* number of a line; 0 if unknown */
	bool is_in_a, is_in_b;
	double a, b; /* cycles; 0 in a run that does not have it */
};

/* The caller frees the list. */
struct change *change_components(const struct stacks *a, const struct stacks *b, size_t *count);
struct change *change_functions(const struct stacks *a, const struct stacks *b, size_t *count);
struct change *change_lines(const struct stacks *a, const struct stacks *b, size_t *count);

/* Whether a file that has code in one run is named in the other, so that whole names count. */
bool change_share_a_file(const struct stacks *a, const struct stacks *b);
const char *change_base_name(const char *path);
/* The value, or null, as JSON: it takes over the value. */
json_t *change_if_there(bool is_there, json_t *value);

#endif

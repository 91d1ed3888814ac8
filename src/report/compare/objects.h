/*
 * objects.h - the data of two runs by what it belongs to: the cycles lost to it and its misses in
 * the L1D, in the one and in the other.
 *
 * An object is the same by its kind, name, library and file: where it lies in memory does not
 * matter. What a function allocates on several lines is told apart by the line. Of two programs
 * lines may have moved: then, if a function allocates on as many lines in both, the first is the
 * first, and so on; otherwise a line is the same by its number.
 *
 * Only objects whose cycles or misses differ are listed, the largest change of cycles first.
 */
#ifndef REPORT_COMPARE_OBJECTS_H
#define REPORT_COMPARE_OBJECTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "value/stacks.h"

/* Strings belong to the JSON of a run. */
struct object_change {
	const char *kind, *name;
	const char *library;	/* "": the program's */
	const char *file;	/* where it was allocated; "" if unknown */
	int64_t line_a, line_b; /* 0 if unknown, or if the run does not have it */
	bool is_in_a, is_in_b;
	double a, b; /* cycles; 0 in a run that does not have it */
	int64_t misses_a, misses_b;
};

/* The data of a run: its member "data", whose layout was checked. */
struct objects_side {
	const struct stacks *stacks;
	const json_t *data;
};

/* Whether the objects add up to what the run has; else false with a sentence. A run that has not
 * looked at data has none, and that is right. */
bool objects_check(const struct objects_side *side, struct err *err);
/* Of two runs that were checked; the caller frees the list. */
struct object_change *objects_changes(const struct objects_side *a, const struct objects_side *b,
				      bool is_same_program, size_t *count);

/* The member "objects" of a result of `diff`. */
json_t *objects_json(const struct object_change *changes, size_t count);

#endif

/*
 * change.h - what changed between the stacks of two runs: by component, by function,
 * by source line.
 *
 * In cycles, which the two may divide into different numbers of slots. Only what differs
 * is listed, the largest change first, whichever way it goes. The changes of the functions
 * add up to that of the cycles, and so do those of the lines.
 *
 * A function is known by its name and file, a line by file and number. If no file of the
 * one is named in the other (they were built in different places), files are known by
 * their base names. Nothing here knows that a line has moved.
 */
#ifndef REPORT_COMPARE_CHANGE_H
#define REPORT_COMPARE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "value/profile.h"

/* Texts belong to the profiles' JSON. */
struct change {
	const char *name; /* of a component or function; NULL of a line */
	const char *file; /* NULL of a component, "" if unknown */
	int64_t line;	  /* of a line; 0 if unknown */
	bool is_in_a, is_in_b;
	double a, b; /* cycles; 0 where it is not */
};

/* The caller frees the list. */
struct change *change_components(const struct profile *a, const struct profile *b, size_t *count);
struct change *change_functions(const struct profile *a, const struct profile *b, size_t *count);
struct change *change_lines(const struct profile *a, const struct profile *b, size_t *count);

#endif

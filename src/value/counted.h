/*
 * counted.h - the counted values of a result: names, units and meanings, one row each, and the
 * signal whose sum over the run each of them is.
 */
#ifndef VALUE_COUNTED_H
#define VALUE_COUNTED_H

#include <stddef.h>

struct counted_row {
	const char *name;
	const char *signal;
	const char *unit;
	const char *meaning;
};

extern const struct counted_row counted_rows[]; /* ends with a NULL name */

#endif

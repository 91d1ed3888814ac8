/*
 * counted.h - the counted values of a result: one row each with name, unit and meaning, and with
 * the signal whose sum over the run is the value.
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

extern const struct counted_row counted_rows[]; /* the last row has a NULL name */

/* NULL if there is none of that name. */
const struct counted_row *counted_named(const char *name);

#endif

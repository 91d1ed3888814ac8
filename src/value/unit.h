/*
 * unit.h - the units in which results and signals count, one row each.
 */
#ifndef VALUE_UNIT_H
#define VALUE_UNIT_H

struct unit_row {
	const char *name;
	const char *meaning;
};

extern const struct unit_row unit_rows[]; /* ends with a NULL name */

/* NULL if there is none of that name. */
const struct unit_row *unit_find(const char *name);

#endif

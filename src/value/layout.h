/*
 * layout.h - what each result is made of: its members, their kinds, units and meanings.
 *
 * One table (layouts.c) with a layout for every schema. Whoever writes a result checks it
 * against its layout, whoever reads one relies on that; diff takes from it what it compares,
 * and docs/results-format.md is printed from it.
 *
 * After layout_check every member that must be there is there and every member the layout names
 * has its kind; counts and amounts are 0 .. LAYOUT_MOST, and components and causes are among
 * those of component.h. Members that the layout does not name are let be, so that a later
 * version may add some.
 *
 * A layout does not say that parts add up to their whole (profile.h does), that lists are as
 * long as each other, or which names a map has.
 */
#ifndef VALUE_LAYOUT_H
#define VALUE_LAYOUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Up to here a double holds every whole number. */
#define LAYOUT_MOST INT64_C(9007199254740992)

enum layout_kind {
	LAYOUT_TEXT,
	LAYOUT_FLAG,	   /* true or false */
	LAYOUT_WHOLE,	   /* a whole number of either sign */
	LAYOUT_COUNT,	   /* a whole number, not negative */
	LAYOUT_NUMBER,	   /* any number */
	LAYOUT_AMOUNT,	   /* a number, not negative */
	LAYOUT_COMPONENTS, /* whole numbers by component */
	LAYOUT_CAUSES,	   /* counts by cause */
	LAYOUT_OBJECT,	   /* of another layout */
};

/* One such value, a list of them, or an object that has them under any names. */
enum layout_shape { LAYOUT_ONE, LAYOUT_LIST, LAYOUT_MAP };

enum layout_flag {
	LAYOUT_MAY_BE_MISSING = 1,
	LAYOUT_MAY_BE_NULL = 2,
	LAYOUT_COMPARED = 4, /* by diff */
};

struct layout;

struct layout_member {
	const char *name; /* NULL at the end of a list */
	enum layout_shape shape;
	enum layout_kind kind;
	unsigned flags;
	const char *unit; /* NULL if it has none */
	const char *meaning;
	const struct layout *of; /* of LAYOUT_OBJECT */
};

struct layout {
	const char *name;   /* of a whole result: the command that writes it */
	const char *schema; /* NULL of a part of a result */
	const char *meaning;
	const struct layout_member *members;
	const struct layout_member *others; /* what members of other names are; NULL: anything */
};

extern const struct layout layout_exec, layout_run_1, layout_run, layout_judge, layout_reproduce,
	layout_diff, layout_signals;
/* Those of all schemas; NULL at the end. */
extern const struct layout *const layouts[];

/* By the result's "schema"; NULL with a sentence if it has none or one that is not known. */
const struct layout *layout_of(const json_t *result, struct err *err);
/* False with a sentence that names the first member that is wrong by its path. */
bool layout_check(const json_t *result, const struct layout *layout, struct err *err);
/* NULL if the layout names no such member. */
const struct layout_member *layout_member(const struct layout *layout, const char *name);
/* Whether diff compares any member of such results. */
bool layout_is_compared(const struct layout *layout);
/* In a word or two, for people; NULL of LAYOUT_OBJECT, which its layout names. */
const char *layout_kind_name(enum layout_kind kind);

#endif

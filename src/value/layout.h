/*
 * layout.h - what each result is made of: its members, their kinds, units and meanings.
 *
 * One table (layouts.c) has a layout for every schema. Code that writes a result checks it against
 * its layout, and code that reads a result relies on that; diff reads in the layout which members
 * it compares, and docs/results-format.md is printed from it.
 *
 * After layout_check every required member is present and every member that the layout names has
 * its kind; counts and amounts are 0 .. LAYOUT_MOST, and components and causes are among those of
 * component.h. Members that the layout does not name are ignored, so that a later version may add
 * some.
 *
 * A layout does not say that parts add up to their whole (stacks.h does), that two lists have the
 * same length, or which names a map has.
 */
#ifndef VALUE_LAYOUT_H
#define VALUE_LAYOUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* A double represents every whole number up to this one. */
#define LAYOUT_MOST INT64_C(9007199254740992)

enum layout_kind {
	LAYOUT_TEXT,
	LAYOUT_FLAG,	   /* true or false */
	LAYOUT_WHOLE,	   /* a whole number of either sign */
	LAYOUT_COUNT,	   /* a whole number, not negative */
	LAYOUT_NUMBER,	   /* any number */
	LAYOUT_AMOUNT,	   /* a number, not negative */
	LAYOUT_SETTING,	   /* of a machine's parameter: text, a count, or true or false */
	LAYOUT_COMPONENTS, /* whole numbers by component */
	LAYOUT_CAUSES,	   /* counts by cause */
	LAYOUT_OBJECT,	   /* an object of another layout */
};

/* A single value, a list of values, or an object whose members, of any names, are values. */
enum layout_shape { LAYOUT_ONE, LAYOUT_LIST, LAYOUT_MAP };

enum layout_flag {
	LAYOUT_MAY_BE_MISSING = 1,
	LAYOUT_MAY_BE_NULL = 2,
	LAYOUT_COMPARED = 4, /* diff compares the member */
};

struct layout;

struct layout_member {
	const char *name; /* NULL in the last row of a list */
	enum layout_shape shape;
	enum layout_kind kind;
	unsigned flags;
	const char *unit; /* NULL if it has none */
	const char *meaning;
	const struct layout *of; /* the layout of a LAYOUT_OBJECT */
};

struct layout {
	const char *name;   /* for a whole result, the command that writes it */
	const char *schema; /* NULL for a part of a result */
	const char *meaning;
	const struct layout_member *members;
	/* The kind of members that `members` does not name; NULL: any kind. */
	const struct layout_member *others;
};

extern const struct layout layout_exec, layout_run_1, layout_run, layout_stat, layout_collected,
	layout_results, layout_query, layout_repeat, layout_advise, layout_judge, layout_sweep,
	layout_reproduce, layout_diff, layout_signals, layout_explain, layout_model, layout_inspect,
	layout_compose, layout_workloads, layout_measure, layout_trace, layout_cycles,
	layout_config, layout_config_list, layout_config_keys, layout_config_check,
	layout_config_diff, layout_trace_head, layout_cycles_head;
/* A part that workers send by itself. */
extern const struct layout *const layout_facts;
/* The layouts of all schemas; the list ends with NULL. */
extern const struct layout *const layouts[];

/* Finds the layout by the result's "schema"; NULL with a sentence if it has none or an unknown
 * one. */
const struct layout *layout_of(const json_t *result, struct err *err);
/* False with a sentence that names the path of the first wrong member. */
bool layout_check(const json_t *result, const struct layout *layout, struct err *err);
/* NULL if the layout names no such member. */
const struct layout_member *layout_member(const struct layout *layout, const char *name);
/* Whether diff compares any member of results of this layout. */
bool layout_is_compared(const struct layout *layout);
/* The kind in a word or two, for documentation; NULL for LAYOUT_OBJECT, whose layout has a name. */
const char *layout_kind_name(enum layout_kind kind);

#endif

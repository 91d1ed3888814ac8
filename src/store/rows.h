/*
 * rows.h - the rows that a result has in a store: which numbers, of what, about which program on
 * which machine.
 *
 * They follow from the layout of the result alone (value/layout.h), for every schema there is:
 *
 *   A subject is a program on a machine. The result is one; so is each part of it that has a
 *   program or a machine of its own, such as a program of `judge`, a run of `sweep` or a side of
 *   `diff`. What such a part lacks it has from the result around it.
 *   Each number, switch and short text is a row. Its member is the path to it by names of layouts:
 *   programs.methods. What it is of are the names on that way that are no names of layouts, keys of
 *   maps and names of list items: fmt. Items of one name are numbered from the second on.
 *   Units and meanings are those of the layout; of counted values, components and causes those of
 *   their own tables; a number without a unit whose neighbour is a text "unit" has that one.
 *   Left out is what is a series or a detail of a detail: lists of numbers, lists whose items have
 *   no name, and lists within an item of a list, unless that item is a subject.
 *
 * The result has passed layout_check.
 */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "value/layout.h"

/* Longer texts are no rows. */
#define ROWS_TEXT_MOST 255

/* Each may be NULL; texts are valid during the call. */
struct rows_subject {
	const char *program;	 /* without the @ and the size of a workload */
	const json_t *arguments; /* a list of texts */
	const char *program_sha256;
	const json_t *configuration; /* as in the result */
	/* Of the machine: the configuration's own, else those of the machine around it with the
	 * changes of this one. */
	const json_t *parameters;
};

struct rows_number {
	const char *member, *of, *name;
	const json_t *value; /* a number, true, false or a text */
	const char *unit, *meaning;
};

struct rows_sink {
	/* Subjects are numbered from 0 in the order of these calls. Each of the two is false if
	 * the walk should end. */
	bool (*subject)(void *context, const struct rows_subject *subject);
	bool (*number)(void *context, size_t subject, const struct rows_number *number);
	void *context;
};

/* False if one of them was false. */
bool rows_walk(const json_t *result, const struct layout *layout, const struct rows_sink *sink);

/* The program's name without what tells where it was found: chess of @chess:test. */
void rows_program_name(char *name, size_t bytes, const char *given);

#endif

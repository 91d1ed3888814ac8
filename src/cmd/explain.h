/*
 * explain.h - everything that has a name, collected from the tables that define it, and found by
 * its name: components and causes, ways of counting, signals and counted values, units, parameters
 * and their words, options, commands, presets, workloads, what results are made of.
 *
 * No name is listed here. A thing is a JSON object as result `explain` has it (layouts.def).
 *
 * What a result calls by names of its own (functions, files) and the titles of tables that no table
 * of this project has are not known here.
 */
#ifndef CMD_EXPLAIN_H
#define CMD_EXPLAIN_H

#include <jansson.h>
#include <stdbool.h>

#include "base/nearest.h"

struct explain_kind {
	const char *name;
	const char *meaning;
	void (*collect)(json_t *things);
	bool is_short; /* its things are listed where no word is given */
};

extern const struct explain_kind explain_kinds[]; /* ends with a NULL name */

/* A list of all things, in the order of the kinds. Presets and workloads are those that are
 * installed. */
json_t *explain_all(void);
/* Whether a word means a thing: its name, or a pattern of it, capital or small. Workloads may be
 * written without @ or with a size, options without dashes or by their letter. */
bool explain_means(const char *word, const json_t *thing);
/* The nearest name of them all. */
struct nearest explain_nearest(const char *word, const json_t *things);

#endif

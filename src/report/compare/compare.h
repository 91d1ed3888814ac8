/*
 * compare.h - compares two results of `run` or of `exec` value by value, and the places where
 * their cycles were spent.
 *
 * The values compared are those that the results' layouts mark as compared; whether a result has
 * cycles and stacks follows from the members of its layout. Files may come from anywhere: they are
 * checked against their layouts first. Runs of different schemas are compared in what both have. A
 * partial result is compared only with one that stopped at the same instruction.
 *
 * Does not decide whether a change matters, except by a limit on the growth of cycles.
 */
#ifndef REPORT_COMPARE_COMPARE_H
#define REPORT_COMPARE_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "report/compare/change.h"
#include "report/compare/objects.h"
#include "report/compare/paths.h"
#include "value/layout.h"

struct compare_side {
	const char *path;
	json_t *root;
	const struct layout *layout;
	json_t *values;	      /* name -> number, in the order of the file */
	struct stacks stacks; /* empty if the result has no stacks */
	struct calls calls;   /* no nodes if the run has not followed calls */
};

/* One value; NAN if a side does not have it. */
struct compare_row {
	const char *name; /* owned by the values of a side */
	double a, b;
	bool is_whole;
};

/* The changes of one kind: components, functions or lines. */
struct compare_section {
	const char *title;  /* the heading in text */
	const char *member; /* the name of the member in JSON */
	struct change *(*list)(const struct stacks *a, const struct stacks *b, size_t *count);
};

#define COMPARE_SECTIONS 3
extern const struct compare_section compare_sections[COMPARE_SECTIONS];

/* A note names so many parameters that differ; more are counted there, and listed beside it. */
#define COMPARE_PARAMETERS_NAMED 4

struct comparison {
	/* Set before comparison_read. */
	bool has_limit;
	uint64_t limit_millionths; /* limit in millionths of a percent, exactly */

	struct compare_side a, b;
	/* Cycles, instructions and CPI first; then the values that differ. */
	struct compare_row *rows;
	size_t row_count, first_count;
	size_t difference_count; /* number of values that differ, without CPI */
	bool is_above;		 /* cycles grew by more than the limit */
	bool has_stacks;	 /* both results have stacks */
	struct change *changes[COMPARE_SECTIONS];
	size_t change_counts[COMPARE_SECTIONS];
	struct paths paths; /* none unless both runs have followed calls */
	bool has_objects;   /* both runs have looked at data */
	struct object_change *objects;
	size_t object_count;
	json_t *notes; /* a list of strings: reasons why the two are less comparable */
	/* The parameters of the two machines that differ, as in layouts.def; NULL if one of the
	 * results does not have its machine's. */
	json_t *parameters;
};

/* Compares the results in two files; a side whose root is set already is that result, and the
 * path is what it is called. False with a sentence; release it in any case. */
bool comparison_read(struct comparison *c, const char *path_a, const char *path_b, struct err *err);
void comparison_release(struct comparison *c);

/* A result has cycles if it was simulated. */
bool compare_is_timed(const struct compare_side *side);
/* Growth of a row in percent; not finite if the first value is 0. */
double compare_percent(const struct compare_row *row);

/* The comparison as a result (schema cyclestack-diff-1); the caller owns it. */
json_t *comparison_json(const struct comparison *c);

#endif

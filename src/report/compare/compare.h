/*
 * compare.h - two results of `run` or of `exec`, compared value by value and by where their
 * cycles went.
 *
 * What is compared is what the results' layouts mark as compared; whether a result has cycles
 * and stacks follows from the members its layout has. Files may have been written by anyone:
 * they are checked against their layouts first. Runs of different schemas are compared in what
 * both have. A partial result is compared only with one that stopped at the same place.
 *
 * Says nothing about whether a change matters, save for a limit on the growth of cycles.
 */
#ifndef REPORT_COMPARE_COMPARE_H
#define REPORT_COMPARE_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "report/compare/change.h"
#include "value/layout.h"

/* A result as read. */
struct compare_side {
	const char *path;
	json_t *root;
	const struct layout *layout;
	json_t *values;		/* name -> number, in the order of the file */
	struct profile profile; /* empty without stacks */
};

/* One value; NAN stands for "there is none". */
struct compare_row {
	const char *name; /* belongs to the values of a side */
	double a, b;
	bool is_whole;
};

/* What changed of one kind of thing. */
struct compare_section {
	const char *title;  /* for people */
	const char *member; /* of the JSON */
	struct change *(*list)(const struct profile *a, const struct profile *b, size_t *count);
};

#define COMPARE_SECTIONS 3
extern const struct compare_section compare_sections[COMPARE_SECTIONS];

struct comparison {
	/* Set before comparison_read. */
	bool has_limit;
	uint64_t limit_millionths; /* of a percent, exactly */

	struct compare_side a, b;
	struct compare_row *rows; /* first cycles, instructions and CPI; then what differs */
	size_t row_count, first_count;
	size_t difference_count; /* of values, not of CPI */
	bool is_above;		 /* cycles grew by more than the limit */
	bool has_stacks;	 /* both have */
	struct change *changes[COMPARE_SECTIONS];
	size_t change_counts[COMPARE_SECTIONS];
	json_t *notes; /* each a text: what makes the two less comparable */
};

/* Of the results in two files. False with a sentence; release it in any case. */
bool comparison_read(struct comparison *c, const char *path_a, const char *path_b, struct err *err);
void comparison_release(struct comparison *c);

/* A result has cycles if it was simulated. */
bool compare_is_timed(const struct compare_side *side);
/* Growth of a row in percent; not finite if there is nothing to divide by. */
double compare_percent(const struct compare_row *row);

/* The comparison as a result of its own (schema cyclestack-diff-1); owned by the caller. */
json_t *comparison_json(const struct comparison *c);

#endif

/*
 * plan.h - which points an experiment has, and what becomes of their results.
 *
 * A plan is made from a subject and options before anything runs, and can be read: the tests hold
 * its points without running them. Results are taken in the order in which points end, each by the
 * point's number, so what is concluded does not depend on that order.
 *
 * Every command that runs many simulations makes a plan; none has a loop over simulations of its
 * own. Plans print nothing.
 */
#ifndef EXPERIMENT_PLAN_H
#define EXPERIMENT_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "experiment/point.h"

/* Programs, and the machine that they run on or that others are changes of. */
struct subject {
	struct program *programs;
	size_t program_count;
	struct job_machine machine;
};

struct plan {
	struct point *points;
	size_t count, capacity;
	/* Point i is done; the result is valid during the call. False with a sentence ends the
	 * rest. */
	bool (*take)(struct plan *plan, size_t i, json_t *result, struct err *err);
	/* What the results taken so far amount to, owned by the caller. If the user interrupted,
	 * that is a part; NULL without a sentence if there is no such part. NULL with a sentence if
	 * the results do not fit together. */
	json_t *(*conclude)(struct plan *plan, bool interrupted, struct err *err);
	void (*release)(struct plan *plan); /* releases what `own` has, not that itself */
	void *own;
};

/* A plan without points, which owns so many zeroed bytes and has these functions. */
struct plan *plan_create(size_t own_bytes, const struct plan *functions);

void plan_add(struct plan *plan, const struct point *point);
/* The plan and all it owns; NULL is allowed. */
void plan_destroy(struct plan *plan);

#endif

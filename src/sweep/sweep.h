/*
 * sweep.h - the same programs on many machines: plans them as variations of one machine, runs them
 * as jobs and puts the results side by side (schema cyclestack-sweep-1).
 *
 * The machines are the given one and each variation of it; with a grid, each of these with every
 * combination of the grid's values. The first is what the others are compared with.
 *
 * Not here: resuming, and running on other computers.
 */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "job/judge.h"

#define SWEEP_MACHINES_MOST 4096

struct sweep_request {
	struct judge_request base;
	/* Each "key=value,key=value,...": one machine. */
	const char *const *variations;
	size_t variation_count;
	/* Each "key=value,value,...": every combination. */
	const char *const *grid;
	size_t grid_count;
};

/* The machines; release them with sweep_machines_release. NULL with a sentence if one of them is
 * not possible. */
struct sweep_machines;
struct sweep_machines *sweep_plan(const struct sweep_request *request, struct err *err);
void sweep_machines_release(struct sweep_machines *machines); /* NULL is allowed */

/* The result; runs that were not done when the user interrupted are left out, and *interrupted is
 * set. NULL with a sentence if a simulation failed. */
json_t *sweep_run(const struct sweep_request *request, const struct sweep_machines *machines,
		  bool *interrupted, struct err *err);

#endif

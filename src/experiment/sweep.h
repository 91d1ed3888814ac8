/*
 * sweep.h - the same programs on many machines: plans them as variations of one machine and puts
 * the results side by side (schema cyclestack-sweep-1).
 *
 * The machines are the given one and each variation of it; with a grid, each of these with every
 * combination of the grid's values. The given machine, the base, is always among them, so that each
 * row can be compared with it: if no combination is equal to it, it is one machine more, the first.
 * Machines with equal parameters are simulated once and have a row each.
 *
 * Not here: running on other computers.
 */
#ifndef EXPERIMENT_SWEEP_H
#define EXPERIMENT_SWEEP_H

#include "experiment/plan.h"

#define SWEEP_MACHINES_MOST 4096

struct sweep_request {
	const struct subject *subject; /* must outlive the plan */
	/* Each "key=value,key=value,...": one machine. */
	const char *const *variations;
	size_t variation_count;
	/* Each "key=value,value,...": every combination. */
	const char *const *grid;
	size_t grid_count;
};

/* The points are those of the first program on all machines, then the next program's. Concludes the
 * result; runs that were not done when the user interrupted are left out. NULL with a sentence if a
 * machine is not possible. */
struct plan *sweep_plan(const struct sweep_request *request, struct err *err);

#endif

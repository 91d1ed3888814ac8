/*
 * advise.h - what would help a program: finds what a run lost and where, then simulates the
 * machines on which that is gone, and real steps of the machine against it (schema
 * cyclestack-advise-1).
 *
 * Two plans, one after the other: the base plan has one point, whose result says what was lost; the
 * plan of advice has a point for each machine of advise_sites.h and advise_steps.h. A program of at
 * most `whole_most` instructions is simulated whole on each, so what it gains is what `run --set`
 * gives. Of a longer one, machines that a run can change into (machine/live.h) are simulated in
 * windows of one run, and gains have an error; all others are simulated whole all the same.
 *
 * Every gain in the result was simulated. Changes are not added up: each is by itself.
 */
#ifndef EXPERIMENT_ADVISE_H
#define EXPERIMENT_ADVISE_H

#include "experiment/plan.h"

#define ADVISE_WHOLE_MOST UINT64_C(50000000)
/* Of the cycles, that a change must gain to be advised. */
#define ADVISE_WORTH 0.02

struct advise_request {
	const struct program *program;
	const struct job_machine *machine;
	unsigned copies; /* of a worker that measures in windows, at once; they decide nothing */
	uint64_t whole_most; /* instructions of a program that is simulated whole */
};

/* Concludes the result of `run` that advise_plan takes. The request must outlive the plans. */
struct plan *advise_base_plan(const struct advise_request *request);
/* Concludes the advice; what was not simulated when the user interrupted is left out. `base` must
 * outlive it. NULL with a sentence if the base is not what a base plan concludes. */
struct plan *advise_plan(const struct advise_request *request, const json_t *base, struct err *err);

#endif

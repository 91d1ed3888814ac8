/*
 * judge.h - compares every method with the truth, program by program: plans the simulations
 * (count/truth.h) and assembles the result (schema cyclestack-judge-1). With all orders there are
 * more machines for each program, and the result has besides what orders A and B say the range and
 * the mean of each component over all of them.
 */
#ifndef EXPERIMENT_JUDGE_H
#define EXPERIMENT_JUDGE_H

#include "experiment/plan.h"

/* What there is to do. */
struct judge_work {
	size_t machines;    /* simulated for each program */
	size_t simulations; /* of all programs */
	uint64_t orders;    /* with all_orders: their number; else 0 */
};

struct judge_work judge_work_of(const struct subject *subject, bool all_orders);

/* `all_orders`: the truth over all orders, not only A and B. The subject must outlive the plan.
 * Concludes the result, in which programs that were not done when the user interrupted are left
 * out; NULL with a sentence if the runs of a program did not commit the same instructions. */
struct plan *judge_plan(const struct subject *subject, bool all_orders);

#endif

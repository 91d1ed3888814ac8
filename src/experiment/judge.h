/*
 * judge.h - compares every method with the truth, program by program: plans the simulations
 * (count/truth.h) and assembles the result (schema cyclestack-judge-1). With all orders there are
 * more machines for each program, and the result has besides what orders A and B say the range and
 * the mean of each component over all of them.
 *
 * A quick judgement has one simulation for each program: its truth is order A as windows of that
 * run measure it (job/gain.h), each component within an interval. What a method's error may be
 * follows from that, and which of two methods is better may be open (judge_box.h). The method
 * `exact` is what the windows say, and so is not judged.
 */
#ifndef EXPERIMENT_JUDGE_H
#define EXPERIMENT_JUDGE_H

#include "experiment/plan.h"
#include "job/parts.h"

/* What is compared with. */
struct judge_options {
	bool all_orders; /* the truth over all orders, not only A and B */
	bool is_quick;	 /* the truth of windows; not with all orders */
	/* Of a quick judgement: how closely windows measure, and how many copies of the worker do
	 * at once, at least 1, which decides no result. */
	struct gain_options gain;
	unsigned copies;
};

/* What there is to do. */
struct judge_work {
	size_t machines;    /* simulated for each program */
	size_t simulations; /* of all programs */
	uint64_t orders;    /* with all_orders: their number; else 0 */
};

struct judge_work judge_work_of(const struct subject *subject, const struct judge_options *options);

/* The subject and the options must outlive the plan. Concludes the result, in which programs that
 * were not done when the user interrupted are left out; NULL with a sentence if the runs of a
 * program did not commit the same instructions, or if no window of a quick judgement measured
 * anything. */
struct plan *judge_plan(const struct subject *subject, const struct judge_options *options);

#endif

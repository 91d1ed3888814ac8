/*
 * judge.h - compares every method with the truth, program by program: plans the simulations
 * (count/truth.h), runs them as jobs and assembles the result (schema cyclestack-judge-1). With all
 * orders there are more machines for each program, and the result has besides what orders A and B
 * say the range and the mean of each component over all of them.
 */
#ifndef JOB_JUDGE_H
#define JOB_JUDGE_H

#include <jansson.h>

#include "job/job.h"

struct judge_request {
	struct program *programs;
	size_t program_count;
	struct job_machine machine;
	const struct job_shelf *shelf; /* of finished simulations; NULL: none */
	bool all_orders;	       /* the truth over all orders, not only A and B */
	unsigned at_once;	       /* number of simulations that run at the same time */
	/* If not NULL, called from time to time with the number of simulations done and of all. */
	void (*progress)(void *context, size_t done, size_t all);
	void *context;
};

/* What there is to do. */
struct judge_work {
	size_t machines;    /* simulated for each program */
	size_t simulations; /* of all programs */
	uint64_t orders;    /* with all_orders: their number; else 0 */
};

struct judge_work judge_work_of(const struct judge_request *request);

/* The result; programs that were not done when the user interrupted are left out, and
 * *interrupted is set. NULL with a sentence if a simulation failed, or if the runs of a program
 * did not commit the same instructions. */
json_t *judge_run(const struct judge_request *request, bool *interrupted, struct err *err);

#endif

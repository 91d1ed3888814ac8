/*
 * judge.h - every method against the truth, program by program: plans the simulations
 * (count/truth.h), runs them as jobs and puts together the result (schema cyclestack-judge-1).
 */
#ifndef JOB_JUDGE_H
#define JOB_JUDGE_H

#include <jansson.h>

#include "job/job.h"

struct judge_request {
	struct program *programs;
	size_t program_count;
	struct job_machine machine;
	unsigned at_once; /* simulations */
	/* From time to time, if not NULL: so many of all simulations are done. */
	void (*progress)(void *context, size_t done, size_t all);
	void *context;
};

/* The result; programs that were not done when the user interrupted are left out, and
 * *interrupted says so. NULL with a sentence if a simulation failed, or if the runs of a
 * program did not commit the same instructions. */
json_t *judge_run(const struct judge_request *request, bool *interrupted, struct err *err);

#endif

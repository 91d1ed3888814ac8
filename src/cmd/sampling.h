/*
 * sampling.h - what run --sample does around its job: finds out how long the program is, chooses
 * how far units are apart, and runs again with more of them until the error is small enough; or
 * chooses simulation points (simpoint.h).
 *
 * The program's length is learnt by executing it once, without time and without what it would
 * print. That only decides how many units there are; --sample=PERIOD says it instead.
 */
#ifndef CMD_SAMPLING_H
#define CMD_SAMPLING_H

#include <stdbool.h>

#include "cmd/simpoint.h"
#include "job/job.h"

struct sampling {
	bool is_asked, finds_period;
	bool is_by_phases; /* --sample=simpoint */
	struct simpoint simpoint;
	double within; /* of the cycles; 0: no width is asked for */
};

/* Reads --sample and what belongs to it. False with a sentence; release either way. */
bool sampling_from_args(struct sampling *sampling, struct job *job, const struct args *args,
			struct err *err);
/* Chooses the period, or the points, of a job whose program is open; executes it if it must. False
 * with a sentence. */
bool sampling_prepare(struct sampling *sampling, struct job *job, const struct args *args,
		      struct outputs *outputs, struct err *err);
/* Whether the job shall run again to come within the width that is asked for; it then has a shorter
 * period. Says so, or that it cannot. */
bool sampling_goes_on(const struct sampling *sampling, struct job *job, const json_t *result);
void sampling_release(struct sampling *sampling);

#endif

/*
 * experiment.h - runs the points of a plan, some at a time, each in a jailed worker of its own.
 *
 * This is the one loop over programs, machines and repetitions. Whatever runs many simulations has
 * from here: results that are kept on a shelf and found there again, the number of points done with
 * the time left, an interruption that loses only what is under way, and points that are begun again
 * because their worker was killed from outside. What a plan concludes does not depend on any of
 * these.
 *
 * Points run as processes of this computer; there is no other place to run them.
 */
#ifndef EXPERIMENT_EXPERIMENT_H
#define EXPERIMENT_EXPERIMENT_H

#include "experiment/plan.h"
#include "experiment/shelf.h"

/* How often a point is begun again whose worker was killed from outside. */
#define EXPERIMENT_RETRIES 2

struct experiment_progress {
	size_t done, all;
	double seconds_left; /* at the average speed so far; negative: not known yet */
};

/* How a plan is run. */
struct experiment {
	unsigned at_once;
	struct shelf *shelf; /* NULL: nothing is kept */
	/* At least five times a second. May be NULL. */
	void (*progress)(void *context, const struct experiment_progress *progress);
	void *context;
};

/* Hands every result to the plan. True if all were done, or the user interrupted (then
 * *interrupted). False with a sentence about the first that failed. */
bool experiment_run(const struct experiment *experiment, struct plan *plan, bool *interrupted,
		    struct err *err);
/* The same, and what the plan concludes; NULL as there, or with a sentence, of kind ERR_STOPPED
 * if the user interrupted before there was anything to conclude. */
json_t *experiment_result(const struct experiment *experiment, struct plan *plan, bool *interrupted,
			  struct err *err);

/* Seconds of a clock that only goes on, and the progress of work that began at `began` with `found`
 * of its parts done. */
double experiment_now(void);
struct experiment_progress experiment_progress_since(double began, size_t found, size_t done,
						     size_t all);

#endif

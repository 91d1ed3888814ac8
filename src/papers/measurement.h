/*
 * measurement.h - what the plans of the papers' measurements are made from.
 *
 * A plan of this folder concludes one member of a paper's result; the file that makes it describes
 * the member. Nothing here prints or reads a command line: what a plan needs besides its subject is
 * asked for through this request.
 */
#ifndef PAPERS_MEASUREMENT_H
#define PAPERS_MEASUREMENT_H

#include "experiment/plan.h"

struct measurement_request {
	const struct subject *subject; /* must outlive the plan */
	const char *example; /* the name of the program that is the paper's example, or "" */
	json_t *synthesis;   /* what hough2006_synthesis.h sets, or NULL; not owned */
	/* Opens a workload "@name:size" that is not of the subject. False with a sentence; the plan
	 * releases the program in both cases. */
	bool (*open)(struct program *program, const char *name, struct err *err);
};

#endif

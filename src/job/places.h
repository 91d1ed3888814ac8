/*
 * places.h - where in the program the cycles were spent, as JSON: the members "exact" (causes,
 * functions, lines, threads, intervals) and "annotation" of a run's result.
 *
 * Addresses are converted to functions and source lines here, by the program's own symbols and
 * line numbers. Code of another file (the loader and shared libraries of a dynamic program) is one
 * function with the name of that file; code without a symbol is "(unknown)". Every slot belongs to
 * a function: the functions add up to the run.
 */
#ifndef JOB_PLACES_H
#define JOB_PLACES_H

#include <jansson.h>

#include "count/exact.h"
#include "job/job.h"

/* If symbols or lines cannot be read, places are given without them. */
void places_describe(struct exact *exact, const struct job *job, const struct process *process,
		     json_t *result);

#endif

/*
 * places.h - where in the program the cycles went, as JSON: the members "exact" (causes, functions,
 * lines, threads, intervals) and "annotation" of a run's result.
 *
 * Addresses become functions and source lines here, from the program's own symbols and
 * line numbers. Code of another file (the loader and shared libraries of a dynamic
 * program) is one function, named by that file; code without a symbol is
 * "(unknown)". All slots find a place: the functions add up to the run.
 */
#ifndef JOB_PLACES_H
#define JOB_PLACES_H

#include <jansson.h>

#include "count/exact.h"
#include "job/job.h"

/* Symbols or lines that cannot be read are done without. */
void places_describe(struct exact *exact, const struct job *job, const struct process *process,
		     json_t *result);

#endif

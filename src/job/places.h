/*
 * places.h - where in the program the cycles were spent, as JSON: the members "exact" (causes,
 * functions, lines, threads, intervals) of a run's result; annotate.h adds instructions.
 *
 * Addresses are converted to functions and source lines here, by the symbols and line numbers of
 * the program and of the files it has mapped (libraries.h). A function of such a file has the file
 * behind its name, memcpy@libc.so.6, and --annotate takes it with and without. Code of it without a
 * symbol is told apart by unwinding records (image/frames.h), libc.so.6+0x7c3a0 by the address in
 * the file, or else is one function with the name of the file; code of the program without a symbol
 * is "(unknown)".
 * Every slot belongs to a function: the functions add up to the run. What the compiler inlined
 * stays with the function that it was inlined into, and is listed there by the names of the calls.
 */
#ifndef JOB_PLACES_H
#define JOB_PLACES_H

#include <jansson.h>

#include "count/exact.h"
#include "job/job.h"
#include "job/parts.h"

struct sites;

/* If symbols or lines cannot be read, places are given without them. `sites` may be NULL. */
void places_describe(struct exact *exact, const struct sites *sites,
		     const struct part_places *places, const struct job *job,
		     struct process *process, json_t *result);
/* {"l1d": N, ...}: all causes that the machine has, or only those with slots. */
json_t *places_slots(const struct config *config, const uint64_t *slots, bool all);

#endif

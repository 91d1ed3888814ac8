/*
 * run_json.h - what the counter architectures say of a run, as JSON: the members
 * "stacks", "topdown", "stages", "exact" and "annotation" of a result (schema
 * cyclestack-run-2).
 *
 * Addresses become functions and source lines here, from the program's own symbols and
 * line numbers. Code of another file (the loader and shared libraries of a dynamic
 * program) is one function, named by that file; code without a symbol is
 * "(unknown)". All slots find a place: the functions add up to the run.
 */
#ifndef JOB_RUN_JSON_H
#define JOB_RUN_JSON_H

#include <jansson.h>

#include "count/counters.h"
#include "linux/process.h"

struct run_json_program {
	const uint8_t *image;
	size_t image_bytes;
	const char *name;
	const struct process *process;
	const char *annotate; /* a function, or NULL */
};

/* Adds the members to the object `result`. False with a sentence if the function to
 * annotate does not exist. Symbols or lines that cannot be read are done without. */
bool run_json_add(json_t *result, struct counters *counters, const struct run_json_program *program,
		  struct err *err);

/* {"base": N, ...}: the components that a machine of this configuration has. */
json_t *run_json_components(const struct config *config, const struct stack *stack);

#endif

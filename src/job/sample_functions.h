/*
 * sample_functions.h - the slots of each function in each slice of a sampled run, from which its
 * cycles in the whole program are estimated.
 *
 * A function is that of places.h, without its lines. An instruction's is found when the slice in
 * which it was first executed has ended, and its file is still mapped.
 */
#ifndef JOB_SAMPLE_FUNCTIONS_H
#define JOB_SAMPLE_FUNCTIONS_H

#include <jansson.h>

#include "count/exact.h"
#include "job/sample.h"
#include "linux/process.h"

struct sample_functions;

struct sample_functions *sample_functions_create(struct process *process);
void sample_functions_destroy(struct sample_functions *functions);
/* A slice has ended, and the core is empty: what was charged since the last call is the slice's. */
void sample_functions_end_slice(struct sample_functions *functions, struct exact *exact);
/* Those with a thousandth of the cycles or more, at most 100, the hottest first: [{"name",
 * "cycles": {"value", "error"}}]. `cycles` are those of the program, which all slots make. */
json_t *sample_functions_json(const struct sample_functions *functions,
			      const struct sample_units *slices, double cycles);

#endif

/*
 * functions.h - the functions of a program's file, for who chooses among them before it is run.
 *
 * The file is read in a jailed worker, as for a run; what that sends is checked.
 */
#ifndef JOB_FUNCTIONS_H
#define JOB_FUNCTIONS_H

#include <jansson.h>

#include "job/program.h"

#define FUNCTIONS_MOST 200000 /* more are left out */

/* {"functions": [{"name", "bytes"}], "left_out": N}, by ascending address, owned by the caller.
 * NULL with a sentence. */
json_t *job_functions(const struct program *program, struct err *err);

#endif

/*
 * inspect.h - inspecting the events of a simulated machine, for other commands than `inspect`.
 */
#ifndef CMD_INSPECT_H
#define CMD_INSPECT_H

#include <jansson.h>

#include "cmd/command.h"
#include "job/job.h"

/* A whole result of `inspect`, with the points of the plots; the caller owns it. NULL with a
 * sentence; NULL and *interrupted if the user interrupted. */
json_t *inspect_simulated(const struct job_machine *machine, const struct args *args,
			  unsigned at_once, bool *interrupted, struct err *err);

#endif

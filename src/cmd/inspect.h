/*
 * inspect.h - inspecting the events of a simulated machine, for other commands than `inspect`.
 */
#ifndef CMD_INSPECT_H
#define CMD_INSPECT_H

#include <jansson.h>

#include "cmd/runner.h"

/* A whole result of `inspect`, with the points of the plots; the caller owns it. NULL with a
 * sentence; NULL and *interrupted if the user interrupted. */
json_t *inspect_simulated(const struct job_machine *machine, struct runner *runner,
			  bool *interrupted, struct err *err);

#endif

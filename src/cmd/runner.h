/*
 * runner.h - runs the plans of a command: with the store of --reuse or the usual one, and a
 * progress line.
 */
#ifndef CMD_RUNNER_H
#define CMD_RUNNER_H

#include "cmd/command.h"
#include "cmd/progress.h"
#include "experiment/experiment.h"

struct runner {
	const struct args *args;
	unsigned at_once;
	struct shelf shelf;
	struct progress progress; /* of the plan that runs */
};

/* What runner_close accepts before runner_open was called. */
#define RUNNER_CLOSED                    \
	{                                \
		.shelf = {.path = NULL } \
	}

/* False with a sentence if that store cannot be used. Close either way. */
bool runner_open(struct runner *runner, const struct args *args, unsigned at_once, struct err *err);
/* As experiment_run and experiment_result. */
bool runner_run(struct runner *runner, struct plan *plan, bool *interrupted, struct err *err);
json_t *runner_result(struct runner *runner, struct plan *plan, bool *interrupted, struct err *err);
/* `is_whole`: the command has all its results. Else says on standard error what is kept. */
void runner_close(struct runner *runner, bool is_whole);

#endif

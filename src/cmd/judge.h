/*
 * judge.h - the request that `judge`, `sweep` and `reproduce` make: programs and a machine from a
 * command line, and a progress line.
 */
#ifndef CMD_JUDGE_H
#define CMD_JUDGE_H

#include "cmd/command.h"
#include "job/judge.h"
#include "job/misses.h"

/* Reads the operands of a command as programs, each optionally followed by arguments after
 * blanks. False with a sentence and the exit status in *status. Release it in both cases. */
bool judge_open(struct judge_request *request, const struct args *args, int *status,
		struct err *err);
void judge_release(struct judge_request *request);
/* As judge_run, with a progress line on a terminal. */
json_t *judge_with_progress(struct judge_request *request, const struct args *args,
			    bool *interrupted, struct err *err);
/* The same for misses_run. */
json_t *judge_misses_with_progress(struct judge_request *request, const char *example,
				   const struct args *args, bool *interrupted, struct err *err);

#endif

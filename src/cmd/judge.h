/*
 * judge.h - judging every counter architecture against the truth, program by program:
 * plans the simulations, runs them on the cores of the machine and puts together the
 * result (schema cyclestack-judge-1).
 */
#ifndef CMD_JUDGE_H
#define CMD_JUDGE_H

#include <jansson.h>

#include "cmd/program.h"
#include "config/config.h"

struct judge_request {
	struct program *programs;
	size_t program_count;
	struct config config;
	const char *config_name;
	const char **changes; /* by --set */
	size_t change_count;
	unsigned jobs;
};

/* The result; programs that were not done when the user interrupted are left out, and
 * *interrupted says so. NULL with a sentence if a simulation failed, or if the runs of a
 * program did not commit the same instructions. */
json_t *judge_run(const struct judge_request *request, bool *interrupted, struct err *err);

/* The operands of a command as programs, each perhaps with arguments behind blanks. False
 * with a sentence; *status then is the exit status to use. Release either way. */
bool judge_open(struct judge_request *request, const struct args *args, int *status,
		struct err *err);
void judge_release(struct judge_request *request);

#endif

/*
 * judge.h - what `judge` and `reproduce` ask to be judged: programs and a machine from a command
 * line, and a progress line.
 */
#ifndef CMD_JUDGE_H
#define CMD_JUDGE_H

#include "cmd/command.h"
#include "job/judge.h"

/* The operands of a command as programs, each perhaps with arguments behind blanks. False
 * with a sentence; *status then is the exit status to use. Release either way. */
bool judge_open(struct judge_request *request, const struct args *args, int *status,
		struct err *err);
void judge_release(struct judge_request *request);
/* As judge_run, with a progress line on a terminal. */
json_t *judge_with_progress(struct judge_request *request, bool *interrupted, struct err *err);

#endif

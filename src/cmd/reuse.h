/*
 * reuse.h - a run whose result is in the store already: found by the key of its job (job/key.h) and
 * not simulated again.
 *
 * Whatever decides the result is part of the key: the program's bytes, arguments and environment,
 * the machine, the parts of the job, this tool's own bytes, and what the program can read of its
 * standard input. A run that can read files of the host has no key, nor has one that reads a
 * terminal or a pipe.
 */
#ifndef CMD_REUSE_H
#define CMD_REUSE_H

#include <jansson.h>

#include "cmd/outputs.h"
#include "job/job.h"
#include "job/key.h"

struct reuse {
	char key[JOB_KEY_BYTES];
	bool has_key;
	int64_t id; /* of the result that was found */
};

/* Looks for the result of the job: with --reuse, and else only makes its key, where a store is
 * given. *result is NULL if the job has to be run; else it is the caller's, and `outputs` knows
 * that it is from the store. False with a sentence. To be called before the program's output is
 * directed anywhere. */
bool reuse_find(struct reuse *reuse, const struct job *job, const struct args *args,
		struct outputs *outputs, json_t **result, struct err *err);
/* Tells `outputs` the key of a result that was made, unless time or somebody ended the run: another
 * one would end elsewhere. */
void reuse_made(const struct reuse *reuse, struct outputs *outputs,
		const struct worker_report *report);

#endif

/*
 * guest_job.h - running a program in the worker, the same for every command that
 * does: options, warnings, progress line, partial results.
 *
 * A command's own job struct begins with a struct guest_job; its body, run in the
 * jailed worker, gets the struct.
 */
#ifndef CMD_GUEST_JOB_H
#define CMD_GUEST_JOB_H

#include <jansson.h>

#include "cmd/command.h"
#include "cmd/program.h"
#include "cmd/progress.h"
#include "job/worker.h"

struct guest_job {
	struct program program;
	struct progress progress;
};

/* Runs `body` with the job. False with a sentence if it failed; else *result is
 * its JSON (yours to release), or NULL if it was stopped before it had one, and
 * *report says what stopped it. */
bool guest_job_run(struct guest_job *job, void (*body)(struct worker *worker, void *job),
		   json_t **result, struct worker_report *report, struct err *err);

/* In the worker: the process with its warnings going to the parent; NULL, and the
 * error sent, if it cannot be made. */
struct process *guest_job_start(struct guest_job *job, struct worker *worker);
/* The program as results name it: argv[0], the other arguments, the file's hash. Bytes
 * that are not UTF-8 become '?'. */
json_t *guest_job_program(const struct program *program);
/* In the worker. */
void guest_job_send(struct worker *worker, json_t *result);

/* Writes the result where --json says, if it was given. */
bool guest_job_write(const struct args *args, const json_t *result, struct err *err);

/* Says on standard error what stopped the run after so many instructions; returns
 * the exit status that means it. */
int guest_job_explain(const struct worker_report *report, uint64_t instructions);

#endif

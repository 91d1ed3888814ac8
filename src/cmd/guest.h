/*
 * guest.h - running a job for a command: warnings and a progress line on standard error, the
 * exit status of a run that was stopped.
 */
#ifndef CMD_GUEST_H
#define CMD_GUEST_H

#include <jansson.h>

#include "cmd/command.h"
#include "job/job.h"

/* As job_start, with warnings, a progress line, and what --verbose says. */
bool guest_run(const struct job *job, const struct args *args, json_t **result,
	       struct worker_report *report, struct err *err);

/* What else a command does while its program runs. */
struct guest_watcher {
	void (*data)(void *context, const void *bytes, size_t size);
	void (*tick)(void *context); /* about five times a second */
	void (*ready)(void *context);
	int watched;	     /* as struct job_listener has it */
	bool hides_progress; /* the line that is drawn over and over, not those of --progress */
	void *context;
};
bool guest_run_watched(const struct job *job, const struct args *args,
		       const struct guest_watcher *watcher, json_t **result,
		       struct worker_report *report, struct err *err);

/* Says on standard error what stopped the run after so many instructions, and whether there is a
 * partial result; returns the exit status that means it. */
int guest_explain_stop(const struct worker_report *report, uint64_t instructions, bool has_result);
/* The same of a run that was stopped before it had a result. */
int guest_explain_nothing(const struct worker_report *report);

/* The machine of --config and --set, as config_from_args. Strings are those of the arguments. */
bool machine_from_args(struct job_machine *machine, const struct args *args, struct err *err);

/* The value of --jobs; by default the number of the host's cores. */
bool jobs_from_args(unsigned *at_once, const struct args *args, struct err *err);

#endif

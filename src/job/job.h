/*
 * job.h - program + configuration + observers -> result.
 *
 * A job says everything that decides its result: which program with what of the host, on which
 * machine or on none, from where to where, who observes. Running it gives the JSON of a result
 * (cyclestack-run with a machine, cyclestack-exec without), which has passed every check there is:
 * the identities of core and caches, the sums of all observers. Every command that runs a program,
 * and the library, goes through here.
 *
 *   job_run    runs in this process, with a process that the caller made and keeps
 *   job_begin, job_continue, job_result, job_end   the same in pieces, with a machine
 *   job_start  runs in a jailed worker of its own, and waits for it
 *   jobs_run   runs many, each in a worker, some at a time
 */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "count/what_if.h"
#include "job/program.h"
#include "job/worker.h"
#include "machine/observer.h"
#include "machine/observer_thread.h"
#include "machine/simulation.h"
#include "rtl/circuit.h"
#include "stats/request.h"

/* A machine, and how results name it. */
struct job_machine {
	struct config config;
	const char *name;	    /* of the configuration, without its directory */
	const char *const *changes; /* single parameters, "key=value" */
	size_t change_count;
};

/* {"name", "changes", "sha256"}: the machine as results name it. */
json_t *job_machine_json(const struct job_machine *machine);

#define JOB_EVERY_CALL UINT64_MAX

struct job {
	const struct program *program;
	const struct job_machine *machine; /* NULL: functionally, without time */
	/* Ends with NULL; NULL: none. */
	const struct observer_kind *const *observers;
	uint64_t skip;		   /* instructions to execute before the machine takes over */
	const char *roi;	   /* simulate only calls of this function; or NULL */
	uint64_t roi_call;	   /* the call's number; 0: the first; or JOB_EVERY_CALL */
	bool is_cold;		   /* what comes before warms no caches and predictors */
	uint64_t max_instructions; /* to simulate or execute; INT64_MAX: no limit */
	bool by_cycles;		   /* the program's clocks go by cycles */
	bool is_silent;		   /* the program reads and prints nothing */
	/* In a worker, the descriptors that the program's standard output and error go to; 0: this
	 * process's own. */
	int output, errors;
	/* In a worker of its own: 1: the core's thread observes too; 2: a second thread does; 0: a
	 * second one where the host has a core for it. The result is the same. */
	unsigned threads;
	/* A run that somebody stops has no result, instead of a partial one. */
	bool is_whole;
	/* What of `exact` the result has, if that observes: functions and lines; a stack for every
	 * so many instructions; the instructions of some functions. */
	bool has_functions;
	uint64_t interval; /* 0: none */
	const char *const *annotate;
	size_t annotate_count;
	/* If the observer `pipeline` observes: the first and last cycle of its window, unless it
	 * keeps its own. */
	bool has_window;
	uint64_t window_from, window_to;
	/* The statistics module counts too, and the result is a cyclestack-stat; or NULL. */
	const struct stats_request *stat;
	/* If the observer `what_if` observes: the machines. */
	const struct what_if *what_if;
	size_t what_if_count;
	/* Stimulus is made for these circuits, and sent to the parent (job/circuits.h). */
	const struct circuit *circuits;
	size_t circuit_count;
	/* Every record is sent to the parent as a file of trace/cycles.h; nothing else is sent. */
	bool records_cycles;
};

/* While a job runs in this process. Each may be NULL. */
struct job_watch {
	bool (*should_stop)(void *context);
	void (*progress)(void *context, uint64_t instructions);
	/* Receives what the statistics module hands out (job/stat.h), or the stimulus of circuits.
	 */
	void (*send)(void *context, const void *bytes, size_t size);
	void *context;
	struct observer_thread *thread; /* in which observers observe; NULL: this one */
};

/* The result, owned by the caller. NULL with a sentence if it failed; NULL and an empty sentence if
 * it was stopped before anything was simulated, or if is_whole. */
json_t *job_run(const struct job *job, struct process *process, const struct job_watch *watch,
		struct err *err);

/* The same in pieces, for a job with a machine. Where pieces end changes nothing. */
struct job_simulation {
	const struct job *job;
	struct process *process;
	struct simulation *simulation;
	struct pmu *pmu;
	struct observers *observers;	/* NULL: none */
	struct job_stat *stat;		/* NULL: none */
	struct cycles_writer *recorder; /* NULL: none */
	struct job_circuits *circuits;	/* NULL: none */
	/* Instructions executed without time: before the simulation, and between calls. */
	uint64_t skipped;
	struct warm warm;
	struct warm_function function; /* of job->roi */
};

/* `job` and `process` must outlive it. False with a sentence; then there is nothing to end. */
bool job_begin(struct job_simulation *run, const struct job *job, struct process *process,
	       const struct job_watch *watch, struct err *err);
/* Simulates about so many cycles more. False once the run is over, by itself or at the job's limit,
 * or with JOB_EVERY_CALL when a call has returned; it must not be continued then. */
bool job_continue(struct job_simulation *run, uint64_t cycles);
/* Where the run is: its process cannot go on, all of it has committed, or more would come. */
enum job_ending { JOB_FAILED, JOB_WHOLE, JOB_PARTIAL };
enum job_ending job_ending(const struct job_simulation *run);
/* The result so far, owned by the caller; a run can be continued after it. Reading ends the
 * interval under way where the job asks for intervals. NULL with a sentence. */
json_t *job_result(const struct job_simulation *run, struct err *err);
void job_end(struct job_simulation *run);

/* In a worker. `warn`, `progress`, `data` (each may be NULL) and `ready`, when `watched` can be
 * read, are called in this process, with `context`. False with a sentence if it failed; else
 * *result is its JSON, or NULL if it was stopped before it had one, and *report says what stopped
 * it. */
struct job_listener {
	void (*warn)(void *context, const char *sentence);
	void (*progress)(void *context, uint64_t instructions);
	void *context;
	void (*data)(void *context, const void *bytes, size_t size);
	void (*ready)(void *context);
	int watched; /* 0: nothing is */
};
/* Whether this system can confine the program; false with a sentence. */
bool job_may_start(const struct program *program, struct err *err);
bool job_start(const struct job *job, const struct job_listener *listener, json_t **result,
	       struct worker_report *report, struct err *err);

/* Finished results outside this process, so that a batch that was interrupted can go on. What is
 * found there is trusted as little as what a worker sends. */
struct job_shelf {
	/* The bytes of a result that an equal job had, owned by the caller; NULL if there are none.
	 */
	char *(*find)(void *context, const struct job *job, size_t *bytes);
	/* What `find` gave is no result, for the reason given. */
	void (*refuse)(void *context, const struct job *job, const char *reason);
	void (*keep)(void *context, const struct job *job, const char *result, size_t bytes);
	void *context;
};

/* Many of them, `at_once` at a time. */
struct job_batch {
	const struct job *jobs;
	size_t count;
	unsigned at_once;
	const struct job_shelf *shelf; /* NULL: none */
	/* Number i is done; the result is valid during the call. False with a sentence ends the
	 * rest. */
	bool (*done)(void *context, size_t i, json_t *result, struct err *err);
	/* At least five times a second: how many are done. May be NULL. */
	void (*progress)(void *context, size_t done);
	void *context;
};
/* True if all were done, or the user interrupted (then *interrupted). False with a sentence about
 * the first that failed. */
bool jobs_run(const struct job_batch *batch, bool *interrupted, struct err *err);

#endif

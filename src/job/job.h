/*
 * job.h - program + configuration + parts -> result.
 *
 * A job says everything that decides its result: which program with what of the host, on which
 * machine or on none, from where to where, with which parts (job/part.h). Running it gives the JSON
 * of a result (cyclestack-run with a machine, cyclestack-exec without), which has passed every
 * check there is: the identities of core and caches, the sums of all observers. Every command that
 * runs a program, and the library, goes through here.
 *
 *   job_run    runs in this process, with a process that the caller made and keeps
 *   job_begin, job_continue, job_result, job_end   the same in pieces, with a machine
 *   job_start  runs in a jailed worker of its own, and waits for it
 *   job_work   runs in a worker that somebody else starts; many are experiment/experiment.h's
 */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "job/program.h"
#include "job/sample.h"
#include "job/worker.h"
#include "machine/observer.h"
#include "machine/observer_thread.h"
#include "machine/simulation.h"

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

struct job_part;
struct job_part_run;

struct job {
	const struct program *program;
	const struct job_machine *machine; /* NULL: functionally, without time */
	/* Of a job with a machine; ends with NULL; NULL: none. The result has them in this order.
	 */
	const struct job_part *const *parts;
	uint64_t skip;		   /* instructions to execute before the machine takes over */
	const char *roi;	   /* simulate only calls of this function; or NULL */
	uint64_t roi_call;	   /* the call's number; 0: the first; or JOB_EVERY_CALL */
	struct sample_plan sample; /* simulate only slices of it */
	bool is_cold;		   /* what comes before warms no caches and predictors */
	uint64_t max_instructions; /* to simulate or execute; INT64_MAX: no limit */
	bool by_cycles;		   /* the program's clocks go by cycles */
	bool is_silent;		   /* the program reads and prints nothing */
	/* Without a machine: sends basic-block vectors (trace/vectors.h) of so many instructions,
	 * as text; 0: none. */
	uint64_t vector_instructions;
	/* Without a machine, in a worker of its own: by translated code where the host has it
	 * (isa/translate.h). The result is the same. */
	bool translates;
	/* In a worker, the descriptors that the program's standard output and error go to; 0: this
	 * process's own. */
	int output, errors;
	/* In a worker of its own: 1: the core's thread observes too; 2: a second thread does; 0: a
	 * second one where the host has a core for it. The result is the same. */
	unsigned threads;
	/* A run that somebody stops has no result, instead of a partial one. */
	bool is_whole;
};

/* While a job runs in this process. Each may be NULL. */
struct job_watch {
	bool (*should_stop)(void *context);
	void (*progress)(void *context, uint64_t instructions);
	/* Receives what a part sends. */
	void (*send)(void *context, const void *bytes, size_t size);
	void *context;
	struct observer_thread *thread; /* in which observers observe; NULL: this one */
	/* This process is there for the job alone: what kills a copy of it may kill it. */
	bool is_worker;
};

/* The result, owned by the caller. NULL with a sentence if it failed; of kind ERR_STOPPED if it was
 * stopped before anything was simulated, or if is_whole. */
json_t *job_run(const struct job *job, struct process *process, const struct job_watch *watch,
		struct err *err);

/* The same in pieces, for a job with a machine. Where pieces end changes nothing. */
struct job_simulation {
	const struct job *job;
	struct process *process;
	struct simulation *simulation;
	struct pmu *pmu;
	struct observers *observers; /* of all parts; NULL: none */
	struct job_part_run *parts;  /* those that were begun */
	size_t part_count;
	uint64_t poll_at; /* the cycle in which they are polled next */
	bool is_stopped;  /* somebody waits for what there is so far */
	/* Instructions executed without time: before the simulation, and between calls or slices.
	 */
	uint64_t skipped;
	uint64_t slice;	      /* the number of the slice that is simulated */
	uint64_t slice_began; /* commits before it */
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

/* The function of the program that a person means; NULL with a sentence, about --OPTION, if there
 * is none. */
const struct symbol *job_find_function(struct process *process, const char *option,
				       const char *name, struct err *err);

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
/* Whether its mounts agree and this system can confine the program; false with a sentence. */
bool job_may_start(const struct program *program, struct err *err);
bool job_start(const struct job *job, const struct job_listener *listener, json_t **result,
	       struct worker_report *report, struct err *err);

/* For a worker that somebody else starts (job/worker_pool.h): what the task needs besides a body
 * and its context, the body, and what it sent, read as a result. NULL with a sentence: a worker is
 * not trusted. */
void job_fill_task(const struct job *job, struct worker_task *task);
void job_work(const struct job *job, struct worker *worker);
json_t *job_read(const char *bytes, size_t count, struct err *err);

#endif

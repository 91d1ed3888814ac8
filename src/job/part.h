/*
 * part.h - what a job has besides its program and its machine: counters, the statistics module,
 * circuits, a recorder of cycles.
 *
 * A part is begun with the simulation, describes itself into the result, and is ended. A kind is a
 * file part_NAME.c, whose constructor parts.h declares; the caller puts parts into its list, and
 * nobody else knows which kinds there are. The caller keeps the part, which must outlive its jobs;
 * what a run changes is in struct job_part_run.
 *
 * A part observes in one of two ways. The observers that it names join the one set of the run,
 * which may have a thread of its own, is checked, and is described before all parts. What it
 * attaches itself observes in the thread of the simulation.
 */
#ifndef JOB_PART_H
#define JOB_PART_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct job;
struct job_key;
struct job_part_kind;
struct job_simulation;
struct job_watch;
struct observer_kind;
struct process;

/* The first member of every kind's own struct. */
struct job_part {
	const struct job_part_kind *kind;
	/* Those that observe for it, ended by NULL; NULL: none. One that several parts name
	 * observes once. */
	const struct observer_kind *const *observers;
};

/* A part while its job runs. */
struct job_part_run {
	const struct job_part *part;
	const struct job_simulation *run;
	void *state; /* the kind's own; NULL unless `begin` set it */
};

/* Each but `name` and `key` may be NULL. */
struct job_part_kind {
	const char *name;
	const char *schema; /* of a result with this part; NULL: that of any run */
	/* It hands bytes to job_watch.send. They carry no name, so one part of a job may. */
	bool sends;
	/* It makes copies of the worker. */
	bool copies;
	/* Before anything runs: false with a sentence if the program cannot have this part. */
	bool (*admit)(const struct job_part *part, struct process *process, struct err *err);
	/* The machine takes over: the run's observers are there, and no cycle has passed. False
	 * with a sentence; `end` is called then too. */
	bool (*begin)(struct job_part_run *self, const struct job_watch *watch, struct err *err);
	/* Now and then while the simulation goes on: after `poll_cycles` or a little more, if that
	 * is not 0. When that is depends on nothing but the run. */
	void (*poll)(struct job_part_run *self);
	uint64_t poll_cycles;
	/* Of a job that simulates slices: one has ended, and the core is empty; the next begins. */
	void (*slice_ended)(struct job_part_run *self);
	void (*slice_begins)(struct job_part_run *self);
	/* The run is over, or is read: before anything is described. False with a sentence. */
	bool (*conclude)(struct job_part_run *self, struct err *err);
	void (*describe)(struct job_part_run *self, json_t *result);
	void (*end)(struct job_part_run *self);
	/* Adds all that decides what the part does to a result, besides its observers. False: the
	 * results of such a job are not kept. */
	bool (*key)(const struct job_part *part, struct job_key *key);
};

/* The `key` of a part that has nothing to add, and of one whose results are not kept. */
bool job_part_key_nothing(const struct job_part *part, struct job_key *key);
bool job_part_key_refuse(const struct job_part *part, struct job_key *key);

/* The job's parts, in the order of its list. */
bool job_parts_admit(const struct job *job, struct process *process, struct err *err);
/* False with a sentence; job_parts_end ends those that were begun. */
bool job_parts_begin(struct job_simulation *run, const struct job_watch *watch, struct err *err);
void job_parts_poll(struct job_simulation *run);
/* A slice has ended; the next begins. */
void job_parts_slice_ended(struct job_simulation *run);
void job_parts_slice_begins(struct job_simulation *run);
/* After how many cycles one of them wants to be polled again, at most `most`. */
uint64_t job_parts_poll_cycles(const struct job_simulation *run, uint64_t most);
/* Whether one of them makes copies of the worker. */
bool job_parts_copy(const struct job *job);
bool job_parts_conclude(const struct job_simulation *run, struct err *err);
void job_parts_describe(const struct job_simulation *run, json_t *result);
void job_parts_end(struct job_simulation *run);
/* What all of them let observe, each once, ended by NULL; the caller frees the list. NULL: nothing
 * does. */
const struct observer_kind **job_parts_observers(const struct job *job);
/* The schema of the job's result. */
const char *job_parts_schema(const struct job *job);

#endif

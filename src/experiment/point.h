/*
 * point.h - one run of an experiment: a program on a machine, a model of it, or facts about it, by
 * itself in a worker.
 *
 * A point says everything that decides its result, so equal points have equal results, in whatever
 * order and however often they are run. What a point runs is its kind; how it becomes a job is
 * known to point.c alone. Points are silent and whole: nothing of them reaches the terminal, and a
 * run that somebody stops has no result.
 *
 * Not here: which points there are (plan.h), and running them (experiment.h).
 */
#ifndef EXPERIMENT_POINT_H
#define EXPERIMENT_POINT_H

#include <jansson.h>

#include "base/err.h"
#include "job/facts_job.h"
#include "job/job.h"
#include "job/key.h"
#include "job/model_job.h"

struct gain_options;
struct point_kind;

struct point {
	const struct point_kind *kind;
	const struct program *program;
	/* Of what is simulated. */
	const struct job_machine *machine;
	const struct observer_kind *const *observers; /* ends with NULL; NULL: none */
	const struct job_part *part;		      /* in place of observers; NULL: none */
	const struct job_part *places;		      /* beside observers; NULL: none */
	/* How closely what `exact` says is measured, if that observes; NULL: as by default. So many
	 * copies of the worker, at least 1, measure at once; their number decides no result. */
	const struct gain_options *gain;
	unsigned gain_copies;
	uint64_t max_instructions;
	unsigned repetition; /* points that differ in this alone are run each */
	/* Files of this point alone, which are emptied before it begins, for what the program
	 * prints; 0: what it prints is dropped. */
	int output, errors;
	/* Where error output that nobody should see goes; 0: to the terminal. */
	int dropped_errors;
	/* Of what is modelled. */
	const struct model_request *model;
	/* Of what is executed once more for facts about single instructions. */
	const struct facts_request *facts;
};

struct point_kind {
	/* Whether this system can run it; false with a sentence. */
	bool (*may_start)(const struct point *point, struct err *err);
	/* What its worker is to do. The context is the point. */
	void (*fill)(const struct point *point, struct worker_task *task);
	/* What the worker sent, or what was kept of that: neither is trusted. NULL with a sentence.
	 */
	json_t *(*read)(const struct point *point, const char *bytes, size_t count,
			struct err *err);
	/* The name of everything that decides the result, as job_key; the repetition is part of
	 * it, and `tool` is a hash as long as a key. False if that cannot be said; such a result is
	 * not kept. NULL: none is. */
	bool (*key)(const struct point *point, const char *tool, char text[JOB_KEY_BYTES]);
	/* Whether a kept result says that it is this point's; false with a sentence. NULL with
	 * `key`. */
	bool (*owns)(const struct point *point, const json_t *result, struct err *err);
};

extern const struct point_kind point_simulated, point_modelled, point_facts;

/* A simulation from the program's beginning up to its own limit. */
struct point point_of(const struct program *program, const struct job_machine *machine);

#endif

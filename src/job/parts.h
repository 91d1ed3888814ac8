/*
 * parts.h - the parts that a job can have (part.h), each with its constructor.
 *
 * A constructor fills a struct that the caller keeps and returns the part in it, for the job's
 * list:
 *
 *	const struct job_part *const parts[] = {part_stat_init(&stat, &request), NULL};
 *
 * What a part is given must outlive it.
 */
#ifndef JOB_PARTS_H
#define JOB_PARTS_H

#include <stdint.h>

#include "job/part.h"

struct circuit;
struct config;
struct stats_request;

/* Counter architectures and other observers, in a list ended by NULL; NULL: none. */
struct part_counters {
	struct job_part part;
};
const struct job_part *part_counters_init(struct part_counters *counters,
					  const struct observer_kind *const *kinds);

/* What of the observer `exact` the result has, if that observes: functions and lines; a stack for
 * every `interval` instructions, 0: none; the instructions of the functions in `annotate`. */
struct part_places {
	struct job_part part;
	uint64_t interval;
	const char *const *annotate;
	size_t annotate_count;
	bool annotates_hottest; /* without any: the function with the most slots */
	size_t hot;	    /* so many instructions that lost most slots, of whichever functions */
	bool annotates_hot; /* without any: each with PLACES_HOT_SHARE of the slots */
};
const struct job_part *part_places_init(struct part_places *places);
/* What happened at each branch, load and store of the functions whose instructions the result has
 * (count/sites.h); the job's machine is that of the configuration. */
void part_places_observe_sites(struct part_places *places, const struct config *config);

#define PLACES_HOT_SHARE 0.005
#define PLACES_HOT_MOST	 40 /* functions */

/* What the observer `exact` says would go away, measured in windows of the run on machines without
 * each cause (job/gain.h); nothing if it does not observe. */
struct gain_options {
	double budget; /* copies may simulate this part of the run's instructions */
	double within; /* windows come closely until no error is above this part of the cycles; 0:
			  off */
};

#define GAIN_BUDGET 0.25

struct part_gain {
	struct job_part part;
	struct gain_options options;
	unsigned copies; /* of the worker, at work at once; 0: none may be made */
};
const struct job_part *part_gain_init(struct part_gain *gain, unsigned copies);

/* What slices of the program (job.sample) say of all of it, if only these are simulated. */
struct part_sample {
	struct job_part part;
};
const struct job_part *part_sample_init(struct part_sample *sample);

/* What simulation points (job.sample.points) say of the program whose phases they stand for. */
struct part_phases {
	struct job_part part;
};
const struct job_part *part_phases_init(struct part_phases *phases);

/* Who called whom: slots by path of calls (count/call_slots.h), with the causes that `exact`, which
 * observes, gives each function. `interval` is that of part_places. */
struct part_calls {
	struct job_part part;
	uint64_t interval;
};
const struct job_part *part_calls_init(struct part_calls *calls, uint64_t interval);

/* Misses and their cycles by object, type and set of a cache (count/data_cells.h), with the slots
 * that `exact`, which observes, gives each instruction. */
struct part_data {
	struct job_part part;
};
const struct job_part *part_data_init(struct part_data *data);

/* The instructions that the observer `pipeline` has seen, if that observes. With a window, its
 * first and last cycle, it does. */
struct part_pipeline {
	struct job_part part;
	bool has_window;
	uint64_t from, to;
};
const struct job_part *part_pipeline_init(struct part_pipeline *pipeline);
void part_pipeline_set_window(struct part_pipeline *pipeline, uint64_t from, uint64_t to);

/* How long the run would have taken on other machines (job/windows.h), by what was changed (job/
 * what_if.h); so many copies of the worker run at once. */
struct part_what_if {
	struct job_part part;
	const struct config *machines;
	const char *const *changes;
	size_t count;
	unsigned copies;
};
const struct job_part *part_what_if_init(struct part_what_if *what_if,
					 const struct config *machines, const char *const *changes,
					 size_t count, unsigned copies);

/* How long the run would have taken if each of some lines took a part of its time (job/causal.h):
 * the hottest by `exact`, which observes, and those named, together at most CAUSAL_MOST. */
#define CAUSAL_MOST 32

struct part_causal {
	struct job_part part;
	size_t hottest;
	const char *const *names; /* FILE:LINE or FUNCTION */
	size_t name_count;
	unsigned copies; /* of the worker, at work at once */
};
/* False with a sentence if a name is none, or they are too many. */
bool part_causal_check(const struct part_causal *causal, struct err *err);
const struct job_part *part_causal_init(struct part_causal *causal, size_t hottest,
					const char *const *names, size_t name_count,
					unsigned copies);

/* The statistics module counts too, and the result is a cyclestack-stat (job/stat.h). */
struct part_stat {
	struct job_part part;
	const struct stats_request *request;
};
const struct job_part *part_stat_init(struct part_stat *stat, const struct stats_request *request);

/* Stimulus is made for these circuits, and sent to the parent (job/circuits.h). */
struct part_circuits {
	struct job_part part;
	const struct circuit *circuits;
	size_t count;
};
const struct job_part *part_circuits_init(struct part_circuits *circuits,
					  const struct circuit *list, size_t count);

/* The same for the circuits of the statistics module, whose settings are sent first. */
struct part_stat_circuits {
	struct job_part part;
	const struct stats_request *request;
};
const struct job_part *part_stat_circuits_init(struct part_stat_circuits *circuits,
					       const struct stats_request *request);

/* Every record is sent to the parent as a file of trace/cycles.h. */
struct part_recorder {
	struct job_part part;
};
const struct job_part *part_recorder_init(struct part_recorder *recorder);

#endif

/*
 * model_job.h - the analytical model of a program or a trace, in a jailed worker, and beside it, if
 * asked for, the same design points simulated.
 *
 * The model runs where the program runs or the trace is read: in a worker. Simulations are jobs of
 * their own (job.h). Of each design point five are made: the whole machine; the same with perfect
 * predictor, instruction cache and I-TLB, and long data misses served by the last cache (base);
 * and this base machine with each of the three made real again. A component is the CPI that adds
 * to base.
 */
#ifndef JOB_MODEL_JOB_H
#define JOB_MODEL_JOB_H

#include <jansson.h>

#include "job/job.h"
#include "model/technique.h"
#include "trace/frame.h"

struct model_point_request {
	struct config config;
	json_t *set; /* what distinguishes the point: key -> value as text; not owned */
};

struct model_request {
	struct program *program; /* NULL: a trace */
	const uint8_t *trace;
	size_t trace_bytes;
	const char *trace_name;
	/* With a trace: what kept_write (model/kept.h) made of it, read instead of its steps. */
	const uint8_t *kept;
	size_t kept_bytes;
	const char *kept_name;
	const char *tool;		   /* this tool's version */
	bool saves;			   /* needs a trace */
	const struct job_machine *machine; /* the machine that the points are changes of */
	struct model_point_request *points;
	size_t point_count;
	const struct technique *techniques;
	size_t technique_count;
	bool explains;	   /* the first point by the first technique */
	bool is_silent;	   /* the program reads and prints nothing */
	bool is_simulated; /* needs a program */
	unsigned at_once;
	const struct job_listener *listener;
};

/* The result, schema cyclestack-model-1; NULL with a sentence, or with an empty one if it was
 * interrupted. With request->saves `saved` gets the model's bytes, for the caller to free. */
json_t *model_run(const struct model_request *request, struct worker_report *report,
		  struct frame_bytes *saved, struct err *err);

#endif

/*
 * model_job.h - the analytical model of a program or a trace, in a jailed worker.
 *
 * The model runs where the program runs or the trace is read: in a worker. The same design points
 * simulated are experiment/against.h's.
 */
#ifndef JOB_MODEL_JOB_H
#define JOB_MODEL_JOB_H

#include <jansson.h>

#include "base/bytes.h"
#include "job/job.h"
#include "model/technique.h"

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
	bool explains;	/* the first point by the first technique */
	bool is_silent; /* the program reads and prints nothing */
	const struct job_listener *listener;
};

/* The result, schema cyclestack-model-1; NULL with a sentence, of kind ERR_STOPPED if it was
 * interrupted. With request->saves `saved` gets the model's bytes, for the caller to free. */
json_t *model_run(const struct model_request *request, struct worker_report *report,
		  struct bytes *saved, struct err *err);

/* For a worker that somebody else starts, as job_fill_task, job_work and job_read. */
bool model_may_start(const struct model_request *request, struct err *err);
void model_fill_task(const struct model_request *request, struct worker_task *task);
void model_work(const struct model_request *request, struct worker *worker);
json_t *model_read(const struct model_request *request, const char *bytes, size_t count,
		   struct err *err);

#endif

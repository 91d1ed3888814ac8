/*
 * Runs jobs in workers: one, or many at a time. The worker creates the process, runs the job and
 * sends the result as JSON, which is parsed here.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/jail.h"
#include "job/job.h"
#include "job/worker_pool.h"
#include "value/layout.h"

static void send_warning(void *context, const char *sentence)
{
	worker_send_warning(context, sentence);
}

static bool worker_stops(void *context)
{
	return worker_should_stop(context);
}

static void send_progress(void *context, uint64_t instructions)
{
	worker_note_progress(context, instructions);
}

/* Runs in the worker. */
static void run_job(const struct job *job, struct worker *worker)
{
	struct process_options options = program_process_options(job->program);
	const struct job_watch watch = {worker_stops, send_progress, worker};
	struct err err = {""};

	jail_close_descriptors(job->program->mounts, job->program->mount_count, worker->to_parent);
	options.silent = job->is_silent;
	if (!job->is_silent) {
		options.warn = send_warning;
		options.warn_context = worker;
	}
	struct process *process = process_create(&options, &err);
	json_t *result = process ? job_run(job, process, &watch, &err) : NULL;
	if (result) {
		char *text = json_dumps(result, JSON_COMPACT);

		worker_send_result(worker, text, strlen(text));
		free(text);
		json_decref(result);
	} else if (err.text[0]) {
		worker_send_error(worker, err.text);
	}
	process_destroy(process);
}

/* A worker is not trusted: what it sends must have the layout of a result. */
static json_t *parse(const char *bytes, size_t count, struct err *err)
{
	json_t *result = json_loadb(bytes, count, JSON_REJECT_DUPLICATES, NULL);
	const struct layout *layout = result ? layout_of(result, err) : NULL;

	if (!result)
		err_set(err, "internal error: the worker's result is not JSON");
	else if (!layout || !layout_check(result, layout, err))
		err_prefix(err, "internal error: the worker's result");
	else
		return result;
	json_decref(result);
	return NULL;
}

/* Names of files are Landlock's to check: a program without mounts does not need it. */
static bool may_start(const struct job *job, struct err *err)
{
	if (!job->program->mount_count || job->program->may_lack_landlock || jail_has_landlock())
		return true;
	return err_set(err,
		       "this system has no Landlock: a program that broke out of the simulation "
		       "could open every file you can; run it without --mount and --sysroot, or "
		       "with --no-landlock");
}

static void task_of(const struct job *job, struct worker_task *task)
{
	*task = (struct worker_task){
		.mounts = job->program->mounts,
		.mount_count = job->program->mount_count,
		.timeout_seconds = job->program->timeout_seconds,
	};
}

/* State that the worker's body and the parent's callbacks share. */
struct single {
	const struct job *job;
	const struct job_listener *listener;
};

static void single_body(struct worker *worker, void *context)
{
	const struct single *single = context;

	run_job(single->job, worker);
}

static void single_warn(void *context, const char *sentence)
{
	const struct job_listener *listener = ((const struct single *)context)->listener;

	if (listener->warn)
		listener->warn(listener->context, sentence);
}

static void single_progress(void *context, uint64_t instructions)
{
	const struct job_listener *listener = ((const struct single *)context)->listener;

	if (listener->progress)
		listener->progress(listener->context, instructions);
}

bool job_start(const struct job *job, const struct job_listener *listener, json_t **result,
	       struct worker_report *report, struct err *err)
{
	struct single single = {job, listener};
	struct worker_task task;

	*result = NULL;
	*report = (struct worker_report){0};
	if (!may_start(job, err))
		return false;
	task_of(job, &task);
	task.body = single_body;
	task.warn = single_warn;
	task.progress = single_progress;
	task.context = &single;
	bool ok = worker_run(&task, report, err);
	if (ok && report->result) {
		*result = parse(report->result, report->result_bytes, err);
		ok = *result;
	}
	free(report->result);
	report->result = NULL;
	return ok;
}

static void batch_body(struct worker *worker, void *job)
{
	run_job(job, worker);
}

static void batch_task(void *context, size_t i, struct worker_task *task)
{
	const struct job_batch *batch = context;
	union {
		const struct job *given;
		void *context;
	} job = {&batch->jobs[i]};

	task_of(job.given, task);
	task->body = batch_body;
	task->context = job.context;
}

static bool batch_done(void *context, size_t i, const char *bytes, size_t count, struct err *err)
{
	const struct job_batch *batch = context;
	json_t *result = parse(bytes, count, err);
	bool ok = result && batch->done(batch->context, i, result, err);

	json_decref(result);
	return ok;
}

static void batch_progress(void *context, size_t done)
{
	const struct job_batch *batch = context;

	if (batch->progress)
		batch->progress(batch->context, done);
}

bool jobs_run(const struct job_batch *batch, bool *interrupted, struct err *err)
{
	struct job_batch copy = *batch;
	const struct worker_pool pool = {
		.task = batch_task,
		.done = batch_done,
		.progress = batch_progress,
		.context = &copy,
		.count = batch->count,
		.at_once = batch->at_once,
	};

	for (size_t i = 0; i < batch->count; i++)
		if (!may_start(&batch->jobs[i], err))
			return false;
	return worker_pool_run(&pool, interrupted, err);
}

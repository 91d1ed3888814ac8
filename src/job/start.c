/*
 * Runs jobs in workers: one, or many at a time. The worker creates the process, runs the job and
 * sends the result as JSON, which is parsed here.
 */
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static uint64_t own_time_ns(void)
{
	struct timespec time;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0)
		return 0;
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static void send_data(void *context, const void *bytes, size_t size)
{
	worker_send_data(context, bytes, size);
}

/* Runs in the worker. */
static void run_job(const struct job *job, struct worker *worker, struct observer_thread *thread)
{
	struct process_options options = program_process_options(job->program);
	const struct job_watch watch = {worker_stops, send_progress, send_data, worker, thread};
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
	atomic_store(&worker->page->time_ns, own_time_ns());
	atomic_store(&worker->page->observer_time_ns, observer_thread_time_ns(thread));
}

/* Neither a worker nor a file is trusted: what comes from there must have the layout of a
 * result. */
static json_t *parse(const char *bytes, size_t count, struct err *err)
{
	json_t *result = json_loadb(bytes, count, JSON_REJECT_DUPLICATES, NULL);
	const struct layout *layout = result ? layout_of(result, err) : NULL;

	if (!result)
		err_set(err, "it is not JSON");
	else if (layout && layout_check(result, layout, err))
		return result;
	json_decref(result);
	return NULL;
}

static bool fail_worker(struct err *err)
{
	return err_prefix(err, "internal error: the worker's result");
}

/* Names of files are Landlock's to check: a program without mounts does not need it. */
bool job_may_start(const struct program *program, struct err *err)
{
	if (!program->mount_count || program->may_lack_landlock || jail_has_landlock())
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
		.output = job->output,
		.errors = job->errors,
	};
}

/* State that the worker's body and the parent's callbacks share. */
struct single {
	const struct job *job;
	const struct job_listener *listener;
	struct observer_thread *thread; /* in the worker */
};

/* Whether this process may run on more than one core. */
static bool has_free_core(void)
{
	cpu_set_t cores[16]; /* a kernel refuses a set with less room than it has cores */

	return sched_getaffinity(0, sizeof(cores), cores) == 0 &&
	       CPU_COUNT_S(sizeof(cores), cores) > 1;
}

static bool single_prepare(void *context, struct err *err)
{
	struct single *single = context;
	const struct job *job = single->job;
	bool is_refused;

	if (!job->machine || !job->observers || !job->observers[0] || job->threads == 1 ||
	    (!job->threads && !has_free_core()))
		return true;
	/* An arena of its own would take address space from what the tool allows itself. */
	mallopt(M_ARENA_MAX, 1);
	single->thread = observer_thread_create(jail_enter_thread, &is_refused, err);
	return single->thread || (is_refused && !job->threads);
}

static void single_body(struct worker *worker, void *context)
{
	const struct single *single = context;

	run_job(single->job, worker, single->thread);
	observer_thread_destroy(single->thread);
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

static void single_data(void *context, const void *bytes, size_t size)
{
	const struct job_listener *listener = ((const struct single *)context)->listener;

	if (listener->data)
		listener->data(listener->context, bytes, size);
}

static void single_ready(void *context)
{
	const struct job_listener *listener = ((const struct single *)context)->listener;

	listener->ready(listener->context);
}

bool job_start(const struct job *job, const struct job_listener *listener, json_t **result,
	       struct worker_report *report, struct err *err)
{
	struct single single = {.job = job, .listener = listener};
	struct worker_task task;

	*result = NULL;
	*report = (struct worker_report){0};
	if (!job_may_start(job->program, err))
		return false;
	task_of(job, &task);
	task.prepare = single_prepare;
	task.body = single_body;
	task.warn = single_warn;
	task.progress = single_progress;
	task.data = single_data;
	task.ready = single_ready;
	task.watched = listener->watched;
	task.context = &single;
	bool ok = worker_run(&task, report, err);
	if (ok && report->result) {
		*result = parse(report->result, report->result_bytes, err);
		ok = *result || fail_worker(err);
	}
	free(report->result);
	report->result = NULL;
	return ok;
}

static void batch_body(struct worker *worker, void *job)
{
	run_job(job, worker, NULL);
}

/* A batch of which some results were found on the shelf. */
struct batch_run {
	const struct job_batch *batch;
	size_t *missing; /* the numbers of the jobs that are to be run */
	size_t missing_count;
};

static void batch_task(void *context, size_t i, struct worker_task *task)
{
	const struct batch_run *run = context;
	union {
		const struct job *given;
		void *context;
	} job = {&run->batch->jobs[run->missing[i]]};

	task_of(job.given, task);
	task->body = batch_body;
	task->context = job.context;
}

static bool batch_done(void *context, size_t i, const char *bytes, size_t count, struct err *err)
{
	const struct batch_run *run = context;
	const struct job_batch *batch = run->batch;
	const size_t number = run->missing[i];
	json_t *result = parse(bytes, count, err);
	bool ok = result ? batch->done(batch->context, number, result, err) : fail_worker(err);

	if (ok && batch->shelf)
		batch->shelf->keep(batch->shelf->context, &batch->jobs[number], bytes, count);
	json_decref(result);
	return ok;
}

static void batch_progress(void *context, size_t done)
{
	const struct batch_run *run = context;
	const struct job_batch *batch = run->batch;

	if (batch->progress)
		batch->progress(batch->context, batch->count - run->missing_count + done);
}

/* Whether a result that was found says that it is this job's. */
static bool is_of(const json_t *result, const struct job *job, struct err *err)
{
	json_t *program = program_json(job->program), *machine = job_machine_json(job->machine);
	bool ok = json_equal(json_object_get(result, "program"), program) &&
		  json_equal(json_object_get(result, "configuration"), machine);

	json_decref(program);
	json_decref(machine);
	return ok || err_set(err, "it is the result of another program or machine");
}

/* Hands over the result of job number i if it is on the shelf. False with a sentence only if the
 * batch is to end. */
static bool take_from_shelf(const struct job_batch *batch, size_t i, bool *found, struct err *err)
{
	const struct job_shelf *shelf = batch->shelf;
	const struct job *job = &batch->jobs[i];
	size_t bytes = 0;
	struct err reason;
	bool ok = true;
	char *text = shelf && job->machine ? shelf->find(shelf->context, job, &bytes) : NULL;
	json_t *result = text ? parse(text, bytes, &reason) : NULL;

	*found = result && is_of(result, job, &reason);
	if (*found)
		ok = batch->done(batch->context, i, result, err);
	else if (text)
		shelf->refuse(shelf->context, job, reason.text);
	json_decref(result);
	free(text);
	return ok;
}

bool jobs_run(const struct job_batch *batch, bool *interrupted, struct err *err)
{
	struct batch_run run = {.batch = batch};
	bool ok = true, found;

	for (size_t i = 0; i < batch->count; i++)
		if (!job_may_start(batch->jobs[i].program, err))
			return false;
	run.missing = mem_alloc_array(batch->count, sizeof(*run.missing));
	for (size_t i = 0; ok && i < batch->count; i++) {
		ok = take_from_shelf(batch, i, &found, err);
		if (!found)
			run.missing[run.missing_count++] = i;
	}
	const struct worker_pool pool = {
		.task = batch_task,
		.done = batch_done,
		.progress = batch_progress,
		.context = &run,
		.count = run.missing_count,
		.at_once = batch->at_once,
	};
	*interrupted = false;
	ok = ok && worker_pool_run(&pool, interrupted, err);
	free(run.missing);
	return ok;
}

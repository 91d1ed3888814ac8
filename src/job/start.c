/*
 * Runs jobs in workers. The worker creates the process, runs the job and sends the result as JSON,
 * which is parsed here.
 */
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "isa/translate.h"
#include "job/jail.h"
#include "job/job.h"
#include "job/part.h"
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
static void run_job(const struct job *job, struct worker *worker, struct observer_thread *thread,
		    const struct code_cache *code_cache)
{
	struct process_options options = program_process_options(job->program);
	const struct job_watch watch = {worker_stops, send_progress, send_data,
					worker,	      thread,	     true};
	struct err err;

	jail_close_descriptors(job->program->mounts, program_directories(job->program),
			       worker->to_parent);
	if (job->machine)
		options.profile = job->machine->config.isa_profile;
	options.silent = job->is_silent;
	options.code_cache = code_cache;
	options.note_reading = worker_note_reading;
	options.reading_context = worker;
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
	} else if (err.kind != ERR_STOPPED) {
		worker_send_error(worker, &err);
	}
	process_destroy(process);
	atomic_store(&worker->page->time_ns, own_time_ns());
	atomic_store(&worker->page->observer_time_ns, observer_thread_time_ns(thread));
}

void job_work(const struct job *job, struct worker *worker)
{
	run_job(job, worker, NULL, NULL);
}

/* Neither a worker nor a file is trusted: what comes from there must have the layout of a
 * result. */
json_t *job_read(const char *bytes, size_t count, struct err *err)
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
	err_as_tool(err);
	return err_prefix(err, "internal error: the worker's result");
}

/* Names of files are Landlock's to check: a program without mounts does not need it. */
bool job_may_start(const struct program *program, struct err *err)
{
	if (!mounts_agree(program->mounts, program->mount_count, err))
		return false;
	if (!program->mount_count || program->may_lack_landlock || jail_has_landlock())
		return true;
	return err_set(err,
		       "this system has no Landlock: a program that broke out of the simulation "
		       "could open every file you can; run it without --mount and --sysroot, or "
		       "with --no-landlock");
}

void job_fill_task(const struct job *job, struct worker_task *task)
{
	*task = (struct worker_task){
		.mounts = job->program->mounts,
		.mount_count = program_directories(job->program),
		.copies = job_parts_copy(job),
		.timeout_seconds = job->program->timeout_seconds,
		.output = job->output,
		.errors = job->errors,
	};
}

/* State that the worker's body and the parent's callbacks share. */
struct single {
	const struct job *job;
	const struct job_listener *listener;
	/* In the worker: */
	struct observer_thread *thread;
	struct code_cache code_cache;
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

	/* Nothing becomes executable in the jail. Without a cache the program is interpreted. */
	if (job->translates && !job->machine)
		code_cache_map(&single->code_cache);
	const struct observer_kind **observers = job->machine ? job_parts_observers(job) : NULL;
	const bool is_wanted = observers && job->threads != 1 && (job->threads || has_free_core());
	free(observers);
	if (!is_wanted)
		return true;
	/* An arena of its own would take address space from what the tool allows itself. */
	mallopt(M_ARENA_MAX, 1);
	single->thread = observer_thread_create(jail_enter_thread, &is_refused, err);
	return single->thread || (is_refused && !job->threads);
}

static void single_body(struct worker *worker, void *context)
{
	const struct single *single = context;

	run_job(single->job, worker, single->thread, &single->code_cache);
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
	job_fill_task(job, &task);
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
		*result = job_read(report->result, report->result_bytes, err);
		ok = *result || fail_worker(err);
	}
	free(report->result);
	report->result = NULL;
	return ok;
}

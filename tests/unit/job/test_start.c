/* Jobs in workers, of which only what they are asked and what they answer is made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "job/jail.h"
#include "job/job.h"
#include "job/worker_pool.h"
#include "value/layout.h"

static bool answer(const struct worker_task *task, struct worker_report *report, struct err *err);
static bool answer_all(const struct worker_pool *pool, bool *interrupted, struct err *err);
static const struct layout *any_layout(const json_t *result, struct err *err);
static bool fits(const json_t *result, const struct layout *layout, struct err *err);
static bool has_landlock(void);
#define worker_run	  answer
#define worker_pool_run	  answer_all
#define layout_of	  any_layout
#define layout_check	  fits
#define jail_has_landlock has_landlock
#include "job/start.c" /* with its static functions */

static struct {
	struct worker_task task;
	const char *result; /* NULL: none */
	bool fails, is_unknown, is_unfit, lacks_landlock;
	char warning[32], data[32];
	uint64_t progress;
	unsigned ready;
} worker;

static const struct layout *any_layout(const json_t *result, struct err *err)
{
	static const struct layout layout;

	(void)result;
	if (worker.is_unknown)
		err_set(err, "it is of no kind");
	return worker.is_unknown ? NULL : &layout;
}

static bool fits(const json_t *result, const struct layout *layout, struct err *err)
{
	(void)result, (void)layout;
	return !worker.is_unfit || err_set(err, "it does not fit");
}

static bool has_landlock(void)
{
	return !worker.lacks_landlock;
}

static bool answer(const struct worker_task *task, struct worker_report *report, struct err *err)
{
	worker.task = *task;
	if (worker.fails)
		return err_set(err, "it failed");
	task->warn(task->context, "a warning");
	task->progress(task->context, 77);
	task->data(task->context, "bytes", 5);
	if (task->watched)
		task->ready(task->context);
	*report = (struct worker_report){.stop = WORKER_TIMEOUT, .instructions = 9};
	if (worker.result) {
		report->result = strdup(worker.result);
		report->result_bytes = strlen(worker.result);
	}
	return true;
}

static void hear(void *context, const char *sentence)
{
	assert_ptr_equal(context, &worker);
	strcpy(worker.warning, sentence);
}

static void see(void *context, uint64_t instructions)
{
	assert_ptr_equal(context, &worker);
	worker.progress = instructions;
}

static void take_data(void *context, const void *bytes, size_t size)
{
	assert_ptr_equal(context, &worker);
	memcpy(worker.data, bytes, size);
}

static void be_ready(void *context)
{
	assert_ptr_equal(context, &worker);
	worker.ready++;
}

static struct mount mounts[2];
static char first_name[] = "first", second_name[] = "second";
static char *first_argv[] = {first_name, NULL}, *second_argv[] = {second_name, NULL};
static struct program programs[] = {
	{.name = first_name, .argv = first_argv, .argc = 1, .hash = "1"},
	{.name = second_name, .argv = second_argv, .argc = 1, .hash = "2"},
};
static struct job_machine machine = {.name = "m"};

static void one_job(void **unused)
{
	const struct job_listener listener = {.warn = hear,
					      .progress = see,
					      .context = &worker,
					      .data = take_data,
					      .ready = be_ready,
					      .watched = 5};
	const struct job_listener deaf = {.context = &worker};
	struct program program = programs[0];
	const struct job job = {.program = &program, .output = 11, .errors = 12};
	struct worker_report report;
	struct err err = {""};
	json_t *result;

	(void)unused;
	program.mounts = mounts;
	program.mount_count = 2;
	program.timeout_seconds = 3.5;
	memset(&worker, 0, sizeof(worker));
	worker.result = "{\"a\":1}";
	assert_true(job_start(&job, &listener, &result, &report, &err));
	assert_int_equal(json_integer_value(json_object_get(result, "a")), 1);
	json_decref(result);
	assert_null(report.result);
	assert_int_equal(report.stop, WORKER_TIMEOUT);
	assert_int_equal(report.instructions, 9);
	assert_ptr_equal(worker.task.mounts, mounts);
	assert_int_equal(worker.task.mount_count, 2);
	assert_true(worker.task.timeout_seconds == 3.5);
	assert_int_equal(worker.task.output, 11);
	assert_int_equal(worker.task.errors, 12);
	assert_int_equal(worker.task.watched, 5);
	assert_true(worker.task.prepare == single_prepare);
	assert_true(worker.task.body == single_body);
	assert_string_equal(worker.warning, "a warning");
	assert_string_equal(worker.data, "bytes");
	assert_int_equal(worker.progress, 77);
	assert_int_equal(worker.ready, 1);
	assert_true(job_start(&job, &deaf, &result, &report, &err));
	json_decref(result);
	/* Stopped before there was one. */
	worker.result = NULL;
	assert_true(job_start(&job, &deaf, &result, &report, &err));
	assert_null(result);
	worker.result = "nonsense";
	assert_false(job_start(&job, &deaf, &result, &report, &err));
	assert_null(result);
	assert_string_equal(err.text, "internal error: the worker's result: it is not JSON");
	worker.result = "{\"a\":1,\"a\":2}";
	assert_false(job_start(&job, &deaf, &result, &report, &err));
	worker.result = "{}";
	worker.is_unknown = true;
	assert_false(job_start(&job, &deaf, &result, &report, &err));
	assert_string_equal(err.text, "internal error: the worker's result: it is of no kind");
	worker.is_unknown = false;
	worker.is_unfit = true;
	assert_false(job_start(&job, &deaf, &result, &report, &err));
	assert_string_equal(err.text, "internal error: the worker's result: it does not fit");
	worker.fails = true;
	assert_false(job_start(&job, &deaf, &result, &report, &err));
	assert_string_equal(err.text, "it failed");
}

static void mounts_need_landlock(void **unused)
{
	static const struct {
		size_t mounts;
		bool may_lack, lacks, ok;
	} cases[] = {{0, false, true, true},
		     {1, true, true, true},
		     {1, false, false, true},
		     {1, false, true, false}};
	const struct job_listener deaf = {.context = &worker};
	struct worker_report report;
	json_t *result;

	(void)unused;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct program program = {.mount_count = cases[i].mounts,
					  .may_lack_landlock = cases[i].may_lack};
		const struct job job = {.program = &program};
		struct err err = {""};

		memset(&worker, 0, sizeof(worker));
		worker.lacks_landlock = cases[i].lacks;
		assert_int_equal(job_may_start(&program, &err), cases[i].ok);
		assert_string_equal(err.text,
				    cases[i].ok
					    ? ""
					    : "this system has no Landlock: a program that broke "
					      "out of the simulation could open every file you "
					      "can; run it without --mount and --sysroot, or with "
					      "--no-landlock");
		assert_int_equal(job_start(&job, &deaf, &result, &report, &err), cases[i].ok);
		const struct job_batch batch = {.jobs = &job, .count = 1};
		bool interrupted;
		if (!cases[i].ok)
			assert_false(jobs_run(&batch, &interrupted, &err));
	}
}

/* ---- many ---- */

#define JOBS 4

static struct {
	const char *found[JOBS]; /* on the shelf */
	char refused[JOBS][80];
	char kept[JOBS][80];
	char done[JOBS][80];
	unsigned done_count, refuses_done; /* a job whose result is refused, plus 1 */
	size_t progress, asked, at_once;
	const char *sent; /* by every worker */
} batch_made;

static struct job jobs[JOBS];

static size_t number_of(const struct job *job)
{
	return (size_t)(job - jobs);
}

static char *find(void *context, const struct job *job, size_t *bytes)
{
	const char *text = batch_made.found[number_of(job)];

	assert_ptr_equal(context, &batch_made);
	*bytes = text ? strlen(text) : 0;
	return text ? strdup(text) : NULL;
}

static void refuse(void *context, const struct job *job, const char *reason)
{
	assert_ptr_equal(context, &batch_made);
	strcpy(batch_made.refused[number_of(job)], reason);
}

static void keep(void *context, const struct job *job, const char *result, size_t bytes)
{
	assert_ptr_equal(context, &batch_made);
	memcpy(batch_made.kept[number_of(job)], result, bytes);
}

static bool take_done(void *context, size_t i, json_t *result, struct err *err)
{
	char *text = json_dumps(result, JSON_COMPACT);

	assert_ptr_equal(context, &batch_made);
	strcpy(batch_made.done[i], json_string_value(json_object_get(result, "x")));
	free(text);
	batch_made.done_count++;
	return i + 1 != batch_made.refuses_done || err_set(err, "not this one");
}

static void note_progress(void *context, size_t done)
{
	assert_ptr_equal(context, &batch_made);
	batch_made.progress = done;
}

static bool answer_all(const struct worker_pool *pool, bool *interrupted, struct err *err)
{
	batch_made.asked = pool->count;
	batch_made.at_once = pool->at_once;
	*interrupted = true;
	for (size_t i = 0; i < pool->count; i++) {
		struct worker_task task = {0};

		pool->task(pool->context, i, &task);
		assert_true(task.body == batch_body);
		assert_int_equal(task.output, 20 + number_of(task.context));
		if (!pool->done(pool->context, i, batch_made.sent, strlen(batch_made.sent), err))
			return false;
		pool->progress(pool->context, i + 1);
	}
	return true;
}

static const struct job_shelf shelf = {
	.find = find, .refuse = refuse, .keep = keep, .context = &batch_made};

/* What a job's result says of itself. */
static void of_job(char text[600], const char *x, size_t program, const char *machine_name)
{
	char hash[65];

	config_hash(&machine.config, hash);
	snprintf(text, 600,
		 "{\"x\":\"%s\",\"program\":{\"name\":\"%s\",\"arguments\":[],\"sha256\":\"%zu\"},"
		 "\"configuration\":{\"name\":\"%s\",\"changes\":[],\"sha256\":\"%s\"}}",
		 x, program == 1 ? "first" : "second", program, machine_name, hash);
}

static bool run(struct job_batch batch, bool *interrupted, struct err *err)
{
	config_default(&machine.config);
	memset(&worker, 0, sizeof(worker));
	for (size_t i = 0; i < JOBS; i++)
		jobs[i] = (struct job){
			.program = &programs[i / 2], .machine = &machine, .output = 20 + (int)i};
	batch.jobs = jobs;
	batch.count = JOBS;
	batch.at_once = 6;
	batch.done = take_done;
	batch.progress = note_progress;
	batch.context = &batch_made;
	err->text[0] = 0;
	return jobs_run(&batch, interrupted, err);
}

static void what_is_on_the_shelf_is_not_run(void **unused)
{
	char right[600], of_other_program[600], of_other_machine[600];
	struct err err;
	bool interrupted = false;

	(void)unused;
	config_default(&machine.config);
	memset(&batch_made, 0, sizeof(batch_made));
	of_job(right, "shelf", 1, "m");
	of_job(of_other_program, "shelf", 1, "m");
	of_job(of_other_machine, "shelf", 2, "n");
	batch_made.found[1] = right;
	batch_made.found[2] = of_other_program;
	batch_made.found[3] = of_other_machine;
	batch_made.sent = "{\"x\":\"run\"}";
	assert_true(run((struct job_batch){.shelf = &shelf}, &interrupted, &err));
	assert_true(interrupted);
	assert_int_equal(batch_made.asked, 3);
	assert_int_equal(batch_made.at_once, 6);
	assert_int_equal(batch_made.done_count, 4);
	assert_int_equal(batch_made.progress, 4);
	for (unsigned i = 0; i < JOBS; i++) {
		assert_string_equal(batch_made.done[i], i == 1 ? "shelf" : "run");
		assert_string_equal(batch_made.kept[i], i == 1 ? "" : "{\"x\":\"run\"}");
		assert_string_equal(batch_made.refused[i],
				    i >= 2 ? "it is the result of another program or machine" : "");
	}
	/* Nonsense on it. */
	memset(&batch_made, 0, sizeof(batch_made));
	batch_made.found[0] = "nonsense";
	batch_made.sent = "{\"x\":\"run\"}";
	assert_true(run((struct job_batch){.shelf = &shelf}, &interrupted, &err));
	assert_string_equal(batch_made.refused[0], "it is not JSON");
	assert_int_equal(batch_made.asked, 4);
	/* No shelf. */
	memset(&batch_made, 0, sizeof(batch_made));
	batch_made.sent = "{\"x\":\"run\"}";
	assert_true(run((struct job_batch){.shelf = NULL}, &interrupted, &err));
	assert_int_equal(batch_made.asked, 4);
	assert_string_equal(batch_made.kept[0], "");
}

static void a_failure_ends_the_batch(void **unused)
{
	char right[600];
	struct err err;
	bool interrupted = true;

	(void)unused;
	memset(&batch_made, 0, sizeof(batch_made));
	batch_made.sent = "nonsense";
	assert_false(run((struct job_batch){.shelf = &shelf}, &interrupted, &err));
	assert_string_equal(err.text, "internal error: the worker's result: it is not JSON");
	assert_string_equal(batch_made.kept[0], "");
	/* One that is refused is not kept. */
	memset(&batch_made, 0, sizeof(batch_made));
	batch_made.sent = "{\"x\":\"run\"}";
	batch_made.refuses_done = 2;
	assert_false(run((struct job_batch){.shelf = &shelf}, &interrupted, &err));
	assert_string_equal(err.text, "not this one");
	assert_int_equal(batch_made.done_count, 2);
	assert_string_equal(batch_made.kept[0], "{\"x\":\"run\"}");
	assert_string_equal(batch_made.kept[1], "");
	/* One from the shelf that is refused: no worker is started. */
	memset(&batch_made, 0, sizeof(batch_made));
	config_default(&machine.config);
	of_job(right, "shelf", 1, "m");
	batch_made.found[1] = right;
	batch_made.refuses_done = 2;
	assert_false(run((struct job_batch){.shelf = &shelf}, &interrupted, &err));
	assert_string_equal(err.text, "not this one");
	assert_int_equal(batch_made.asked, 0);
	assert_false(interrupted);
}

/* A second thread observes only if there is something to observe. */
static void a_thread_of_its_own(void **unused)
{
	static const struct observer_kind *const none[] = {NULL};
	static const struct {
		bool has_machine, has_list;
		unsigned threads;
	} cases[] = {{false, true, 2}, {true, false, 2}, {true, true, 1}};

	(void)unused;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		static const struct observer_kind kind;
		static const struct observer_kind *const some[] = {&kind, NULL};
		const struct job job = {.machine = cases[i].has_machine ? &machine : NULL,
					.observers = cases[i].has_list ? some : NULL,
					.threads = cases[i].threads};
		struct single single = {.job = &job};
		struct err err;

		assert_true(single_prepare(&single, &err));
		assert_null(single.thread);
	}
	const struct job job = {.machine = &machine, .observers = none, .threads = 2};
	struct single single = {.job = &job};
	struct err err;
	assert_true(single_prepare(&single, &err));
	assert_null(single.thread);
}

static uint64_t time_of_this_thread(void)
{
	struct timespec time;

	assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time), 0);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void time_and_cores(void **unused)
{
	cpu_set_t before[16], one[16];

	(void)unused;
	for (unsigned i = 0; i < 100; i++) {
		uint64_t first = time_of_this_thread(), own = own_time_ns(),
			 last = time_of_this_thread();

		assert_true(first <= own && own <= last);
	}
	assert_int_equal(sched_getaffinity(0, sizeof(before), before), 0);
	assert_int_equal(has_free_core(), CPU_COUNT_S(sizeof(before), before) > 1);
	/* Only one of them. */
	memset(one, 0, sizeof(one));
	for (unsigned i = 0; i < 8 * sizeof(before); i++)
		if (CPU_ISSET_S(i, sizeof(before), before)) {
			CPU_SET_S(i, sizeof(one), one);
			break;
		}
	assert_int_equal(sched_setaffinity(0, sizeof(one), one), 0);
	assert_false(has_free_core());
	assert_int_equal(sched_setaffinity(0, sizeof(before), before), 0);
}

/* With something to observe there is a thread, if two are asked for. */
static void two_threads(void **unused)
{
	static const struct observer_kind kind;
	static const struct observer_kind *const some[] = {&kind, NULL};
	const struct job job = {.machine = &machine, .observers = some, .threads = 2};
	struct single single = {.job = &job};
	struct err err;

	(void)unused;
	assert_true(single_prepare(&single, &err));
	assert_non_null(single.thread);
	observer_thread_destroy(single.thread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_job),
		cmocka_unit_test(mounts_need_landlock),
		cmocka_unit_test(what_is_on_the_shelf_is_not_run),
		cmocka_unit_test(a_failure_ends_the_batch),
		cmocka_unit_test(a_thread_of_its_own),
		cmocka_unit_test(time_and_cores),
		cmocka_unit_test(two_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

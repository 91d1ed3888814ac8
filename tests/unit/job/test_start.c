/* Jobs in workers, of which only what they are asked and what they answer is made up. */
#include "../replace.h"
#include "../test.h"
#include "base/array.h"
#include "job/jail.h"
#include "job/job.h"
#include "value/layout.h"

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
REPLACE(layout_of, any_layout);

static bool fits(const json_t *result, const struct layout *layout, struct err *err)
{
	(void)result, (void)layout;
	return !worker.is_unfit || err_set(err, "it does not fit");
}
REPLACE(layout_check, fits);

static bool has_landlock(void)
{
	return !worker.lacks_landlock;
}
REPLACE(jail_has_landlock, has_landlock);

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
REPLACE(worker_run, answer);

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

TEST(one_job)
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
	struct err err = {.text = ""};
	json_t *result;

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

TEST(mounts_need_landlock)
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

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct program program = {.mount_count = cases[i].mounts,
					  .may_lack_landlock = cases[i].may_lack};
		const struct job job = {.program = &program};
		struct err err = {.text = ""};

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
	}
}

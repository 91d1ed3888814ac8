/* A job in this process: what its result says is what its process and its machine have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/array.h"
#include "image/image.h"
#include "job/job.h"
#include "linux/syscall.h"

static char name[] = "heapsort", size[] = "test";
static char *argv[] = {name, size, NULL};
static struct program program = {
	.name = name, .argv = argv, .argc = 2, .seed = 1, .memory_bytes = UINT64_C(1) << 30};
static const char *const changes[] = {"a=1", "b=2"};
static struct job_machine machine = {.name = "m", .changes = changes, .change_count = 2};

static int load(void **unused)
{
	const char *build = getenv("BUILD");
	char path[512];
	struct err err;

	(void)unused;
	snprintf(path, sizeof(path), "%s/workloads/heapsort", build ? build : "build");
	config_default(&machine.config);
	return program_read(&program, path, &err) ? 0 : -1;
}

static int unload(void **unused)
{
	(void)unused;
	free(program.image);
	return 0;
}

static struct process *start(void)
{
	struct process_options options = program_process_options(&program);
	struct err err;

	options.silent = true;
	struct process *process = process_create(&options, &err);
	assert_non_null(process);
	return process;
}

struct seen {
	uint64_t first, last;
	unsigned calls, stops_after; /* 0: never */
};

static void see(void *context, uint64_t instructions)
{
	struct seen *seen = context;

	if (!seen->calls)
		seen->first = instructions;
	seen->last = instructions;
	seen->calls++;
}

static bool stops(void *context)
{
	const struct seen *seen = context;

	return seen->stops_after && seen->calls >= seen->stops_after;
}

static int64_t whole(const json_t *object, const char *member)
{
	assert_true(json_is_integer(json_object_get(object, member)));
	return json_integer_value(json_object_get(object, member));
}

static const char *text(const json_t *object, const char *member)
{
	const char *value = json_string_value(json_object_get(object, member));

	return value ? value : "(none)";
}

static void a_functional_run(void **unused)
{
	static const uint64_t limits[] = {12345, INT64_MAX};
	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		struct process *process = start();
		struct seen seen = {.last = 0};
		const struct job_watch watch = {
			.should_stop = stops, .progress = see, .context = &seen};
		const struct job job = {.program = &program, .max_instructions = limits[i]};
		struct err err = {""};
		json_t *result = job_run(&job, process, &watch, &err);
		json_t *calls = json_object_get(result, "syscalls"), *count;
		uint64_t sum = 0, all = 0;
		const char *call;

		assert_non_null(result);
		assert_string_equal(text(result, "schema"), "cyclestack-exec-1");
		assert_string_equal(text(json_object_get(result, "program"), "name"), "heapsort");
		assert_int_equal(whole(result, "instructions"), process->cpu.instructions);
		if (!i)
			assert_int_equal(process->cpu.instructions, 12345);
		assert_int_equal(json_is_true(json_object_get(result, "partial")), !i);
		assert_int_equal(whole(result, "status"), i ? 0 : 124);
		assert_int_equal(whole(result, "memory_bytes"), process->memory.charged_bytes);
		assert_int_equal(whole(result, "unknown_syscalls"), process->unknown_calls);
		assert_int_equal(
			json_array_size(json_object_get(result, "live_thread_instructions")), 1);
		assert_int_equal(json_integer_value(json_array_get(
					 json_object_get(result, "live_thread_instructions"), 0)),
				 process->cpu.instructions);
		assert_int_equal(seen.last, process->cpu.instructions);
		json_object_foreach(calls, call, count)
		{
			assert_true(json_integer_value(count) > 0);
			sum += (uint64_t)json_integer_value(count);
		}
		for (size_t k = 0; k < ARRAY_COUNT(process->syscall_counts); k++)
			all += process->syscall_counts[k];
		assert_int_equal(sum, all);
		json_decref(result);
		process_destroy(process);
	}
}

/* Somebody stops it before anything; nobody watches. */
static void stopped_and_unwatched(void **unused)
{
	struct process *process = start();
	struct seen seen = {.calls = 1, .stops_after = 1};
	const struct job_watch watch = {.should_stop = stops, .context = &seen};
	const struct job_watch nobody = {NULL, NULL, NULL, NULL, NULL};
	struct job job = {.program = &program, .max_instructions = 5000};
	struct err err = {""};

	(void)unused;
	json_t *result = job_run(&job, process, &watch, &err);
	assert_int_equal(whole(result, "instructions"), 0);
	assert_true(json_is_true(json_object_get(result, "partial")));
	json_decref(result);
	result = job_run(&job, process, &nobody, &err);
	assert_int_equal(whole(result, "instructions"), 5000);
	json_decref(result);
	process_destroy(process);
	/* With a machine there is a result of nothing, unless it has to be whole. */
	job.machine = &machine;
	for (unsigned i = 0; i < 2; i++) {
		process = start();
		job.is_whole = i;
		err = (struct err){"before"};
		result = job_run(&job, process, &watch, &err);
		assert_int_equal(result != NULL, !i);
		if (i)
			assert_string_equal(err.text, "");
		json_decref(result);
		process_destroy(process);
	}
	/* Within what is skipped there is none at all. */
	process = start();
	job.is_whole = false;
	job.skip = 1000;
	assert_null(job_run(&job, process, &watch, &err));
	assert_string_equal(err.text, "");
	process_destroy(process);
}

static void a_simulated_part(void **unused)
{
	int64_t cycles[2];

	(void)unused;
	for (unsigned is_cold = 0; is_cold < 2; is_cold++) {
		struct process *process = start();
		struct seen seen = {.last = 0};
		const struct job_watch watch = {.progress = see, .context = &seen};
		const struct job job = {.program = &program,
					.machine = &machine,
					.skip = 60000,
					.max_instructions = 5000,
					.is_cold = is_cold};
		struct err err = {""};
		json_t *result = job_run(&job, process, &watch, &err);
		const json_t *values = json_object_get(result, "values");
		const json_t *configuration = json_object_get(result, "configuration");
		char hash[65];

		assert_non_null(result);
		assert_ptr_equal(process->machine, &machine.config);
		assert_string_equal(text(result, "schema"), "cyclestack-run-2");
		assert_int_equal(whole(result, "skipped_instructions"), 60000);
		assert_int_equal(whole(values, "instructions"), 5000);
		cycles[is_cold] = whole(values, "cycles");
		assert_true(json_is_true(json_object_get(result, "partial")));
		assert_int_equal(whole(result, "status"), 124);
		assert_string_equal(text(configuration, "name"), "m");
		config_hash(&machine.config, hash);
		assert_string_equal(text(configuration, "sha256"), hash);
		const json_t *list = json_object_get(configuration, "changes");
		assert_int_equal(json_array_size(list), 2);
		assert_string_equal(json_string_value(json_array_get(list, 0)), "a=1");
		assert_string_equal(json_string_value(json_array_get(list, 1)), "b=2");
		assert_null(json_object_get(result, "stacks"));
		assert_null(json_object_get(result, "module"));
		/* First those before the machine takes over, then its own. */
		assert_int_equal(seen.first, 60000);
		assert_int_equal(seen.last, 5000);
		json_decref(result);
		process_destroy(process);
	}
	/* Warm caches are worth something. */
	assert_true(cycles[0] < cycles[1]);
}

/* In pieces of any size the result is the same bytes. */
static void pieces_change_nothing(void **unused)
{
	static const uint64_t pieces[] = {1, 777, 1000000};
	char *first = NULL;

	(void)unused;
	for (unsigned i = 0; i < 3; i++) {
		struct process *process = start();
		const struct job_watch nobody = {NULL, NULL, NULL, NULL, NULL};
		const struct job job = {
			.program = &program, .machine = &machine, .max_instructions = 3000};
		struct job_simulation run;
		struct err err;

		assert_true(job_begin(&run, &job, process, &nobody, &err));
		assert_int_equal(job_ending(&run), JOB_PARTIAL);
		while (job_continue(&run, pieces[i]))
			;
		json_t *result = job_result(&run, &err);
		char *bytes = json_dumps(result, JSON_SORT_KEYS);
		if (!first)
			first = bytes;
		else
			assert_string_equal(bytes, first);
		if (bytes != first)
			free(bytes);
		json_decref(result);
		job_end(&run);
		assert_null(run.simulation);
		process_destroy(process);
	}
	free(first);
}

static void functions_that_are_not_there(void **unused)
{
	static const char *const two[] = {"main", "nowhere"};
	const struct job_watch nobody = {NULL, NULL, NULL, NULL, NULL};
	struct job job = {.program = &program,
			  .machine = &machine,
			  .max_instructions = 100,
			  .annotate = two,
			  .annotate_count = 2};
	struct process *process = start();
	struct err err = {""};

	(void)unused;
	assert_null(job_run(&job, process, &nobody, &err));
	assert_string_equal(err.text,
			    "--annotate nowhere: the program has no function of that name");
	process_destroy(process);
	process = start();
	job.annotate_count = 1;
	job.roi = "elsewhere";
	assert_null(job_run(&job, process, &nobody, &err));
	assert_string_equal(err.text, "--roi elsewhere: the program has no function of that name");
	process_destroy(process);
	/* It begins at the first instruction of main, and no earlier. */
	process = start();
	job.roi = "main";
	json_t *result = job_run(&job, process, &nobody, &err);
	assert_non_null(result);
	assert_true(whole(result, "skipped_instructions") > 0);
	assert_int_equal(whole(json_object_get(result, "values"), "instructions"), 100);
	json_decref(result);
	process_destroy(process);
	/* It is not called a second time. */
	process = start();
	job.roi_call = 2;
	assert_null(job_run(&job, process, &nobody, &err));
	assert_string_equal(err.text,
			    "the program ended after 1 calls of the --roi function; nothing "
			    "was simulated");
	process_destroy(process);
	process = start();
	job.roi = NULL;
	job.roi_call = 0;
	job.skip = 10000000;
	assert_null(job_run(&job, process, &nobody, &err));
	assert_string_equal(err.text, "the program ended within --skip; nothing was simulated");
	process_destroy(process);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_functional_run),
		cmocka_unit_test(stopped_and_unwatched),
		cmocka_unit_test(a_simulated_part),
		cmocka_unit_test(pieces_change_nothing),
		cmocka_unit_test(functions_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, load, unload);
}

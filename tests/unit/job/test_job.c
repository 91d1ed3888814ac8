/* A job in this process: what its result says is what its process and its machine have. And which
 * threads a job in a worker has. */
#include <sched.h>

#include "base/array.h"
#include "count/count.h"
#include "image/image.h"
#include "job/job.h"
#include "job/parts.h"
#include "linux/syscall.h"
#include "../json.h"
#include "heapsort.h"

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

TEST(a_functional_run)
{
	static const uint64_t limits[] = {12345, INT64_MAX};
	for (unsigned i = 0; i < 2; i++) {
		struct process *process = start();
		struct seen seen = {.last = 0};
		const struct job_watch watch = {
			.should_stop = stops, .progress = see, .context = &seen};
		const struct job job = {.program = &program, .max_instructions = limits[i]};
		struct err err = {.text = ""};
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
TEST(stopped_and_unwatched)
{
	struct process *process = start();
	struct seen seen = {.calls = 1, .stops_after = 1};
	const struct job_watch watch = {.should_stop = stops, .context = &seen};
	const struct job_watch nobody = {0};
	struct job job = {.program = &program, .max_instructions = 5000};
	struct err err = {.text = ""};

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
		err = (struct err){.text = "before"};
		result = job_run(&job, process, &watch, &err);
		assert_int_equal(result != NULL, !i);
		if (i)
			assert_int_equal(err.kind, ERR_STOPPED);
		json_decref(result);
		process_destroy(process);
	}
	/* Within what is skipped there is none at all. */
	process = start();
	job.is_whole = false;
	job.skip = 1000;
	assert_null(job_run(&job, process, &watch, &err));
	assert_int_equal(err.kind, ERR_STOPPED);
	process_destroy(process);
}

TEST(a_simulated_part)
{
	int64_t cycles[2];

	for (unsigned is_cold = 0; is_cold < 2; is_cold++) {
		struct process *process = start();
		struct seen seen = {.last = 0};
		const struct job_watch watch = {.progress = see, .context = &seen};
		const struct job job = {.program = &program,
					.machine = &machine,
					.skip = 60000,
					.max_instructions = 5000,
					.is_cold = is_cold};
		struct err err = {.text = ""};
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
TEST(pieces_change_nothing)
{
	static const uint64_t pieces[] = {1, 777, 1000000};
	char *first = NULL;

	for (unsigned i = 0; i < 3; i++) {
		struct process *process = start();
		const struct job_watch nobody = {0};
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

TEST(functions_that_are_not_there)
{
	static const char *const two[] = {"main", "nowhere"};
	const struct job_watch nobody = {0};
	struct part_places places;
	const struct job_part *const parts[] = {part_places_init(&places), NULL};
	struct job job = {
		.program = &program, .machine = &machine, .parts = parts, .max_instructions = 100};
	struct process *process = start();
	struct err err = {.text = ""};

	places.annotate = two;
	places.annotate_count = 2;
	assert_null(job_run(&job, process, &nobody, &err));
	assert_string_equal(err.text,
			    "--annotate nowhere: the program has no function of that name");
	assert_int_equal(err.kind, ERR_USAGE);
	process_destroy(process);
	process = start();
	places.annotate_count = 1;
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
	assert_int_equal(err.kind, ERR_INPUT);
	process_destroy(process);
}

/* Runs it in a worker; its result as text, and the time of the observers' thread. */
static char *start_job(const struct job *job, uint64_t *observer_time_ns)
{
	const struct job_listener deaf = {0};
	struct worker_report report;
	struct err err;
	json_t *result;

	assert_true(job_start(job, &deaf, &result, &report, &err));
	assert_true(report.time_ns > 0);
	*observer_time_ns = report.observer_time_ns;
	char *bytes = json_dumps(result, JSON_COMPACT);
	json_decref(result);
	return bytes;
}

/* A second thread observes if there is something to observe and a core for it, or if two are asked
 * for. */
TEST(threads_of_a_worker)
{
	static const struct observer_kind *const some[] = {&count_exact, NULL}, *const none[] = {
											NULL};
	struct part_counters counters;
	const struct job_part *const parts[] = {part_counters_init(&counters, some), NULL};
	struct job job = {.program = &program,
			  .machine = &machine,
			  .parts = parts,
			  .max_instructions = 20000,
			  .is_silent = true};
	cpu_set_t before[16], one[16];
	uint64_t time_ns;

	job.threads = 2;
	char *two = start_job(&job, &time_ns);
	assert_true(time_ns > 0);
	job.threads = 1;
	char *single = start_job(&job, &time_ns);
	assert_int_equal(time_ns, 0);
	assert_string_equal(single, two);
	assert_int_equal(sched_getaffinity(0, sizeof(before), before), 0);
	job.threads = 0;
	free(start_job(&job, &time_ns));
	assert_int_equal(time_ns > 0, CPU_COUNT_S(sizeof(before), before) > 1);
	/* On one core only. */
	memset(one, 0, sizeof(one));
	for (unsigned i = 0; i < 8 * sizeof(before) && !CPU_COUNT_S(sizeof(one), one); i++)
		if (CPU_ISSET_S(i, sizeof(before), before))
			CPU_SET_S(i, sizeof(one), one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), one), 0);
	free(start_job(&job, &time_ns));
	assert_int_equal(time_ns, 0);
	assert_int_equal(sched_setaffinity(0, sizeof(before), before), 0);
	/* Nothing observes. */
	job.threads = 2;
	part_counters_init(&counters, none);
	free(start_job(&job, &time_ns));
	assert_int_equal(time_ns, 0);
	job.parts = NULL;
	free(start_job(&job, &time_ns));
	assert_int_equal(time_ns, 0);
	job.machine = NULL;
	job.parts = parts;
	part_counters_init(&counters, some);
	free(start_job(&job, &time_ns));
	assert_int_equal(time_ns, 0);
	free(single);
	free(two);
}

/* Which machines a sweep has, in which order and how many at most; which job is whose, and what is
 * taken of each result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"

static bool run_made_up(const struct job_batch *batch, bool *interrupted, struct err *err);
#define jobs_run run_made_up
#include "sweep/sweep.c"
#undef jobs_run

static struct sweep_request make_request(const char *const *changes, size_t count)
{
	struct sweep_request request = {0};

	config_default(&request.base.machine.config);
	request.base.machine.name = "some";
	request.base.machine.changes = changes;
	request.base.machine.change_count = count;
	return request;
}

/* "change change; change; ..." */
static const char *text_of(const struct sweep_machines *machines)
{
	static char text[4096];
	size_t at = 0;

	text[0] = 0;
	for (size_t i = 0; i < machines->count; i++) {
		const struct job_machine *m = &machines->items[i].machine;

		assert_string_equal(m->name, "some");
		for (size_t k = 0; k < m->change_count; k++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", k ? " " : "",
					       m->changes[k]);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "; ");
	}
	return text;
}

static void machines_are_variations_times_the_grid(void **state)
{
	static const char *const changes[] = {"rob.size=64"};
	static const char *const variations[] = {"lsq.size=20,rob.size=40", "lsq.size=24"};
	static const char *const grid[] = {"l1d.latency_cycles=2,3", "l2.latency_cycles=9"};
	struct sweep_request request = make_request(changes, 1);
	struct err err = {""};

	(void)state;
	struct sweep_machines *machines = sweep_plan(&request, &err);
	assert_string_equal(text_of(machines), "rob.size=64; ");
	assert_int_equal(machines->items[0].machine.config.rob_size, 64);
	sweep_machines_release(machines);
	request.variations = variations;
	request.variation_count = 2;
	request.grid = grid;
	request.grid_count = 2;
	machines = sweep_plan(&request, &err);
	assert_non_null(machines);
	assert_string_equal(
		text_of(machines),
		"rob.size=64 l1d.latency_cycles=2 l2.latency_cycles=9; "
		"rob.size=64 l1d.latency_cycles=3 l2.latency_cycles=9; "
		"rob.size=64 lsq.size=20 rob.size=40 l1d.latency_cycles=2 l2.latency_cycles=9; "
		"rob.size=64 lsq.size=20 rob.size=40 l1d.latency_cycles=3 l2.latency_cycles=9; "
		"rob.size=64 lsq.size=24 l1d.latency_cycles=2 l2.latency_cycles=9; "
		"rob.size=64 lsq.size=24 l1d.latency_cycles=3 l2.latency_cycles=9; ");
	const struct config *last = &machines->items[3].machine.config;
	assert_int_equal(last->rob_size, 40);
	assert_int_equal(last->lsq_size, 20);
	assert_int_equal(last->l1d_latency, 3);
	assert_int_equal(last->l2_latency, 9);
	sweep_machines_release(machines);
	sweep_machines_release(NULL);
}

static void mistakes_name_the_change(void **state)
{
	static const struct {
		const char *variation, *grid, *sentence;
	} rows[] = {
		{NULL, "rob.size", "--grid: \"rob.size\" is not KEY=VALUE,VALUE,..."},
		{NULL, "rob.size=64,x",
		 "rob.size=x: rob.size must be a whole number from 4 to 1024, not \"x\""},
		{"l1d.latency_cycles=2,l1d.ways=3", NULL,
		 "l1d.ways=3: l1d.size_bytes (32768) cannot be divided into 3 equal ways "
		 "(l1d.ways)"},
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct sweep_request request = make_request(NULL, 0);

		request.variations = &rows[i].variation;
		request.variation_count = rows[i].variation != NULL;
		request.grid = &rows[i].grid;
		request.grid_count = rows[i].grid != NULL;
		assert_null(sweep_plan(&request, &err));
		assert_string_equal(err.text, rows[i].sentence);
	}
	/* Nothing was changed, and it is wrong already. */
	struct sweep_request request = make_request(NULL, 0);
	request.base.machine.config.l1d_ways = 3;
	assert_null(sweep_plan(&request, &err));
	assert_string_equal(err.text,
			    "the machine: l1d.size_bytes (32768) cannot be divided into 3 "
			    "equal ways (l1d.ways)");
}

/* "key=4,5,6,..." with so many values. */
static char *numbers(const char *key, unsigned count)
{
	char *text = mem_alloc(16 * count + 64);
	size_t at = (size_t)sprintf(text, "%s=", key);

	for (unsigned i = 0; i < count; i++)
		at += (size_t)sprintf(text + at, "%s%u", i ? "," : "", 4 + i);
	return text;
}

static void machines_are_4096_at_most(void **state)
{
	struct sweep_request request = make_request(NULL, 0);
	char *grid[2] = {numbers("rob.size", 64), numbers("l2.latency_cycles", 64)};
	const char *variations[4096];
	struct err err;

	(void)state;
	request.grid = (const char *const *)grid;
	request.grid_count = 2;
	struct sweep_machines *machines = sweep_plan(&request, &err);
	assert_non_null(machines);
	assert_int_equal(machines->count, 4096);
	sweep_machines_release(machines);
	free(grid[1]);
	grid[1] = numbers("l2.latency_cycles", 65);
	assert_null(sweep_plan(&request, &err));
	assert_string_equal(err.text, "--vary and --grid make more than 4096 machines");
	free(grid[0]);
	free(grid[1]);
	for (size_t i = 0; i < 4096; i++)
		variations[i] = "rob.size=64";
	request.grid_count = 0;
	request.variations = variations;
	request.variation_count = 4095;
	machines = sweep_plan(&request, &err);
	assert_non_null(machines);
	assert_int_equal(machines->count, 4096);
	sweep_machines_release(machines);
	request.variation_count = 4096;
	assert_null(sweep_plan(&request, &err));
	assert_string_equal(err.text, "--vary and --grid make more than 4096 machines");
}

static bool is_interrupted, fails;
static char told[64];

static void hear_progress(void *context, size_t done, size_t all)
{
	snprintf(told, sizeof(told), "%s: %zu of %zu", (const char *)context, done, all);
}

/* Job i has 1000 + i instructions and 2000 + i cycles; the last of an interrupted sweep is missing.
 */
static bool run_made_up(const struct job_batch *batch, bool *interrupted, struct err *err)
{
	assert_int_equal(batch->count, 6);
	assert_int_equal(batch->at_once, 4);
	assert_null(batch->shelf);
	for (size_t i = 0; i < batch->count - is_interrupted; i++) {
		const struct job *job = &batch->jobs[i];

		assert_string_equal(job->program->name, i < 3 ? "first" : "second");
		assert_int_equal(job->machine->config.rob_size, 40 + 8 * (i % 3));
		assert_int_equal(job->max_instructions, i < 3 ? 71 : 72);
		assert_true(job->is_silent && job->is_whole);
		assert_ptr_equal(job->observers[0], &count_exact);
		assert_null(job->observers[1]);
		json_t *result = json_pack(
			"{s:{s:s}, s:{s:i}, s:{s:i, s:i}, s:{s:{s:{s:i}}, s:{s:{s:i}}}}", "program",
			"name", job->program->name, "configuration", "number", (int)i, "values",
			"instructions", 1000 + (int)i, "cycles", 2000 + (int)i, "stacks", "exact",
			"components", "base", (int)i, "fmt", "components", "base", 99);
		assert_non_null(result);
		assert_true(batch->done(batch->context, i, result, err));
		json_decref(result);
	}
	batch->progress(batch->context, 5);
	*interrupted = is_interrupted;
	return !fails || err_set(err, "it failed");
}

static void results_are_by_program_and_machine(void **state)
{
	static const char *const grid[] = {"rob.size=40,48,56"};
	struct sweep_request request = make_request(NULL, 0);
	char first[] = "first", second[] = "second", context[] = "mine";
	struct program programs[2] = {{.name = first, .max_instructions = 71},
				      {.name = second, .max_instructions = 72}};
	bool interrupted = false;
	struct err err = {""};

	(void)state;
	request.base.programs = programs;
	request.base.program_count = 2;
	request.base.at_once = 4;
	request.grid = grid;
	request.grid_count = 1;
	struct sweep_machines *machines = sweep_plan(&request, &err);
	assert_non_null(machines);
	for (int pass = 0; pass < 2; pass++) {
		is_interrupted = pass;
		json_t *result = sweep_run(&request, machines, &interrupted, &err);
		const json_t *runs = json_object_get(result, "runs");

		assert_int_equal(interrupted, pass);
		assert_string_equal(json_string_value(json_object_get(result, "schema")),
				    "cyclestack-sweep-1");
		assert_string_equal(json_string_value(json_object_get(
					    json_object_get(result, "configuration"), "name")),
				    "some");
		assert_int_equal(json_array_size(runs), 6 - pass);
		for (size_t i = 0; i < json_array_size(runs); i++) {
			const json_t *run = json_array_get(runs, i);

			assert_string_equal(json_string_value(json_object_get(run, "program")),
					    i < 3 ? "first" : "second");
			assert_int_equal(json_integer_value(json_object_get(run, "instructions")),
					 1000 + i);
			assert_int_equal(json_integer_value(json_object_get(run, "cycles")),
					 2000 + i);
			assert_int_equal(json_integer_value(json_object_get(
						 json_object_get(run, "configuration"), "number")),
					 i);
			assert_int_equal(json_integer_value(json_object_get(
						 json_object_get(run, "components"), "base")),
					 i);
		}
		json_decref(result);
		/* The second time somebody listens. */
		assert_string_equal(told, pass ? "mine: 5 of 6" : "");
		request.base.progress = hear_progress;
		request.base.context = context;
	}
	is_interrupted = false;
	fails = true;
	assert_null(sweep_run(&request, machines, &interrupted, &err));
	assert_string_equal(err.text, "it failed");
	sweep_machines_release(machines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_are_variations_times_the_grid),
		cmocka_unit_test(mistakes_name_the_change),
		cmocka_unit_test(machines_are_4096_at_most),
		cmocka_unit_test(results_are_by_program_and_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which program's plot is shown, from made-up finds: the one with most, of equal ones the first. */
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
#include "cmd/reproduce_plots.c"
#undef jobs_run

static const char *refused; /* a program that does not open */

bool program_open(struct program *program, const struct args *args, int *status, struct err *err)
{
	(void)status;
	*program = (struct program){.name = mem_strdup(args->rest[0])};
	assert_int_equal(args->rest_count, 1);
	assert_null(args->rest[1]);
	return !refused || strcmp(refused, args->rest[0]) != 0 || err_set(err, "it is not there");
}

static char shown[256];

void progress_start(struct progress *progress, const struct args *args, uint64_t total,
		    bool is_limit)
{
	(void)args;
	assert_true(total == 0 && !is_limit);
	*progress = (struct progress){.total = 5};
}

void progress_count(struct progress *progress, size_t done, size_t all, const char *what)
{
	assert_int_equal(progress->total, 5);
	snprintf(shown, sizeof(shown), "%zu of %zu %s", done, all, what);
}

void progress_end(struct progress *progress)
{
	assert_int_equal(progress->total, 5);
}

static const struct job_shelf shelf;
static bool is_interrupted, fails;
static int missing = -1; /* the kind that no program has */

/* Stretches: program 4 and 7 have 30, the others fewer. The L1I's: only the last. Branches and
 * overlaps: one each. Long misses: the first most. */
static json_int_t found_of(size_t i, const char *kind)
{
	if (missing >= 0 && strcmp(kind, interval_kind_name((enum interval_kind)missing)) == 0)
		return 0;
	if (strcmp(kind, interval_kind_name(INTERVAL_STRETCH)) == 0)
		return i == 4 || i == 7 ? 30 : (json_int_t)i;
	if (strcmp(kind, interval_kind_name(INTERVAL_L1I)) == 0)
		return i == 11;
	if (strcmp(kind, interval_kind_name(INTERVAL_LONG)) == 0)
		return 20 - (json_int_t)i;
	return i == (strcmp(kind, interval_kind_name(INTERVAL_BRANCH)) == 0 ? 5 : 6);
}

static bool run_made_up(const struct job_batch *batch, bool *interrupted, struct err *err)
{
	assert_int_equal(batch->count, 12);
	assert_int_equal(batch->at_once, 9);
	assert_ptr_equal(batch->shelf, &shelf);
	for (size_t i = 0; i < batch->count; i++) {
		const struct job *job = &batch->jobs[i];
		json_t *plots = json_object();

		assert_int_equal(job->max_instructions, 4000000);
		assert_ptr_equal(job->observers[0], &count_plots);
		assert_null(job->observers[1]);
		assert_true(job->is_silent && job->is_whole);
		assert_int_equal(job->machine->config.rob_size, 77);
		for (int kind = 0; kind < INTERVAL_KINDS; kind++) {
			const char *name = interval_kind_name((enum interval_kind)kind);

			json_object_set_new(plots, name,
					    json_pack("{s:I, s:i}", "found", found_of(i, name),
						      "of", (int)(100 * i) + kind));
		}
		json_t *result = json_pack("{s:o}", count_plots.name, plots);
		assert_true(batch->done(batch->context, i, result, err));
		json_decref(result);
	}
	batch->progress(batch->context, 8);
	*interrupted = is_interrupted;
	return !fails || err_set(err, "it failed");
}

static json_t *plot(struct err *err, bool *interrupted)
{
	struct judge_request request = {.at_once = 9, .shelf = &shelf};

	request.machine.config.rob_size = 77;
	*interrupted = false;
	return reproduce_plots(&request, NULL, interrupted, err);
}

static void plots_are_of_the_program_with_most(void **state)
{
	static const struct {
		int figure, program, of;
		enum interval_kind kind;
	} rows[] = {{2, 4, 400 + INTERVAL_STRETCH, INTERVAL_STRETCH},
		    {3, 11, 1100 + INTERVAL_L1I, INTERVAL_L1I},
		    {5, 5, 500 + INTERVAL_BRANCH, INTERVAL_BRANCH},
		    {7, 0, INTERVAL_LONG, INTERVAL_LONG},
		    {8, 6, 600 + INTERVAL_OVERLAP, INTERVAL_OVERLAP}};
	struct err err = {""};
	bool interrupted;
	json_t *plots = plot(&err, &interrupted);

	(void)state;
	assert_int_equal(json_array_size(plots), 5);
	for (size_t i = 0; i < 5; i++) {
		const json_t *row = json_array_get(plots, i);
		const char *kind = interval_kind_name(rows[i].kind);
		const json_t *by_program = json_object_get(row, "found_by_program");
		char name[64];

		snprintf(name, sizeof(name), "@%s:small",
			 paper_eyerman2006_programs[rows[i].program].ours);
		assert_string_equal(json_string_value(json_object_get(row, "program")), name);
		assert_string_equal(json_string_value(json_object_get(row, "kind")), kind);
		assert_int_equal(json_integer_value(json_object_get(row, "figure")),
				 rows[i].figure);
		assert_int_equal(json_integer_value(json_object_get(row, "of")), rows[i].of);
		assert_int_equal(json_integer_value(json_object_get(row, "instructions")), 4000000);
		assert_int_equal(json_object_size(by_program), 12);
		for (size_t p = 0; p < 12; p++) {
			snprintf(name, sizeof(name), "@%s:small",
				 paper_eyerman2006_programs[p].ours);
			assert_int_equal(json_integer_value(json_object_get(by_program, name)),
					 found_of(p, kind));
		}
	}
	json_decref(plots);
	missing = INTERVAL_BRANCH;
	plots = plot(&err, &interrupted);
	assert_int_equal(json_array_size(plots), 4);
	json_decref(plots);
	missing = -1;
	assert_string_equal(shown, "8 of 12 programs searched for intervals");
}

static void plots_that_cannot_be_made(void **state)
{
	struct err err = {""};
	bool interrupted;
	char name[64];

	(void)state;
	snprintf(name, sizeof(name), "@%s:small", paper_eyerman2006_programs[5].ours);
	refused = name;
	assert_null(plot(&err, &interrupted));
	assert_string_equal(err.text, "it is not there");
	refused = NULL;
	fails = true;
	assert_null(plot(&err, &interrupted));
	assert_string_equal(err.text, "it failed");
	fails = false;
	is_interrupted = true;
	json_t *plots = plot(&err, &interrupted);
	assert_true(interrupted);
	assert_int_equal(json_array_size(plots), 0);
	json_decref(plots);
	is_interrupted = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plots_are_of_the_program_with_most),
		cmocka_unit_test(plots_that_cannot_be_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

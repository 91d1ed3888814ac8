/* Seeds of repeated runs, and what becomes of their counts: means and spreads worked out by hand,
 * whatever the order in which runs end. */
#include "../test.h"
#include "base/array.h"
#include "experiment/repeat.h"
#include "job/part.h"
#include "value/layout.h"

static char name[] = "name";
static char *words[] = {name, NULL};
static const struct job_part_kind kind = {.name = "stat"};
static const struct job_part part = {.kind = &kind};

struct made {
	struct program program;
	struct job_machine machine;
};

static struct plan *make(struct made *made, uint64_t seed, size_t count)
{
	*made = (struct made){.program = {.argv = words, .argc = 1, .hash = "0123", .seed = seed},
			      .machine = {.name = "machine"}};
	config_default(&made->machine.config);
	return repeat_plan(&made->program, &made->machine, &part, count);
}

/* A run that counted so many misses. */
static void take(struct plan *plan, size_t i, int misses, const char *signal)
{
	struct err err;
	json_t *result = json_pack("{s:{s:i, s:i}, s:i, s:b, s:[{s:s, s:s, s:s, s:i, s:b, s:[i]}], "
				   "s:[{s:s, s:s, s:s, s:f, s:b, s:[f]}], s:[i]}",
				   "values", "cycles", 1000, "instructions", 500, "status", (int)i,
				   "partial", misses == 14, "counters", "signal", signal, "where",
				   "main", "unit", "accesses", "total", misses, "saturated",
				   misses == 10, "intervals", 3, "derived", "name", "mpki",
				   "formula", "2 * misses", "where", "main", "value", 2.0 * misses,
				   "saturated", false, "intervals", 0.5, "intervals", 7);

	assert_non_null(result);
	assert_true(plan->take(plan, i, result, &err));
	json_decref(result);
}

TEST(seeds_follow_each_other)
{
	struct made made;
	struct plan *plan = make(&made, 7, 3);

	assert_int_equal(plan->count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(plan->points[i].program->seed, 7 + i);
		assert_string_equal(plan->points[i].program->argv[0], "name");
		assert_ptr_equal(plan->points[i].part, &part);
		assert_ptr_equal(plan->points[i].machine, &made.machine);
	}
	plan_destroy(plan);
}

/* 10, 12, 14: the variance is 4, and that of the mean a third of it; sqrt(4 / 3) / 12. */
TEST(means_and_spreads)
{
	static const int misses[] = {10, 12, 14};
	static const size_t orders[][3] = {{0, 1, 2}, {2, 0, 1}};
	json_t *results[2];
	struct made made;
	struct err err;

	for (size_t o = 0; o < 2; o++) {
		struct plan *plan = make(&made, 7, 3);

		for (size_t k = 0; k < 3; k++)
			take(plan, orders[o][k], misses[orders[o][k]], "l1d.misses");
		results[o] = plan->conclude(plan, false, &err);
		assert_non_null(results[o]);
		plan_destroy(plan);
	}
	assert_true(json_equal(results[0], results[1]));
	if (!layout_check(results[0], &layout_repeat, &err))
		fail_msg("%s", err.text);
	const json_t *counter = json_array_get(json_object_get(results[0], "counters"), 0);
	const json_t *derived = json_array_get(json_object_get(results[0], "derived"), 0);
	const json_t *cycles = json_object_get(results[0], "cycles");
	assert_true(json_real_value(json_object_get(counter, "mean")) == 12);
	assert_float_equal(json_real_value(json_object_get(counter, "spread")), 0.0962250, 1e-7);
	assert_true(json_is_true(json_object_get(counter, "saturated")));
	assert_int_equal(json_array_size(json_object_get(counter, "totals")), 3);
	assert_true(json_real_value(json_object_get(derived, "mean")) == 24);
	assert_float_equal(json_real_value(json_object_get(derived, "spread")), 0.0962250, 1e-7);
	/* What is the same in all has no spread. */
	assert_true(json_real_value(json_object_get(cycles, "mean")) == 1000);
	assert_true(json_is_null(json_object_get(cycles, "spread")));
	assert_true(json_is_true(json_object_get(results[0], "varies")));
	assert_true(json_is_true(json_object_get(results[0], "partial")));
	const json_t *last = json_array_get(json_object_get(results[0], "runs"), 2);
	assert_string_equal(json_string_value(json_object_get(last, "seed")), "9");
	assert_int_equal(json_integer_value(json_object_get(last, "status")), 2);
	json_decref(results[0]);
	json_decref(results[1]);
}

TEST(nothing_varies_where_all_is_the_same)
{
	struct made made;
	struct err err;
	struct plan *plan = make(&made, UINT64_MAX, 2);

	take(plan, 0, 0, "l1d.misses");
	take(plan, 1, 0, "l1d.misses");
	json_t *result = plan->conclude(plan, false, &err);
	assert_true(json_is_false(json_object_get(result, "varies")));
	assert_true(layout_check(result, &layout_repeat, &err));
	json_decref(result);
	plan_destroy(plan);
}

/* What is left of an interrupted plan has a mean of two runs or more. */
TEST(runs_that_are_missing_or_other)
{
	struct made made;
	struct err err = {.text = "interrupted"};
	struct plan *plan = make(&made, 1, 4);

	take(plan, 1, 10, "l1d.misses");
	assert_null(plan->conclude(plan, true, &err));
	assert_string_equal(err.text, "interrupted");
	take(plan, 3, 14, "l1d.misses");
	json_t *result = plan->conclude(plan, true, &err);
	assert_int_equal(json_array_size(json_object_get(result, "runs")), 2);
	json_decref(result);
	take(plan, 0, 10, "l1i.misses");
	assert_null(plan->conclude(plan, true, &err));
	assert_string_equal(err.text, "the runs did not count the same: there is no mean of them");
	plan_destroy(plan);
}

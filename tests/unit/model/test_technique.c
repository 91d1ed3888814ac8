/* The techniques of Chen and Aamodt (2008): the paper's examples worked out, and a slow twin of
 * each on random traces. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/array.h"
#include "base/rng.h"
#include "model/technique.h"
#include "example.h"
#include "twin_window.h"

static void add_load(struct example *e, uint8_t from, uint8_t to, uint64_t address, bool is_miss)
{
	add_access(e, true, false, from, to, address, is_miss);
}

static struct technique_result evaluate(const struct example *e, const struct technique *t,
					const struct design_point *point)
{
	const struct skeleton_options options = {.window_most = SKELETON_WINDOW_MOST,
						 .forward_most = SKELETON_WINDOW_MOST,
						 .pending_hits = t->pending_hits,
						 .store_fills_miss = t->store_fills_miss};
	struct skeleton_builder *builder = skeleton_builder_create(&options);
	struct technique_result result;

	for (size_t i = 0; i < e->count; i++)
		skeleton_builder_add(builder, &e->steps[i], &e->labels[i]);
	technique_evaluate(t, point, skeleton_builder_result(builder), &result, NULL, NULL);
	skeleton_builder_destroy(builder);
	return result;
}

static const struct design_point eight = {8, 4, MSHRS_UNLIMITED, 200, 12};

/* Figure 4: two misses without a dependence are connected by a pending hit. */
static void figure_4_a_pending_hit_connects_two_misses(void **unused)
{
	(void)unused;
	static struct example e;
	struct technique t = {.windows = WINDOWS_PLAIN};

	e.count = 0;
	add_load(&e, 1, 2, 0x1000, true);
	add_load(&e, 1, 3, 0x1008, false);
	add_load(&e, 3, 4, 0x5000, true);
	assert_int_equal(evaluate(&e, &t, &eight).serialized, 1);
	assert_float_equal(evaluate(&e, &t, &eight).cycles, 200, 0);
	t.pending_hits = true;
	assert_int_equal(evaluate(&e, &t, &eight).serialized, 2);
	assert_float_equal(evaluate(&e, &t, &eight).cycles, 400, 0);
}

static void add_figure(struct example *e, size_t count, const unsigned *misses, size_t miss_count)
{
	e->count = 0;
	for (size_t i = 1; i <= count; i++) {
		bool is_miss = false;

		for (size_t k = 0; k < miss_count; k++)
			is_miss |= misses[k] == i;
		if (is_miss)
			add_load(e, 0, (uint8_t)(10 + i), 0x1000 * i, true);
		else
			add_alu(e, 0, 1);
	}
}

struct seen {
	struct model_window windows[16];
	size_t count;
};

static void note_window(void *context, const struct model_window *window)
{
	struct seen *seen = context;

	assert_true(seen->count < ARRAY_COUNT(seen->windows));
	seen->windows[seen->count++] = *window;
}

static struct seen windows_of(const struct example *e, const struct technique *t,
			      const struct design_point *point)
{
	const struct skeleton_options options = {.window_most = SKELETON_WINDOW_MOST,
						 .forward_most = SKELETON_WINDOW_MOST,
						 .pending_hits = t->pending_hits,
						 .store_fills_miss = t->store_fills_miss};
	struct skeleton_builder *builder = skeleton_builder_create(&options);
	struct technique_result result;
	struct seen seen = {.count = 0};

	for (size_t i = 0; i < e->count; i++)
		skeleton_builder_add(builder, &e->steps[i], &e->labels[i]);
	technique_evaluate(t, point, skeleton_builder_result(builder), &result, note_window, &seen);
	skeleton_builder_destroy(builder);
	return seen;
}

/* Figure 6: with four MSHRs the window of eight ends with the fourth miss, i6; i7 is in the next.
 */
static void figure_6_the_fourth_miss_ends_the_window(void **unused)
{
	(void)unused;
	static struct example e;
	static const unsigned misses[] = {1, 2, 4, 6, 7};
	const struct design_point four = {8, 4, 4, 200, 12};
	struct technique t = {.windows = WINDOWS_PLAIN, .mshr_aware = true};

	add_figure(&e, 8, misses, ARRAY_COUNT(misses));
	struct seen seen = windows_of(&e, &t, &four);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.windows[0].start, 0);
	assert_int_equal(seen.windows[0].end, 6);
	assert_int_equal(seen.windows[0].misses, 4);
	assert_int_equal(seen.windows[0].chain, 1);
	assert_int_equal(seen.windows[0].ended, WINDOW_MSHRS);
	assert_int_equal(seen.windows[1].start, 6);
	assert_int_equal(seen.windows[1].misses, 1);
	assert_int_equal(evaluate(&e, &t, &four).serialized, 2);
	t.mshr_aware = false;
	assert_int_equal(evaluate(&e, &t, &four).serialized, 1);
}

/* Figure 7: misses i5, i7, i9, i11 overlap; plain windows divide them, swam's does not. */
static void figure_7_swam_starts_with_a_miss(void **unused)
{
	(void)unused;
	static struct example e;
	static const unsigned misses[] = {5, 7, 9, 11};
	struct technique t = {.windows = WINDOWS_PLAIN};

	add_figure(&e, 16, misses, ARRAY_COUNT(misses));
	assert_int_equal(evaluate(&e, &t, &eight).serialized, 2);
	t.windows = WINDOWS_SWAM;
	struct seen seen = windows_of(&e, &t, &eight);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.windows[0].start, 4);
	assert_int_equal(seen.windows[0].end, 12);
	assert_int_equal(seen.windows[0].misses, 4);
	assert_int_equal(evaluate(&e, &t, &eight).serialized, 1);
}

/* Section 3.4.2: a miss that depends on another takes no MSHR at the same time. */
static void swam_mlp_counts_only_independent_misses(void **unused)
{
	(void)unused;
	static struct example e;
	const struct design_point two = {8, 4, 2, 200, 12};
	struct technique t = {.windows = WINDOWS_SWAM, .mshr_aware = true};

	e.count = 0;
	add_load(&e, 0, 2, 0x1000, true);
	add_load(&e, 2, 3, 0x2000, true); /* depends on the first */
	add_load(&e, 0, 4, 0x3000, true);
	add_load(&e, 0, 5, 0x4000, true);
	/* swam: {1, 2}: 2; {3, 4}: 1. swam-mlp: {1, 2, 3}: 2; {4}: 1. */
	assert_int_equal(evaluate(&e, &t, &two).serialized, 3);
	assert_int_equal(windows_of(&e, &t, &two).windows[0].end, 2);
	t.windows = WINDOWS_SWAM_MLP;
	assert_int_equal(evaluate(&e, &t, &two).serialized, 3);
	assert_int_equal(windows_of(&e, &t, &two).windows[0].end, 3);
}

/* Section 3.2 on paper: distances 2, 8 (capped) and 3 have the mean 13/3; 4 misses, width 4. */
static void compensation_is_the_mean_distance(void **unused)
{
	(void)unused;
	static struct example e;
	static const unsigned misses[] = {1, 3, 23, 26};
	struct technique t = {.windows = WINDOWS_SWAM, .compensation = COMPENSATION_DISTANCE};

	add_figure(&e, 40, misses, ARRAY_COUNT(misses));
	struct technique_result r = evaluate(&e, &t, &eight);
	assert_int_equal(r.serialized, 2);
	assert_float_equal(r.mean_distance, 13.0 / 3, 1e-12);
	assert_float_equal(r.cycles, 2 * 200 - 13.0 / 3 / 4 * 4, 1e-12);
	t.compensation = COMPENSATION_FIXED;
	t.fixed_quarters = 3;
	assert_float_equal(evaluate(&e, &t, &eight).cycles, 2 * (200 - 0.75 * 8 / 4), 1e-12);
	add_figure(&e, 40, misses, 1);
	t.compensation = COMPENSATION_DISTANCE;
	assert_float_equal(evaluate(&e, &t, &eight).cycles, 200, 0);
	add_figure(&e, 40, misses, 0);
	assert_float_equal(evaluate(&e, &t, &eight).cycles, 0, 0);
}

static void a_store_passes_a_dependence_on_and_misses_nothing(void **unused)
{
	(void)unused;
	static struct example e;
	struct technique t = technique_default;

	t.compensation = COMPENSATION_NONE;
	e.count = 0;
	add_load(&e, 0, 2, 0x1000, true);
	add_access(&e, false, true, 0, 2, 0x2000, true); /* stores what was loaded */
	add_load(&e, 0, 3, 0x2000, false);		 /* reads it back */
	add_load(&e, 3, 4, 0x3000, true);
	assert_int_equal(evaluate(&e, &t, &eight).serialized, 2);
	assert_int_equal(evaluate(&e, &t, &eight).misses, 2);
	/* Another word of the block that the store fetches. */
	add_load(&e, 0, 3, 0x2008, false);
	assert_int_equal(evaluate(&e, &t, &eight).misses, 3);
	t.store_fills_miss = false;
	assert_int_equal(evaluate(&e, &t, &eight).misses, 2);
}

static void every_technique_agrees_with_its_twin(void **unused)
{
	(void)unused;
	static struct example e;
	static const uint32_t sizes[] = {4, 8, 32, 100, 256, 1024};
	static const uint32_t mshrs[] = {1, 2, 4, 16, MSHRS_UNLIMITED};
	struct rng rng = {7};

	for (unsigned round = 0; round < 300; round++) {
		const struct technique t = {
			.windows = (enum technique_windows)rng_below(&rng, 3),
			.compensation = (enum technique_compensation)rng_below(&rng, 3),
			.fixed_quarters = (uint32_t)rng_below(&rng, 5),
			.pending_hits = rng_below(&rng, 4),
			.mshr_aware = rng_below(&rng, 4),
			.store_fills_miss = rng_below(&rng, 2),
		};
		const struct design_point point = {sizes[rng_below(&rng, ARRAY_COUNT(sizes))],
						   1 + (uint32_t)rng_below(&rng, 8),
						   mshrs[rng_below(&rng, ARRAY_COUNT(mshrs))], 200,
						   12};

		make_random(&e, &rng, 600);
		const struct twin_trace trace = {e.steps, e.labels, e.count, SKELETON_WINDOW_MOST};
		struct technique_result fast = evaluate(&e, &t, &point);
		struct technique_result slow = twin_evaluate(&t, &point, &trace);
		assert_int_equal(fast.serialized, slow.serialized);
		assert_int_equal(fast.windows, slow.windows);
		assert_int_equal(fast.misses, slow.misses);
		assert_float_equal(fast.mean_distance, slow.mean_distance, 1e-9);
		assert_float_equal(fast.cycles, slow.cycles, 1e-6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_4_a_pending_hit_connects_two_misses),
		cmocka_unit_test(figure_6_the_fourth_miss_ends_the_window),
		cmocka_unit_test(figure_7_swam_starts_with_a_miss),
		cmocka_unit_test(swam_mlp_counts_only_independent_misses),
		cmocka_unit_test(compensation_is_the_mean_distance),
		cmocka_unit_test(a_store_passes_a_dependence_on_and_misses_nothing),
		cmocka_unit_test(every_technique_agrees_with_its_twin),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

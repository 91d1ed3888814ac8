/* Misses on a time axis beside a slow twin, and worked out on paper: one instruction a cycle, a
 * window of 8, memory 200 cycles; on the base machine instruction i issues and leaves in cycle i
 * + 1. */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "example.h"
#include "model/technique.h"
#include "twin_timeline.h"

#define STEPS 40

struct load {
	unsigned at;
	uint8_t from, to;
};

static double lost(const struct load *loads, size_t count, uint32_t mshrs, unsigned store_at)
{
	const struct skeleton_options options = {.window_most = SKELETON_WINDOW_MOST,
						 .forward_most = 8,
						 .pending_hits = true,
						 .store_fills_miss = true};
	const struct design_point point = {8, 1, mshrs, 200, 0};
	struct skeleton_builder *builder = skeleton_builder_create(&options);
	struct technique_result result;

	for (unsigned i = 0; i < STEPS; i++) {
		struct trace_op op = {.pc = 4 * i, .bytes = 4};
		struct label label = {.base_issued = i + 1, .base_left = i + 1};
		struct trace_step step = {&op, 0, 4 * i + 4};

		for (size_t k = 0; k < count; k++) {
			if (loads[k].at != i)
				continue;
			op.is_load = true;
			op.sources[0] = loads[k].from;
			op.destinations[0] = loads[k].to;
			label.data = DATA_LONG_MISS;
		}
		if (store_at == i) {
			op.is_store = true;
			label.data = DATA_LONG_MISS;
		}
		if (op.is_load || op.is_store) {
			op.access_bytes = 8;
			step.address = 0x1000 * (i + UINT64_C(1));
			label.block = step.address / 64;
		}
		skeleton_builder_add(builder, &step, &label, 1);
	}
	technique_evaluate(&technique_timeline, &point, skeleton_builder_result(builder), &result,
			   NULL);
	skeleton_builder_destroy(builder);
	return result.cycles;
}

#define NONE 1000

TEST(misses_cost_what_was_worked_out)
{
	static const struct load one[] = {{10, 0, 1}};
	static const struct load together[] = {{10, 0, 1}, {14, 0, 2}};
	static const struct load chained[] = {{10, 0, 1}, {14, 1, 2}};
	static const struct load apart[] = {{10, 0, 1}, {30, 0, 2}};

	assert_float_equal(lost(one, 0, MSHRS_UNLIMITED, NONE), 0, 1e-9);
	assert_float_equal(lost(one, 1, MSHRS_UNLIMITED, NONE), 200, 1e-9);
	/* Both are in the window: 14 has its data 4 cycles after 10, as it would leave. */
	assert_float_equal(lost(together, 2, MSHRS_UNLIMITED, NONE), 200, 1e-9);
	assert_float_equal(lost(chained, 2, MSHRS_UNLIMITED, NONE), 400, 1e-9);
	/* 18 enters when 10 leaves, at 211, so 30 enters at 223 and issues at 224; it would leave
	 * at 231: 7 of its 200 cycles are hidden. */
	assert_float_equal(lost(apart, 2, MSHRS_UNLIMITED, NONE), 393, 1e-9);
	/* With one MSHR 14 waits until 211 and would leave at 215. */
	assert_float_equal(lost(together, 2, 1, NONE), 396, 1e-9);
	/* A store miss costs nothing by itself; with one MSHR it keeps it from the load at 10,
	 * from 9 on, when the store at 8 leaves, until 209: 198 cycles longer. */
	assert_float_equal(lost(one, 0, MSHRS_UNLIMITED, 8), 0, 1e-9);
	assert_float_equal(lost(one, 1, 1, 8), 398, 1e-9);
}

static void add_cycles(void *context, size_t miss, double cycles)
{
	(void)miss;
	*(double *)context += cycles;
}

static double fast_timeline(const struct example *e, const struct technique *t,
			    const struct design_point *point)
{
	const struct skeleton_options options = {.window_most = SKELETON_WINDOW_MOST,
						 .forward_most = point->rob_size,
						 .pending_hits = t->pending_hits,
						 .store_fills_miss = t->store_fills_miss,
						 .store_addresses = t->store_addresses};
	struct skeleton_builder *builder = skeleton_builder_create(&options);
	struct technique_result result;

	for (size_t i = 0; i < e->count; i++)
		skeleton_builder_add(builder, &e->steps[i], &e->labels[i], 1);
	double sum = 0;
	const struct technique_observer observer = {.miss = add_cycles, .context = &sum};
	const struct skeleton *skeleton = skeleton_builder_result(builder);

	technique_evaluate(t, point, skeleton, &result, &observer);
	/* What is lost at each miss adds up to all. */
	if (skeleton->count)
		assert_float_equal(sum, result.cycles, 1e-6);
	skeleton_builder_destroy(builder);
	return result.cycles;
}

TEST(it_agrees_with_its_twin)
{
	static struct example e;
	static const uint32_t sizes[] = {4, 8, 32, 100, 256, 1024};
	static const uint32_t mshrs[] = {1, 2, 4, 16, MSHRS_UNLIMITED};
	struct rng rng = {11};

	for (unsigned round = 0; round < 200; round++) {
		const struct technique t = {
			.windows = WINDOWS_TIMELINE,
			.pending_hits = rng_below(&rng, 4),
			.mshr_aware = rng_below(&rng, 4),
			.store_fills_miss = rng_below(&rng, 4),
			.store_addresses = rng_below(&rng, 2),
			.store_mshrs = rng_below(&rng, 4),
			.base_times = rng_below(&rng, 4),
		};
		const struct design_point point = {sizes[rng_below(&rng, ARRAY_COUNT(sizes))],
						   1 + (uint32_t)rng_below(&rng, 8),
						   mshrs[rng_below(&rng, ARRAY_COUNT(mshrs))], 200,
						   (uint32_t)rng_below(&rng, 30)};

		make_random(&e, &rng, round % 10 ? 600 : EXAMPLE_MOST);
		const struct twin_trace trace = {e.steps, e.labels, e.count, SKELETON_WINDOW_MOST};
		assert_float_equal(fast_timeline(&e, &t, &point), twin_timeline(&t, &point, &trace),
				   1e-3);
	}
}

/* The techniques of Chen and Aamodt (2008): the paper's examples worked out, and a slow twin of
 * each on random traces. */
#include "../test.h"

#include <math.h>

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
		skeleton_builder_add(builder, &e->steps[i], &e->labels[i], 1);
	technique_evaluate(t, point, skeleton_builder_result(builder), &result, NULL);
	skeleton_builder_destroy(builder);
	return result;
}

static const struct design_point eight = {8, 4, MSHRS_UNLIMITED, 200, 12};

/* Figure 4: two misses without a dependence are connected by a pending hit. */
TEST(figure_4_a_pending_hit_connects_two_misses)
{
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
		skeleton_builder_add(builder, &e->steps[i], &e->labels[i], 1);
	const struct technique_observer observer = {.window = note_window, .context = &seen};

	technique_evaluate(t, point, skeleton_builder_result(builder), &result, &observer);
	skeleton_builder_destroy(builder);
	return seen;
}

/* Figure 6: with four MSHRs the window of eight ends with the fourth miss, i6; i7 is in the next.
 */
TEST(figure_6_the_fourth_miss_ends_the_window)
{
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
TEST(figure_7_swam_starts_with_a_miss)
{
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
TEST(swam_mlp_counts_only_independent_misses)
{
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

/* The chain of so many misses that ends with the miss there: sequence number and path of each, the
 * last one first. */
static void expect_chain(const struct skeleton *s, size_t miss, uint32_t length,
			 const unsigned wanted[][2])
{
	const struct skeleton_miss *m = &s->misses[miss];

	for (; length > 1; length--, wanted++) {
		unsigned path;

		assert_int_equal(m->sequence, (*wanted)[0]);
		m = skeleton_previous(s, m, length, &path);
		assert_int_equal(path, (*wanted)[1]);
	}
	assert_int_equal(m->sequence, (*wanted)[0]);
}

/* Five misses, each reached from the one before in another way; and a sixth that two chains reach,
 * the shorter of which begins later. */
TEST(links_say_through_what_misses_depend)
{
	static struct example e;
	const struct skeleton_options options = {.window_most = SKELETON_WINDOW_MOST,
						 .forward_most = SKELETON_WINDOW_MOST,
						 .pending_hits = true,
						 .store_addresses = true,
						 .links = true};
	struct skeleton_builder *builder = skeleton_builder_create(&options);

	e.count = 0;
	add_load(&e, 0, 2, 0x1000, true);		 /* 0: depends on nothing */
	add_alu(&e, 2, 3);				 /* 1 */
	add_load(&e, 3, 4, 0x2000, true);		 /* 2: registers */
	add_access(&e, false, true, 0, 4, 0x100, false); /* 3: a store of what 2 loaded */
	add_load(&e, 0, 5, 0x100, false);		 /* 4: reads it */
	add_load(&e, 5, 6, 0x3000, true);		 /* 5: memory */
	add_load(&e, 0, 7, 0x3008, false);		 /* 6: hits the block of 5 */
	add_load(&e, 7, 8, 0x4000, true);		 /* 7: pending hit */
	add_access(&e, false, true, 8, 0, 0x200, false); /* 8: a store at what 7 loaded */
	add_load(&e, 0, 9, 0x5000, true);		 /* 9: store address */
	for (size_t i = 0; i < e.count; i++)
		skeleton_builder_add(builder, &e.steps[i], &e.labels[i], 1);
	const struct skeleton *s = skeleton_builder_result(builder);
	assert_int_equal(s->count, 5);
	assert_int_equal(s->misses[4].count, 5);
	expect_chain(s, 4, 5,
		     (const unsigned[][2]){{9, MISS_PATH_STORE_ADDRESS},
					   {7, MISS_PATH_PENDING_HIT},
					   {5, MISS_PATH_MEMORY},
					   {2, 0},
					   {0, 0}});
	skeleton_builder_destroy(builder);

	/* Misses 0 -> 1 -> 3, and 2 -> 3: of three misses the chain is 0, 1, 3, of two it is 2, 3.
	 */
	builder = skeleton_builder_create(&options);
	e.count = 0;
	add_load(&e, 0, 2, 0x1000, true);
	add_load(&e, 2, 3, 0x2000, true);
	add_load(&e, 0, 4, 0x3000, true);
	add_load(&e, 3, 5, 0x4000, true);
	e.ops[3].sources[1] = 4;
	for (size_t i = 0; i < e.count; i++)
		skeleton_builder_add(builder, &e.steps[i], &e.labels[i], 1);
	s = skeleton_builder_result(builder);
	expect_chain(s, 3, 3, (const unsigned[][2]){{3, 0}, {1, 0}, {0, 0}});
	expect_chain(s, 3, 2, (const unsigned[][2]){{3, 0}, {2, 0}});
	skeleton_builder_destroy(builder);
}

/* Steps without a miss are passed over only where no window has one. */
TEST(a_chain_reaches_as_far_as_a_window)
{
	static struct example e;
	const struct skeleton_options options = {.window_most = 20, .forward_most = 20};

	for (unsigned gap = 2; gap < 50; gap++) {
		struct skeleton_builder *builder = skeleton_builder_create(&options);
		const struct skeleton *s = skeleton_builder_result(builder);

		e.count = 0;
		add_load(&e, 0, 2, 0x1000, true);
		for (unsigned i = 1; i < gap; i++)
			add_alu(&e, i == gap - 1 ? 2 : 5, i == gap - 1 ? 3 : 5);
		add_load(&e, 3, 4, 0x2000, true);
		skeleton_builder_add(builder, e.steps, e.labels, e.count);
		assert_int_equal(s->count, 2);
		assert_int_equal(s->misses[1].sequence, gap);
		assert_int_equal(s->misses[1].count, gap < 20 ? 2 : 1);
		if (gap < 20)
			assert_int_equal(s->distances[s->misses[1].first + 1], gap);
		skeleton_builder_destroy(builder);
	}
}

/* Links change no distance, and every chain leads back to where its distance says it begins. */
TEST(links_lead_to_the_beginning)
{
	static struct example e;
	struct rng rng = {77};

	for (unsigned trial = 0; trial < 200; trial++) {
		struct skeleton_options options = {.window_most =
							   8 + (uint32_t)rng_below(&rng, 200),
						   .forward_most = SKELETON_WINDOW_MOST,
						   .pending_hits = rng_below(&rng, 2),
						   .store_fills_miss = rng_below(&rng, 2),
						   .store_addresses = rng_below(&rng, 2)};
		struct skeleton_builder *without = skeleton_builder_create(&options);
		options.links = true;
		struct skeleton_builder *with = skeleton_builder_create(&options);
		const struct skeleton *s = skeleton_builder_result(with),
				      *other = skeleton_builder_result(without);

		make_random(&e, &rng, 400);
		/* One by one, and all at once. */
		for (size_t i = 0; i < e.count; i++)
			skeleton_builder_add(with, &e.steps[i], &e.labels[i], 1);
		skeleton_builder_add(without, e.steps, e.labels, e.count);
		assert_int_equal(s->instructions, other->instructions);
		assert_int_equal(s->base_start, other->base_start);
		assert_int_equal(s->base_cycles, other->base_cycles);
		assert_int_equal(s->distance_count, other->distance_count);
		assert_int_equal(s->distance_count, s->link_count);
		if (s->distance_count)
			assert_memory_equal(s->distances, other->distances,
					    s->distance_count * sizeof(*s->distances));
		for (size_t i = 0; i < s->count; i++)
			for (uint32_t k = 1; k <= s->misses[i].count; k++) {
				const struct skeleton_miss *m = &s->misses[i];
				uint64_t start = m->sequence - s->distances[m->first + k - 1];
				uint64_t first = m->sequence;
				unsigned path;

				for (uint32_t left = k; left > 1; left--) {
					m = skeleton_previous(s, m, left, &path);
					assert_true(m->sequence < first);
					first = m->sequence;
					assert_true(m->count >= left - 1);
				}
				/* A miss only because of a store begins with the store. */
				assert_true(start <= first);
				if (!options.store_fills_miss)
					assert_int_equal(start, first);
			}
		skeleton_builder_destroy(with);
		skeleton_builder_destroy(without);
	}
}

/* Section 3.2 on paper: distances 2, 8 (capped) and 3 have the mean 13/3; 4 misses, width 4. */
TEST(compensation_is_the_mean_distance)
{
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

TEST(a_store_passes_a_dependence_on_and_misses_nothing)
{
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

TEST(every_technique_agrees_with_its_twin)
{
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

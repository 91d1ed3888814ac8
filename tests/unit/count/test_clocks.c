/* The machines of virtual clocks, one cause more each, and how waits of fetch are added and share
 * the I-side. */
#include "../test.h"
#include "base/array.h"
#include "count/clocks.h"

enum { L1D = 1, BRANCH = 2, CODE = 4, L2D = 8, DTLB = 16, WALK = 32, BANDWIDTH = 64 };

/* What is ideal, as bits; the I-side as one. */
static unsigned ideals(const struct config *m)
{
	assert_true(m->ideal_l1i == m->ideal_l2i && m->ideal_l1i == m->ideal_itlb);
	return L1D * m->ideal_l1d | BRANCH * m->ideal_branch | CODE * m->ideal_l1i |
	       L2D * m->ideal_l2d | DTLB * m->ideal_dtlb | WALK * m->ideal_walk |
	       BANDWIDTH * m->ideal_bandwidth;
}

TEST(each_machine_has_one_cause_more)
{
	static const struct {
		enum component component;
		unsigned ideal;
	} rows[] = {
		{COMPONENT_BASE, 127}, {COMPONENT_L1D, 126},	 {COMPONENT_BRANCH, 124},
		{COMPONENT_L1I, 120},  {COMPONENT_L2D, 112},	 {COMPONENT_DTLB, 96},
		{COMPONENT_WALK, 64},  {COMPONENT_BANDWIDTH, 0},
	};
	struct config config;
	struct clocks_plan plan;

	config_reset(&config);
	config.cache_levels = 3;
	config.tlb_miss = TLB_MISS_WALK;
	config.memory_line = 7;
	clocks_plan(&plan, &config);
	assert_int_equal(plan.machine_count, 8);
	assert_int_equal(plan.term_count, 8);
	assert_int_equal(plan.real, 7);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(ideals(&plan.machines[i]), rows[i].ideal);
		assert_int_equal(plan.machines[i].rob_size, config.rob_size);
		assert_int_equal(plan.terms[i].component, rows[i].component);
		assert_int_equal(plan.terms[i].after, i);
		assert_int_equal(plan.terms[i].before, i ? i - 1 : CLOCKS_NONE);
	}
	/* One level of cache, fixed times of TLB misses, memory that is never busy: L1D, branches,
	 * I-side, D-TLB. */
	config.cache_levels = 1;
	config.tlb_miss = TLB_MISS_FIXED;
	config.memory_line = 0;
	clocks_plan(&plan, &config);
	assert_int_equal(plan.machine_count, 5);
	assert_int_equal(plan.term_count, 5);
	assert_int_equal(plan.real, 4);
	static const enum component few[] = {COMPONENT_BASE, COMPONENT_L1D, COMPONENT_BRANCH,
					     COMPONENT_L1I, COMPONENT_DTLB};
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(plan.terms[i].component, few[i]);
		assert_int_equal(plan.terms[i].after, i);
		assert_int_equal(plan.terms[i].before, i ? i - 1 : CLOCKS_NONE);
	}
	/* What is ideal stays so. */
	config.ideal_branch = true;
	clocks_plan(&plan, &config);
	assert_true(plan.machines[plan.real].ideal_branch);
}

TEST(waits_of_fetch_are_added)
{
	uint64_t sums[COMPONENT_COUNT] = {0};
	const struct cycle_waits waits = {
		.fetch = {50, 7, 100, 20}, .fetch_walk = 9, .fetch_queue = 30};
	/* A queue that is longer than the wait for what is behind the L1I. */
	const struct cycle_waits queued = {
		.fetch = {3, 1, 4, 5}, .fetch_walk = 3, .fetch_queue = 10};

	clocks_add_fetch(sums, &waits);
	assert_int_equal(sums[COMPONENT_ITLB], 41);
	assert_int_equal(sums[COMPONENT_L1I], 7);
	assert_int_equal(sums[COMPONENT_L2I], 90);
	clocks_add_fetch(sums, &queued);
	assert_int_equal(sums[COMPONENT_ITLB], 41);
	assert_int_equal(sums[COMPONENT_L1I], 8);
	assert_int_equal(sums[COMPONENT_L2I], 90);
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		assert_true(sums[i] == 0 || i == COMPONENT_ITLB || i == COMPONENT_L1I ||
			    i == COMPONENT_L2I);
}

TEST(the_side_of_instructions_is_split)
{
	static const struct {
		uint64_t l1i, l2i, itlb;
		int64_t all, of[3]; /* l1i, l2i, itlb */
	} rows[] = {
		{1, 2, 3, 60, {10, 20, 30}},
		/* 100 / 6 and 100 / 3 are rounded down, the L1I gets the rest. */
		{3, 1, 2, 100, {51, 16, 33}},
		{0, 0, 0, 60, {60, 0, 0}},
		{0, 5, 0, 60, {0, 60, 0}},
		{1, 1, 1, -9, {-3, -3, -3}},
		/* More than 64 bits on the way. */
		{UINT64_C(1) << 40,
		 UINT64_C(1) << 40,
		 UINT64_C(1) << 41,
		 INT64_C(1) << 40,
		 {INT64_C(1) << 38, INT64_C(1) << 38, INT64_C(1) << 39}},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		int64_t components[COMPONENT_COUNT] = {[COMPONENT_L1I] = rows[i].all};
		const uint64_t waits[COMPONENT_COUNT] = {[COMPONENT_L1I] = rows[i].l1i,
							 [COMPONENT_L2I] = rows[i].l2i,
							 [COMPONENT_ITLB] = rows[i].itlb};

		clocks_split_fetch(components, waits);
		assert_int_equal(components[COMPONENT_L1I], rows[i].of[0]);
		assert_int_equal(components[COMPONENT_L2I], rows[i].of[1]);
		assert_int_equal(components[COMPONENT_ITLB], rows[i].of[2]);
	}
}

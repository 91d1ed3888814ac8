/*
 * What happened at branches, loads and stores, on records written by hand for both kinds of core:
 * what commits counts, each miss in its level, and data comes from where a load waited longest.
 */
#include "../test.h"
#include "count/sites.h"
#include "hand.h"

static const struct site *seen(const struct observer_kind *kind, const struct config *config,
			       struct cycle *records, size_t count, void **observer, uint64_t pc)
{
	*observer = kind->create(config, HAND_SLOTS);
	for (size_t i = 0; i < count; i++)
		kind->cycle(*observer, &records[i]);
	return sites_find(*observer, pc);
}

TEST(out_of_order_branches_and_loads_are_those_that_retire)
{
	struct config config = hand_config();
	/* The second load waits though it begins no miss: its line was on the way. The third waited
	 * for its translation alone. */
	const struct cycle_retired insns[] = {
		{.pc = 0x100, .marks = RETIRED_BRANCH | RETIRED_TAKEN},
		{.pc = 0x104,
		 .marks = RETIRED_LOADS,
		 .tags = DATA_MISS_L1 | DATA_MISS_L2,
		 .has_waits = 1},
		{.pc = 0x104, .marks = RETIRED_LOADS, .has_waits = 1},
		{.pc = 0x104, .marks = RETIRED_LOADS, .tags = DATA_MISS_TLB, .has_waits = 1},
		{.pc = 0x108},
		{.pc = 0x104, .marks = RETIRED_LOADS},
		{.pc = 0x100, .marks = RETIRED_BRANCH | RETIRED_MISPREDICTED},
		{.pc = 0x10c, .marks = RETIRED_LOADS | RETIRED_STORES},
	};
	const struct cycle_waits waits[] = {{.data = {0, 5, 90}}, {.data = {0, 7}}, {.data = {20}}};
	const struct cycle_event late = {
		.kind = EVENT_STORE_MISS, .pc = 0x10c, .detail = DATA_MISS_L1};
	struct cycle records[] = {
		{.repeat = 1, .committed = 5, .retired = insns, .waits = waits},
		{.repeat = 1, .committed = 3, .retired = insns + 5},
		{.repeat = 9,
		 .event_count = 1,
		 .event_kinds = EVENT_BIT(EVENT_STORE_MISS),
		 .events = &late},
	};
	void *observer;

	config.cache_levels = 2;
	const struct site *branch = seen(&count_sites, &config, records, 3, &observer, 0x100);
	const struct site *load = sites_find(observer, 0x104), *both = sites_find(observer, 0x10c);

	assert_int_equal(branch->branches, 2);
	assert_int_equal(branch->taken, 1);
	assert_int_equal(branch->mispredicted, 1);
	assert_int_equal(branch->loads + branch->stores, 0);
	assert_int_equal(load->loads, 4);
	assert_int_equal(load->misses[SITE_DTLB_MISS], 1);
	assert_int_equal(load->misses[SITE_L1D_MISS], 1);
	assert_int_equal(load->misses[SITE_L2D_MISS], 1);
	assert_int_equal(load->misses[SITE_L3D_MISS], 0);
	assert_int_equal(load->sources[SITE_L1D], 2);
	assert_int_equal(load->sources[SITE_L2], 1);
	assert_int_equal(load->sources[SITE_L3], 0);
	assert_int_equal(load->sources[SITE_MEMORY], 1);
	assert_int_equal(both->loads, 1);
	assert_int_equal(both->stores, 1);
	assert_int_equal(both->misses[SITE_L1D_MISS], 0);
	assert_int_equal(both->store_misses[SITE_L1D_MISS], 1);
	assert_null(sites_find(observer, 0x108));
	count_sites.destroy(observer);
}

TEST(the_last_of_three_levels_has_memory_behind_it)
{
	struct config config = hand_config();
	const struct cycle_retired insns[] = {
		{.pc = 0x104, .marks = RETIRED_LOADS, .has_waits = 1},
		{.pc = 0x104, .marks = RETIRED_LOADS, .has_waits = 1},
	};
	const struct cycle_waits waits[] = {{.data = {0, 5, 9}}, {.data = {0, 5, 9, 80}}};
	struct cycle record = {.repeat = 1, .committed = 2, .retired = insns, .waits = waits};

	for (unsigned levels = 1; levels <= 3; levels++) {
		void *observer;

		config.cache_levels = levels;
		const struct site *site = seen(&count_sites, &config, &record, 1, &observer, 0x104);
		assert_int_equal(site->sources[SITE_L3], levels == 3);
		assert_int_equal(site->sources[SITE_MEMORY], levels == 3 ? 1 : 2);
		count_sites.destroy(observer);
	}
}

TEST(in_order_what_commits_says_all_of_it)
{
	struct config config = hand_config();
	const struct cycle_event events[] = {
		{.kind = EVENT_COMMIT,
		 .pc = 8,
		 .insn_class = CLASS_CONDITIONAL,
		 .detail = COMMIT_BRANCH | COMMIT_TAKEN | COMMIT_MISPREDICTED},
		{.kind = EVENT_COMMIT, .pc = 12, .insn_class = CLASS_LOAD, .detail = DATA_MISS_L1},
		{.kind = EVENT_COMMIT_PLAIN, .pc = 12, .insn_class = CLASS_LOAD},
		{.kind = EVENT_COMMIT_PLAIN, .pc = 16, .insn_class = CLASS_INTEGER},
		{.kind = EVENT_COMMIT,
		 .pc = 20,
		 .insn_class = CLASS_ATOMIC,
		 .detail = COMMIT_WRITES},
		{.kind = EVENT_COMMIT_PLAIN, .pc = 24, .insn_class = CLASS_STORE},
		{.kind = EVENT_LOAD_MISS,
		 .pc = 12,
		 .insn_class = CLASS_LOAD,
		 .detail = DATA_MISS_L1},
	};
	struct cycle record = {
		.repeat = 1, .committed = 6, .event_count = ARRAY_COUNT(events), .events = events};
	void *observer;

	config.cache_levels = 2;
	const struct site *branch = seen(&count_sites_in_order, &config, &record, 1, &observer, 8);
	const struct site *load = sites_find(observer, 12), *atomic = sites_find(observer, 20);

	assert_int_equal(branch->branches + branch->taken + branch->mispredicted, 3);
	assert_int_equal(load->loads, 2);
	assert_int_equal(load->sources[SITE_L1D], 1);
	assert_int_equal(load->sources[SITE_L2], 1);
	assert_int_equal(load->misses[SITE_L1D_MISS], 1);
	assert_null(sites_find(observer, 16));
	assert_int_equal(atomic->loads, 1);
	assert_int_equal(atomic->stores, 0);
	assert_int_equal(sites_find(observer, 24)->stores, 1);
	count_sites_in_order.destroy(observer);
}

TEST(as_many_places_are_kept_as_there_are)
{
	struct config config = hand_config();
	void *observer = count_sites.create(&config, HAND_SLOTS);

	for (unsigned round = 0; round < 2; round++)
		for (uint64_t i = 0; i < 5000; i++) {
			const struct cycle_retired insn = {.pc = 2 * i * i,
							   .marks = RETIRED_BRANCH};
			const struct cycle record = {.repeat = 1, .committed = 1, .retired = &insn};

			count_sites.cycle(observer, &record);
		}
	for (uint64_t i = 0; i < 5000; i++) {
		assert_int_equal(sites_find(observer, 2 * i * i)->pc, 2 * i * i);
		assert_int_equal(sites_find(observer, 2 * i * i)->branches, 2);
	}
	assert_null(sites_find(observer, 6));
	count_sites.destroy(observer);
}

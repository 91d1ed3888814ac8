/* The bits of each part of the default machine and of others, worked out on paper; and that what is
 * larger never needs less. */
#include "../test.h"

#include "base/array.h"
#include "machine/storage.h"

static struct config machine(const char *const *changes)
{
	struct config config;
	struct err err = {.text = ""};

	config_default(&config);
	for (; *changes; changes++)
		if (!config_set(&config, *changes, &err))
			fail_msg("%s", err.text);
	if (!config_settle(&config, &err))
		fail_msg("%s", err.text);
	return config;
}

static uint64_t part(const char *const *changes, enum storage_part which)
{
	const struct config config = machine(changes);

	return storage_of(&config).bits[which];
}

#define PART(which, ...) part((const char *const[]){__VA_ARGS__, NULL}, STORAGE_##which)

TEST(parts_of_the_default_machine_are_those_on_paper)
{
	static const char *const nothing[] = {NULL};
	const struct config config = machine(nothing);
	const struct storage storage = storage_of(&config);
	const uint64_t *bits = storage.bits;
	uint64_t sum = 0;

	/* 512 lines in 64 sets of 8: data, a tag of 48 - 6 - 6 bits, valid, used since a prefetch;
	 * the L1D also dirty; 7 bits of a tree for each set. */
	assert_int_equal(bits[STORAGE_L1I], 512 * (512 + 36 + 1 + 1) + 64 * 7);
	assert_int_equal(bits[STORAGE_L1D], 512 * (512 + 36 + 1 + 1 + 1) + 64 * 7);
	assert_int_equal(bits[STORAGE_L2], 16384 * (512 + 32 + 3) + 1024 * 15);
	assert_int_equal(bits[STORAGE_L3], 0);
	/* Strides of the L1D: 64 entries with a tag of 47 - 6, an address, a stride of 13 bits and
	 * two of confidence. Streams of the L2: 16 pages of 36 bits, twice 6 for lines, two each
	 * for direction and moves, four for the order. */
	assert_int_equal(bits[STORAGE_PREFETCH],
			 64 * (1 + 41 + 48 + 13 + 2) + 16 * (1 + 36 + 12 + 2 + 2 + 4));
	assert_int_equal(bits[STORAGE_MSHRS], (12 + 32) * (1 + 42 + 512));
	/* 64 pages in 16 sets of 4, of which each has a place in the order. */
	assert_int_equal(bits[STORAGE_ITLB], 64 * (32 + 36 + 5 + 2));
	assert_int_equal(bits[STORAGE_DTLB], 64 * (32 + 36 + 5 + 2));
	assert_int_equal(bits[STORAGE_TLB2], 1024 * (29 + 36 + 5 + 3));
	assert_int_equal(bits[STORAGE_WALK], 16 * (1 + 2 + 36 + 36 + 4));
	/* Tags of 8, 9, 10, 11, 12 and 12 bits, three of a counter, two of use. */
	assert_int_equal(bits[STORAGE_PREDICTOR],
			 2 * 8192 + 130 + 4 + 1024 * (8 + 9 + 10 + 11 + 12 + 12 + 6 * 5));
	assert_int_equal(bits[STORAGE_BTB], 4096 * (1 + 37 + 47 + 2));
	assert_int_equal(bits[STORAGE_RETURN], 16 * 47);
	assert_int_equal(bits[STORAGE_INDIRECT], 1024 * (1 + 47 + 47));
	assert_int_equal(bits[STORAGE_FETCH], 32 * (32 + 47 + 1));
	/* 192 + 64 registers have names of 8 bits. */
	assert_int_equal(bits[STORAGE_ROB], 192 * (47 + 4 + 6 + 16 + 64));
	assert_int_equal(bits[STORAGE_QUEUES], 96 * (32 + 8 + 8 + 3 * 9));
	assert_int_equal(bits[STORAGE_LSQ], 96 * (48 + 64 + 8 + 1 + 8));
	assert_int_equal(bits[STORAGE_STORE_SETS], 1024 * (1 + 7) + 128 * (1 + 8));
	assert_int_equal(bits[STORAGE_STORES], 32 * (48 + 64 + 8 + 1));
	assert_int_equal(bits[STORAGE_BRANCHES], 48 * 64 * 8);
	for (unsigned i = 0; i < STORAGE_PARTS_COUNT; i++)
		sum += bits[i];
	assert_int_equal(storage_sum(&storage), sum);
}

TEST(kinds_of_parts_have_their_own_bits)
{
	const uint64_t lines = 512 * (512 + 36 + 1 + 1 + 1);

	assert_int_equal(PART(L1D, "l1d.replacement=lru"), lines + 64 * 8 * 3);
	assert_int_equal(PART(L1D, "l1d.replacement=lrr"), lines + 64 * 3);
	assert_int_equal(PART(L1D, "l1d.replacement=random"), lines);
	assert_int_equal(PART(L1D, "l1d.replacement=srrip"), lines + 64 * 16);
	assert_int_equal(PART(L1D, "l1d.prefetch=none"), lines - 512 + 64 * 7);
	assert_int_equal(PART(PREFETCH, "l1d.prefetch=none", "l2.prefetch=next_line"), 0);
	assert_int_equal(PART(PREDICTOR, "predictor.kind=bimodal"), 2 * 8192);
	assert_int_equal(PART(PREDICTOR, "predictor.kind=static_taken"), 0);
	assert_int_equal(PART(PREDICTOR, "predictor.kind=gshare", "predictor.gshare_entries=1024",
			      "predictor.gshare_history_bits=10"),
			 2 * 1024 + 10);
	assert_int_equal(PART(PREDICTOR, "predictor.kind=hybrid", "predictor.gshare_entries=1024",
			      "predictor.gshare_history_bits=10", "predictor.chooser_entries=64"),
			 2 * 8192 + 2 * 1024 + 10 + 2 * 64);
	assert_int_equal(PART(BTB, "predictor.kind=perfect"), 0);
	assert_int_equal(PART(INDIRECT, "indirect.kind=btb"), 0);
	assert_int_equal(PART(MSHRS, "l1d.mshrs=unlimited"), 32 * (1 + 42 + 512));
	assert_int_equal(PART(STORES, "store.buffer=unlimited"), 0);
	assert_int_equal(PART(STORE_SETS, "lsq.disambiguation=conservative"), 0);
	assert_int_equal(PART(WALK, "tlb.miss=fixed"), 0);
	assert_int_equal(PART(TLB2, "tlb2.entries=0"), 0);
	assert_int_equal(PART(L2, "cache.levels=1"), 0);
	assert_true(PART(L3, "cache.levels=3") > 8 * 8388608);
	assert_int_equal(PART(QUEUES, "issue_queue.kind=split", "issue_queue.int_size=10",
			      "issue_queue.memory_size=20", "issue_queue.fp_size=30"),
			 60 * (32 + 8 + 8 + 3 * 9));
}

TEST(an_in_order_core_has_no_window)
{
	static const char *const changes[] = {"core.kind=inorder", "inorder.write_buffer_entries=3",
					      NULL};
	struct config config;
	struct err err = {.text = ""};

	config_reset(&config);
	for (size_t i = 0; changes[i]; i++)
		assert_true(config_set(&config, changes[i], &err));
	assert_true(config_settle(&config, &err));
	const struct storage storage = storage_of(&config);
	assert_int_equal(storage.bits[STORAGE_STORES], 3 * (48 + 1 + 64 + 8));
	for (unsigned i = STORAGE_FETCH; i < STORAGE_PARTS_COUNT; i++)
		if (i != STORAGE_STORES)
			assert_int_equal(storage.bits[i], 0);
}

TEST(what_is_larger_needs_more)
{
	static const struct {
		enum config_id id;
		enum storage_part part;
	} rows[] = {
		{CONFIG_l1i_size, STORAGE_L1I},
		{CONFIG_l1d_size, STORAGE_L1D},
		{CONFIG_l2_size, STORAGE_L2},
		{CONFIG_itlb_entries, STORAGE_ITLB},
		{CONFIG_dtlb_entries, STORAGE_DTLB},
		{CONFIG_tlb2_entries, STORAGE_TLB2},
		{CONFIG_walk_cache, STORAGE_WALK},
		{CONFIG_bimodal_entries, STORAGE_PREDICTOR},
		{CONFIG_tage_entries, STORAGE_PREDICTOR},
		{CONFIG_tage_longest, STORAGE_PREDICTOR},
		{CONFIG_tage_tables, STORAGE_PREDICTOR},
		{CONFIG_btb_sets, STORAGE_BTB},
		{CONFIG_ras_entries, STORAGE_RETURN},
		{CONFIG_indirect_entries, STORAGE_INDIRECT},
		{CONFIG_fetch_buffer, STORAGE_FETCH},
		{CONFIG_rob_size, STORAGE_ROB},
		{CONFIG_issue_queue_size, STORAGE_QUEUES},
		{CONFIG_lsq_size, STORAGE_LSQ},
		{CONFIG_store_sets_sets, STORAGE_STORE_SETS},
		{CONFIG_store_sets_entries, STORAGE_STORE_SETS},
		{CONFIG_store_buffer, STORAGE_STORES},
		{CONFIG_max_branches, STORAGE_BRANCHES},
		{CONFIG_l1d_mshrs, STORAGE_MSHRS},
		{CONFIG_l2_mshrs, STORAGE_MSHRS},
	};
	struct config small;

	config_default(&small);
	const struct storage before = storage_of(&small);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct config large = small;
		config_put(&large, rows[i].id, 2 * config_get(&small, rows[i].id));
		const struct storage after = storage_of(&large);

		if (after.bits[rows[i].part] <= before.bits[rows[i].part])
			fail_msg("twice %s needs %llu bits instead of %llu",
				 config_rows[rows[i].id].key,
				 (unsigned long long)after.bits[rows[i].part],
				 (unsigned long long)before.bits[rows[i].part]);
	}
}

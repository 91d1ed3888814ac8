/* The table of observers, and the storage that their hardware would need. */
#include "../test.h"
#include "count/count.h"

/* Methods come first; an observer that makes no stack needs no storage. */
TEST(every_observer_is_complete)
{
	size_t count = 0;

	for (; observer_kinds[count]; count++) {
		const struct observer_kind *kind = observer_kinds[count];

		assert_true(kind->create && kind->cycle && kind->destroy);
		assert_true(strlen(kind->name) && strlen(kind->summary));
		assert_true(!!kind->read == (count < observer_methods()));
		assert_true(kind->read || kind->describe);
		assert_ptr_equal(observer_kind_named(kind->name), kind);
	}
	assert_true(count > observer_methods());
}

TEST(global_counters_follow_from_components)
{
	struct config config;

	config_reset(&config);
	for (config.cache_levels = 1; config.cache_levels <= 3; config.cache_levels++)
		assert_int_equal(count_global_bits(&config),
				 (5 + 2 * config.cache_levels) * COUNT_GLOBAL_BITS);
}

TEST(architectures_are_found_by_name)
{
	assert_ptr_equal(observer_kinds[0], &count_exact);
	assert_true(observer_methods() >= 12);
	for (size_t i = 0; i < observer_methods(); i++) {
		const struct observer_kind *kind = observer_kinds[i];

		assert_ptr_equal(observer_kind_named(kind->name), kind);
		assert_true(strlen(kind->summary) > 0);
		/* A method is hardware exactly if it says how many bits it needs. */
		assert_true(kind->is_hardware == !!kind->bits);
	}
	assert_null(observer_kind_named("fm"));
	assert_null(observer_kind_named(""));
}

/* eyerman2006: 8 components and the cycles, of 48 bits each, are 432. Branches in flight: 128 in
 * the window, 20 in the front end, 32 + 8 fetched, and the next one: 189 rows. */
TEST(storage_follows_from_rows_and_widths)
{
	const uint64_t globals = 9 * 48;
	struct config config;

	config_reset(&config);
	assert_int_equal(count_branch_rows(&config), 128 + 5 * 4 + 32 + 8 + 1);
	assert_int_equal(count_naive.bits(&config), globals);
	/* A bit for each of l1i, l2i, itlb, l1d, l2d, dtlb and branch. */
	assert_int_equal(count_naive_nonspec.bits(&config), globals + 128 * 7);
	/* Three FETCH_WAITS bits for each instruction, and one for the flush. */
	assert_int_equal(count_power5.bits(&config), globals + 128 * 3 + 1);
	/* A bit for each load or store that says whether it missed in the D-TLB, and a counter of
	 * up to 30 blocked cycles. */
	const uint64_t blocked = 64 + 5;
	/* A row has three counters and the penalty of 12 bits each, a bit for a misprediction,
	 * and an index of 7 bits. */
	assert_int_equal(count_fmt.bits(&config), globals + 189 * (4 * 12 + 1 + 7) + blocked);
	assert_int_equal(count_fmt_published.bits(&config), count_fmt.bits(&config));
	assert_int_equal(count_fmt_rob.bits(&config), count_fmt.bits(&config));
	/* The three counters are shared, and there is a bit for each instruction. */
	assert_int_equal(count_sfmt.bits(&config),
			 globals + 3 * 12 + 189 * (12 + 1 + 7) + 128 + blocked);
	/* There is one more counter, from 0 to 128. */
	assert_int_equal(count_afmt.bits(&config), count_sfmt.bits(&config) + 8);
	config.max_branches = 16;
	assert_int_equal(count_branch_rows(&config), 17);
	assert_int_equal(count_fmt.bits(&config), globals + 17 * (4 * 12 + 1 + 7) + blocked);
	config.tlb_miss = TLB_MISS_WALK; /* the number of cycles is not fixed */
	assert_int_equal(count_fmt.bits(&config), globals + 17 * (4 * 12 + 1 + 7));
}

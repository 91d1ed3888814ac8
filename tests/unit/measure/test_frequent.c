/* The most frequent of many numbers: what is promised of counts holds for random streams. */
#include "../test.h"
#include "base/rng.h"
#include "measure/frequent.h"

TEST(few_are_counted_exactly)
{
	struct frequent f = {0};
	struct frequent_item items[FREQUENT_ITEMS];

	for (unsigned i = 0; i < 36; i++)
		for (unsigned key = 0; key < FREQUENT_ITEMS; key++)
			if (i <= key)
				frequent_add(&f, key * 1000);
	assert_int_equal(frequent_sorted(&f, items), FREQUENT_ITEMS);
	for (unsigned i = 0; i < FREQUENT_ITEMS; i++) {
		assert_int_equal(items[i].key, (FREQUENT_ITEMS - 1 - i) * 1000);
		assert_int_equal(items[i].count, FREQUENT_ITEMS - i);
	}
	assert_int_equal(f.seen, 36);
}

TEST(equal_counts_stand_by_their_keys)
{
	struct frequent f = {0};
	struct frequent_item most;

	assert_false(frequent_most(&f, &most));
	frequent_add(&f, 9);
	frequent_add(&f, 0);
	frequent_add(&f, 5);
	assert_true(frequent_most(&f, &most));
	assert_int_equal(most.key, 0);
	assert_int_equal(most.count, 1);
}

TEST(counts_are_within_what_is_promised)
{
	struct rng rng = {3};

	for (unsigned round = 0; round < 200; round++) {
		uint64_t truth[64] = {0}, kinds = 2 + rng_below(&rng, 62);
		struct frequent f = {0};

		for (unsigned i = 0; i < 1000; i++) {
			uint64_t key = rng_below(&rng, 1 + rng_below(&rng, kinds));

			truth[key]++;
			frequent_add(&f, key);
		}
		for (uint64_t key = 0; key < kinds; key++) {
			uint64_t count = 0;

			for (unsigned i = 0; i < FREQUENT_ITEMS; i++)
				if (f.items[i].count && f.items[i].key == key)
					count = f.items[i].count;
			assert_true(count <= truth[key]);
			assert_true(count + 1000 / (FREQUENT_ITEMS + 1) >= truth[key]);
		}
	}
}

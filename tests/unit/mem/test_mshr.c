#include "../test.h"
#include "base/rng.h"
#include "mem/mshr.h"

/* Compares with a plain list of registers, each free from its time on. */
TEST(as_many_misses_as_registers_and_no_more)
{
	for (unsigned limit = 1; limit <= 33; limit += limit < 5 ? 1 : 7) {
		uint64_t until[64] = {0};
		struct rng rng = {limit};
		struct mshr mshr;
		uint64_t now = 0;

		mshr_init(&mshr, limit);
		for (int step = 0; step < 20000; step++) {
			unsigned taken = 0;
			unsigned earliest = 0;

			for (unsigned i = 0; i < limit; i++) {
				taken += until[i] > now;
				if (until[i] < until[earliest])
					earliest = i;
			}
			assert_int_equal(mshr_taken(&mshr, now), taken);
			if (taken == limit) {
				assert_int_equal(mshr_blocked_until(&mshr, now), until[earliest]);
				now = until[earliest];
			}
			assert_int_equal(mshr_blocked_until(&mshr, now), 0);
			until[earliest] = now + 1 + rng_below(&rng, 60);
			mshr_take(&mshr, now, until[earliest]);
			now += rng_below(&rng, 4);
		}
		mshr_release(&mshr);
	}
}

/* Fewer registers keep the misses that end last; more keep all; unlimited ones none. */
TEST(another_number_of_registers_keeps_what_fits)
{
	static const uint64_t ends[] = {70, 30, 50, 10, 60, 20};
	static const struct {
		uint32_t limit;
		unsigned taken;
		uint64_t first; /* to be free again; 0: one is */
	} rows[] = {{8, 6, 0}, {6, 6, 10}, {4, 4, 30}, {1, 1, 70}, {MSHR_UNLIMITED, 0, 0}};

	/* Before the last end, before the two last, and so on. */
	static const uint64_t later[] = {69, 59, 49, 29, 19, 9};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mshr mshr;

		mshr_init(&mshr, 6);
		for (size_t k = 0; k < 6; k++)
			mshr_take(&mshr, 0, ends[k]);
		mshr_change_limit(&mshr, rows[i].limit);
		assert_int_equal(mshr_taken(&mshr, 0), rows[i].taken);
		assert_int_equal(mshr_blocked_until(&mshr, 0), rows[i].first);
		/* From one end to the next they are freed one by one. */
		for (unsigned k = 0; k < rows[i].taken; k++)
			assert_int_equal(mshr_taken(&mshr, later[k]), k + 1);
		assert_int_equal(mshr_taken(&mshr, 70), 0);
		mshr_release(&mshr);
	}
	/* Unlimited ones know of nothing that is under way, and take it up from then on. */
	struct mshr mshr;
	mshr_init(&mshr, MSHR_UNLIMITED);
	mshr_take(&mshr, 0, 50);
	mshr_change_limit(&mshr, 2);
	assert_int_equal(mshr_taken(&mshr, 0), 0);
	mshr_take(&mshr, 0, 50);
	mshr_take(&mshr, 0, 60);
	assert_int_equal(mshr_blocked_until(&mshr, 0), 50);
	mshr_release(&mshr);
}

TEST(unlimited_registers_never_block)
{
	struct mshr mshr;

	mshr_init(&mshr, MSHR_UNLIMITED);
	for (int i = 0; i < 100000; i++) {
		assert_int_equal(mshr_blocked_until(&mshr, 7), 0);
		mshr_take(&mshr, 7, UINT64_MAX);
	}
	mshr_release(&mshr);
}

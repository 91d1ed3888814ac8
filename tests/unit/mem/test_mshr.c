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

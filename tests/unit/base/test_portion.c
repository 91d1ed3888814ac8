/* Portions of numbers of every width, against long division. */
#include "../edges.h"
#include "../test.h"
#include "base/array.h"
#include "base/portion.h"
#include "base/rng.h"

/* number * part / all by long division, bit by bit; part <= all. */
static uint64_t slow_portion(uint64_t number, uint64_t part, uint64_t all)
{
	unsigned __int128 rest = 0;
	uint64_t result = 0;

	for (int bit = 63; bit >= 0; bit--) {
		rest = 2 * rest + (number >> bit & 1 ? part : 0);
		result = 2 * result + (uint64_t)(rest / all);
		rest %= all;
	}
	return result;
}

TEST(portions_are_exact_at_every_width)
{
	for (size_t n = 0; n < ARRAY_COUNT(edges); n++)
		for (size_t p = 0; p < ARRAY_COUNT(edges); p++)
			for (size_t a = p; a < ARRAY_COUNT(edges); a++)
				assert_int_equal(portion(edges[n], edges[p], edges[a]),
						 slow_portion(edges[n], edges[p], edges[a]));
}

TEST(parts_add_up_at_every_width)
{
	struct rng rng = {1};

	for (int round = 0; round < 2000; round++) {
		uint64_t number = edges[rng_below(&rng, ARRAY_COUNT(edges))] - rng_below(&rng, 2);
		uint64_t shares[6], parts[6], sum = 0, before = 0, all = 0, given = 0;

		for (unsigned i = 0; i < 6; i++) {
			/* Six of them fit into 64 bits. */
			shares[i] = rng_below(&rng, 3)
					    ? edges[rng_below(&rng, ARRAY_COUNT(edges))] / 8
					    : 0;
			all += shares[i];
		}
		if (!all)
			continue;
		portion_split(number, shares, 6, parts);
		for (unsigned i = 0; i < 6; i++) {
			sum += parts[i];
			before += shares[i];
			assert_true(shares[i] || !parts[i]);
			given += parts[i];
			assert_int_equal(given, slow_portion(number, before, all));
		}
		assert_int_equal(sum, number);
	}
}

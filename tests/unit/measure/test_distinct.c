/* How many numbers differ: exact while they are few, near when they are many. */
#include "../test.h"
#include "base/rng.h"
#include "measure/distinct.h"

TEST(few_are_counted_exactly)
{
	struct distinct d = {0};

	assert_int_equal(distinct_count(&d), 0);
	for (uint64_t i = 0; i < DISTINCT_MOST; i++) {
		for (unsigned again = 0; again < 3; again++) {
			distinct_add(&d, i * 64);
			distinct_add(&d, i / 2 * 64);
		}
		assert_int_equal(distinct_count(&d), i + 1);
		assert_true(distinct_is_exact(&d));
	}
	distinct_release(&d);
	assert_int_equal(distinct_count(&d), 0);
}

TEST(many_are_estimated_within_a_third)
{
	struct rng rng = {7};
	double worst = 0, sum = 0;
	unsigned tries = 0;

	for (uint64_t number = 300; number < 200000; number = number * 3 / 2)
		for (unsigned i = 0; i < 4; i++, tries++) {
			struct distinct d = {0};
			uint64_t from = rng_next(&rng) >> 20;

			for (uint64_t j = 0; j < number; j++) {
				distinct_add(&d, from + j * 64);
				distinct_add(&d, from + j / 3 * 64);
			}
			double error = (double)distinct_count(&d) / (double)number - 1;
			worst = error > worst ? error : -error > worst ? -error : worst;
			sum += error * error;
			assert_false(distinct_is_exact(&d));
			assert_true(d.count <= DISTINCT_MOST);
			distinct_release(&d);
		}
	/* What the header says of the standard error, with room for chance. */
	assert_true(worst < 0.33);
	assert_true(sum / tries < 0.1 * 0.1);
}

/* Columns of a stacked bar: as many as the sum has, and each part within one of its share. */
#include "../test.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/rng.h"
#include "doc/doc.h"
#include "doc/text_bar.h"

#define PARTS 8

static double any_value(struct rng *rng)
{
	static const double special[] = {0, 0, -1, 1, 100};

	return rng_below(rng, 3) ? (double)rng_below(rng, 1000) / 7
				 : special[rng_below(rng, ARRAY_COUNT(special))];
}

/* The part of a column that a share is above its whole columns. */
static double rest_of(const double *values, size_t i, double sum, unsigned wanted)
{
	const double share = fmax(0, values[i]) / sum * wanted;

	return share - floor(share);
}

static void check_bar(const double *values, size_t count, double whole, unsigned columns)
{
	unsigned segments[PARTS], used = 0;
	double sum = 0;

	text_bar_segments(values, count, whole, columns, segments);
	for (size_t i = 0; i < count; i++)
		sum += fmax(0, values[i]), used += segments[i];
	if (sum <= 0) {
		assert_int_equal(used, 0);
		return;
	}
	assert_int_equal(used, (unsigned)(sum / fmax(whole, sum) * columns + 0.5));
	/* The columns that are left over go to those parts that lack most. */
	for (size_t i = 0; i < count; i++) {
		const double share = fmax(0, values[i]) / sum * used;
		const bool is_more = segments[i] > (unsigned)share;

		assert_true(segments[i] - (unsigned)share <= 1);
		for (size_t k = 0; is_more && k < count; k++)
			if (segments[k] == (unsigned)(fmax(0, values[k]) / sum * used))
				assert_true(rest_of(values, k, sum, used) <=
					    rest_of(values, i, sum, used));
	}
}

TEST(columns_follow_the_shares)
{
	struct rng rng = {1};

	for (int i = 0; i < 20000; i++) {
		const size_t count = 1 + rng_below(&rng, PARTS);
		double values[PARTS];

		for (size_t k = 0; k < count; k++)
			values[k] = any_value(&rng);
		check_bar(values, count, any_value(&rng), (unsigned)rng_below(&rng, 120));
	}
}

TEST(values_are_shown_up_to_a_limit)
{
	assert_true(doc_is_shown(0));
	assert_true(doc_is_shown(-1e15));
	assert_true(doc_is_shown(1e15));
	assert_false(doc_is_shown(1.001e15));
	assert_false(doc_is_shown(-1e300));
	assert_false(doc_is_shown(INFINITY));
	assert_false(doc_is_shown(-INFINITY));
	assert_false(doc_is_shown(NAN));
}

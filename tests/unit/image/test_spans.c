/* Ranges that nest, touch and overlap, against a search through all of them. */
#include "../test.h"

#include "base/array.h"
#include "base/rng.h"
#include "image/spans.h"

/* Of those that contain the address the last in the list. */
static size_t find_slowly(const struct span *list, size_t count, uint64_t address)
{
	size_t found = SPANS_NONE;

	for (size_t i = 0; i < count; i++)
		if (list[i].start <= address && address < list[i].end)
			found = i;
	return found;
}

static void check_all(const struct span *list, size_t count, uint64_t most)
{
	struct spans spans;

	spans_init(&spans, list, count);
	for (uint64_t at = 0; at <= most; at++)
		assert_int_equal(spans_find(&spans, at), find_slowly(list, count, at));
	spans_release(&spans);
	assert_int_equal(spans.count, 0);
}

TEST(any_ranges_are_found_as_by_looking_at_all)
{
	struct rng rng = {1};

	for (unsigned round = 0; round < 500; round++) {
		struct span list[12];
		const size_t count = rng_below(&rng, ARRAY_COUNT(list) + 1);
		uint64_t start = 0;

		for (size_t i = 0; i < count; i++) {
			start += rng_below(&rng, 5);
			list[i] = (struct span){start, start + 1 + rng_below(&rng, 20)};
		}
		check_all(list, count, 100);
	}
}

/* Zeros are none, up to the last address. */
TEST(nothing_is_found_in_none)
{
	const struct spans none = {0};
	const struct span top = {UINT64_MAX - 1, UINT64_MAX};
	struct spans spans;

	assert_int_equal(spans_find(&none, 0), SPANS_NONE);
	assert_int_equal(spans_find(&none, UINT64_MAX), SPANS_NONE);
	spans_init(&spans, &top, 1);
	assert_int_equal(spans_find(&spans, UINT64_MAX - 2), SPANS_NONE);
	assert_int_equal(spans_find(&spans, UINT64_MAX - 1), 0);
	assert_int_equal(spans_find(&spans, UINT64_MAX), SPANS_NONE);
	spans_release(&spans);
}

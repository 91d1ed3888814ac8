/* The index finds what was added, whatever the hashes are, and nothing else. */
#include "../test.h"

#include "base/array.h"
#include "base/index.h"

static const uint64_t *values;

static bool is_value(const void *context, size_t number)
{
	return values[number] == *(const uint64_t *)context;
}

/* `bits` of the hash are left: with 0 all are alike. */
static void check(uint64_t bits, size_t count)
{
	struct index index = {0};
	uint64_t *items = mem_alloc_array(count, sizeof(*items));

	values = items;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t hash = index_hash_number(0, 3 * i) & bits;
		const uint64_t sought = 3 * i;

		assert_true(index_find(&index, hash, is_value, &sought) == INDEX_NONE);
		items[i] = sought;
		index_add(&index, hash, i);
		assert_int_equal(index.count, i + 1);
	}
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t sought = 3 * i, other = 3 * i + 1;

		assert_int_equal(
			index_find(&index, index_hash_number(0, sought) & bits, is_value, &sought),
			i);
		assert_true(index_find(&index, index_hash_number(0, sought) & bits, is_value,
				       &other) == INDEX_NONE);
	}
	index_release(&index);
	assert_int_equal(index.count, 0);
	free(items);
}

TEST(what_was_added_is_found)
{
	check(UINT64_MAX, 10000);
	check(7, 500);
	check(0, 100);
}

TEST(hashes_of_texts_differ)
{
	assert_true(index_hash_text("ab") != index_hash_text("ba"));
	assert_true(index_hash_text("") != index_hash_text("a"));
	assert_true(index_hash_text("ab") == index_hash_text("ab"));
}

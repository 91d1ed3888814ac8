/* Numbers of memory, beside an array of all pieces. */
#include "../test.h"

#include "base/rng.h"
#include "count/data_map.h"

#define FIRST  UINT64_C(0x3ffff00000) /* ends with the address space */
#define PIECES (1u << 16)

static uint32_t twin[PIECES];

static void set(struct data_map *map, uint64_t first, uint64_t pieces, uint32_t number)
{
	data_map_set(map, FIRST + first * 16, pieces * 16, number);
	for (uint64_t i = first; i < first + pieces && i < PIECES; i++)
		twin[i] = number;
}

static void compare(const struct data_map *map)
{
	for (uint64_t i = 0; i < PIECES; i++)
		if (data_map_find(map, FIRST + i * 16 + i % 16) != twin[i])
			fail_msg("piece %llu is of %u, not of %u", (unsigned long long)i,
				 data_map_find(map, FIRST + i * 16), twin[i]);
}

TEST(random_blocks_are_found_as_in_an_array)
{
	struct data_map map = {0};
	struct rng rng = {7};

	compare(&map);
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < 100; i++) {
			const unsigned bits = (unsigned)(rng_next(&rng) % 14);
			const uint64_t pieces = 1 + rng_next(&rng) % (1u << bits);

			set(&map, rng_next(&rng) % PIECES, pieces, (uint32_t)(rng_next(&rng) % 9));
		}
		compare(&map);
	}
	data_map_release(&map);
}

TEST(a_block_of_any_size_takes_few_pages)
{
	struct data_map map = {.over = 5};

	data_map_set(&map, 0x12345670, UINT64_C(1) << 37, 3);
	assert_int_equal(data_map_find(&map, 0x12345670), 3);
	assert_int_equal(data_map_find(&map, 0x1234566f), 0);
	assert_int_equal(data_map_find(&map, 0x12345670 + (UINT64_C(1) << 37) - 1), 3);
	assert_int_equal(data_map_find(&map, 0x12345670 + (UINT64_C(1) << 37)), 0);
	assert_true(map.leaves <= 2);
	data_map_set(&map, 0, UINT64_MAX, 0);
	assert_int_equal(map.leaves, 0);
	assert_int_equal(data_map_find(&map, UINT64_MAX), 0);
	data_map_release(&map);
}

TEST(beyond_the_limit_whole_pages_are_of_another)
{
	struct data_map map = {.over = 5, .most = 100};

	for (uint64_t i = 0; i < 108; i++)
		data_map_set(&map, i * 4096, 16, 3);
	assert_int_equal(map.leaves, 100);
	assert_int_equal(data_map_find(&map, 99 * 4096), 3);
	assert_int_equal(data_map_find(&map, 101 * 4096), 5);
	data_map_release(&map);
}

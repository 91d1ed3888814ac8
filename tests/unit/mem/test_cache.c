#include "../test.h"
#include "base/array.h"
#include "mem/cache.h"
#include "twin_cache.h"

static const char *const policies[] = {"lru", "lrr", "random", "plru", "srrip"};

/* Address streams with different effects on a policy; `step` counts from 0. */
enum { STREAM_RANDOM, STREAM_RUN, STREAM_LOOP, STREAM_STRIDE, STREAM_MIXED, STREAMS };

static uint64_t stream_address(unsigned stream, struct rng *rng, uint64_t step, uint64_t size)
{
	uint64_t hot = rng_below(rng, 4);

	switch (stream) {
	case STREAM_RANDOM: return rng_below(rng, 3 * size);
	case STREAM_RUN: return step * 8 + (step / 1000 << 33);
	case STREAM_LOOP: return step * 16 % (size + size / 4);
	case STREAM_STRIDE: return step % 37 * size / 2 + step % 5 * 8;
	default: return hot ? rng_below(rng, size / 2) : rng_next(rng);
	}
}

static bool is_dirtying(uint64_t step)
{
	return step % 3 == 1;
}

static void compare(const char *policy, uint64_t size, unsigned line_bytes, unsigned ways,
		    unsigned stream, unsigned steps)
{
	struct cache_parameters parameters = {size, line_bytes, ways, replace_find(policy)};
	struct cache cache;
	struct twin_cache twin;
	struct rng rng = {stream + 77 * size + ways};
	struct err err;

	assert_true(cache_check(&parameters, "c", &err));
	cache_init(&cache, &parameters, 5);
	twin_cache_init(&twin, policy, size, line_bytes, ways, 5);
	for (uint64_t step = 0; step < steps; step++) {
		uint64_t address = stream_address(stream, &rng, step, size);
		struct twin_line *expected = twin_cache_find(&twin, address);
		struct cache_line *line;

		assert_int_equal(cache_holds(&cache, address), !!expected);
		line = cache_touch(&cache, address);
		assert_int_equal(!!line, !!expected);
		if (line) {
			twin_cache_use(&twin, expected);
			assert_int_equal(line->ready_at, expected->ready_at);
			assert_int_equal(!!(line->flags & CACHE_LINE_DIRTY), expected->dirty);
		} else {
			struct cache_victim victim;
			struct twin_line gone;

			line = cache_fill(&cache, address, &victim);
			expected = twin_cache_enter(&twin, address, &gone);
			assert_int_equal(victim.valid, gone.valid);
			if (gone.valid) {
				assert_int_equal(victim.address, gone.address);
				assert_int_equal(!!(victim.flags & CACHE_LINE_DIRTY), gone.dirty);
			}
			assert_int_equal(line->flags, 0);
			line->ready_at = expected->ready_at = step;
		}
		if (is_dirtying(step)) {
			line->flags |= CACHE_LINE_DIRTY;
			expected->dirty = true;
		}
	}
	cache_release(&cache);
	twin_cache_release(&twin);
}

TEST(every_policy_hits_misses_and_evicts_as_its_twin)
{
	static const unsigned ways[] = {1, 2, 3, 4, 5, 7, 8, 16, 64};
	static const unsigned line_bytes[] = {8, 32, 64, 1024};

	for (size_t p = 0; p < ARRAY_COUNT(policies); p++)
		for (size_t w = 0; w < ARRAY_COUNT(ways); w++)
			for (size_t l = 0; l < ARRAY_COUNT(line_bytes); l++)
				for (unsigned sets = 1; sets <= 64; sets *= 8)
					for (unsigned stream = 0; stream < STREAMS; stream++)
						compare(policies[p],
							(uint64_t)sets * ways[w] * line_bytes[l],
							line_bytes[l], ways[w], stream, 1500);
}

/* Mattson's inclusion property: with lru, every line in w ways is also in w + 1 ways. */
TEST(a_larger_lru_cache_of_the_same_sets_never_misses_more)
{
	for (unsigned stream = 0; stream < STREAMS; stream++) {
		struct cache caches[8];
		struct rng rng = {stream};

		for (unsigned i = 0; i < ARRAY_COUNT(caches); i++)
			cache_init(
				&caches[i],
				&(struct cache_parameters){512 * (i + 1), 32, i + 1, &replace_lru},
				0);
		for (uint64_t step = 0; step < 20000; step++) {
			uint64_t address = stream_address(stream, &rng, step, 2048);
			bool hit_in_smaller = false;

			for (unsigned i = 0; i < ARRAY_COUNT(caches); i++) {
				bool hit = cache_touch(&caches[i], address);
				struct cache_victim victim;

				assert_true(hit || !hit_in_smaller);
				hit_in_smaller = hit;
				if (!hit)
					cache_fill(&caches[i], address, &victim);
			}
		}
		for (unsigned i = 0; i < ARRAY_COUNT(caches); i++)
			cache_release(&caches[i]);
	}
}

static unsigned misses_of_random(uint64_t seed)
{
	struct cache cache;
	struct rng rng = {3};
	unsigned misses = 0;

	cache_init(&cache, &(struct cache_parameters){4096, 32, 4, &replace_random}, seed);
	for (int i = 0; i < 20000; i++) {
		uint64_t address = rng_below(&rng, 8192);
		struct cache_victim victim;

		if (cache_touch(&cache, address))
			continue;
		cache_fill(&cache, address, &victim);
		misses++;
	}
	cache_release(&cache);
	return misses;
}

TEST(random_replacement_repeats_with_its_seed_only)
{
	assert_int_equal(misses_of_random(1), misses_of_random(1));
	assert_int_not_equal(misses_of_random(1), misses_of_random(2));
}

TEST(addresses_at_both_ends_of_the_space_are_told_apart)
{
	static const uint64_t addresses[] = {
		0, 32, UINT64_MAX, UINT64_MAX - 32, UINT64_C(1) << 63, UINT64_C(1) << 38};
	struct cache cache;
	struct cache_victim victim;

	cache_init(&cache, &(struct cache_parameters){512, 32, 16, &replace_lru}, 0);
	for (size_t i = 0; i < ARRAY_COUNT(addresses); i++) {
		assert_null(cache_touch(&cache, addresses[i]));
		cache_fill(&cache, addresses[i], &victim);
		assert_false(victim.valid);
	}
	for (size_t i = 0; i < ARRAY_COUNT(addresses); i++)
		assert_non_null(cache_touch(&cache, addresses[i]));
	cache_release(&cache);
}

TEST(impossible_geometries_are_refused_with_a_sentence)
{
	static const struct {
		struct cache_parameters parameters;
		const char *text;
	} cases[] = {
		{{4096, 48, 1, &replace_lru}, "c: a line of 48 bytes is not a power of two"},
		{{4096, 0, 1, &replace_lru}, "c: a line of 0 bytes is not a power of two"},
		{{4096, 32, 0, &replace_lru}, "c: 0 ways are not between 1 and 64"},
		{{65 * 4096, 32, 65, &replace_lru}, "c: 65 ways are not between 1 and 64"},
		{{4096, 32, 3, &replace_lru},
		 "c: 4096 bytes in 3 ways is not a power of two of at least one line of 32 bytes a way"},
		{{64, 128, 1, &replace_lru},
		 "c: 64 bytes in 1 ways is not a power of two of at least one line of 128 bytes a way"},
		{{0, 32, 1, &replace_lru},
		 "c: 0 bytes in 1 ways is not a power of two of at least one line of 32 bytes a way"},
		{{4096, 32, 1, NULL}, "c: no replacement policy is given"},
	};
	struct err err;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		assert_false(cache_check(&cases[i].parameters, "c", &err));
		assert_string_equal(err.text, cases[i].text);
	}
	assert_true(
		cache_check(&(struct cache_parameters){3 * 4096, 32, 3, &replace_lru}, "c", &err));
	assert_null(replace_find("fifo"));
	for (size_t i = 0; i < ARRAY_COUNT(policies); i++)
		assert_string_equal(replace_find(policies[i])->name, policies[i]);
}

#include "mem/cache.h"

/*
 * A binary tree over the ways, rounded up to a power of two; node 1 is the root,
 * node n has children 2n and 2n+1, and bit n of the set's word says on which side
 * the older half lies (1: the upper ways). A use of a way points every node on its
 * path away from it; the victim is found by following the bits. Where the number of
 * ways is no power of two, a half without ways is never entered.
 */
static unsigned half_of_the_ways(const struct cache *cache)
{
	return 1u << bits_log2(2 * cache->ways - 1) >> 1;
}

static void touch(struct cache *cache, uint64_t set, unsigned way)
{
	uint64_t tree = cache->trees[set];
	unsigned node = 1;

	for (unsigned half = half_of_the_ways(cache); half; half >>= 1) {
		bool upper = way & half;

		tree = upper ? tree & ~(UINT64_C(1) << node) : tree | UINT64_C(1) << node;
		node = 2 * node + upper;
	}
	cache->trees[set] = tree;
}

static unsigned victim(struct cache *cache, uint64_t set)
{
	uint64_t tree = cache->trees[set];
	unsigned node = 1;
	unsigned way = 0;

	for (unsigned half = half_of_the_ways(cache); half; half >>= 1) {
		bool upper = tree >> node & 1 && way + half < cache->ways;

		way += upper ? half : 0;
		node = 2 * node + upper;
	}
	return way;
}

static unsigned insert(struct cache *cache, uint64_t set, unsigned way)
{
	touch(cache, set, way);
	return way;
}

CONFIG_PART(replace_plru) = {
	.name = "plru",
	.touch = touch,
	.victim = victim,
	.insert = insert,
};

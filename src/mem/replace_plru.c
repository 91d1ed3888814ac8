#include "base/array.h"
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

/* A walk down the tree at every hit took 5 % of the time of warming on midcore; a word for each way
 * holds what it would write. */
void replace_plru_init(struct cache *cache, uint64_t sets)
{
	cache->trees = mem_alloc_array(sets, sizeof(*cache->trees));
	cache->tree_uses = mem_alloc_array(cache->ways, sizeof(*cache->tree_uses));
	for (unsigned way = 0; way < cache->ways; way++) {
		struct cache_tree_use *use = &cache->tree_uses[way];
		unsigned node = 1;

		use->keeps = ~UINT64_C(0);
		for (unsigned half = half_of_the_ways(cache); half; half >>= 1) {
			bool upper = way & half;

			use->keeps &= ~(UINT64_C(1) << node);
			use->older |= upper ? 0 : UINT64_C(1) << node;
			node = 2 * node + upper;
		}
	}
}

static unsigned victim(struct cache *cache, uint64_t set)
{
	const unsigned first = half_of_the_ways(cache);
	uint64_t tree = cache->trees[set];
	unsigned node = 1;
	unsigned way = 0;

	/* The halves cannot be predicted, so where all ways exist nothing depends on them. */
	if (LIKELY(bits_is_power_of_two(cache->ways))) {
		for (unsigned half = first; half; half >>= 1)
			node = 2 * node + (tree >> node & 1);
		return node - cache->ways;
	}
	for (unsigned half = first; half; half >>= 1) {
		bool upper = tree >> node & 1 && way + half < cache->ways;

		way += upper ? half : 0;
		node = 2 * node + upper;
	}
	return way;
}

static unsigned insert(struct cache *cache, uint64_t set, unsigned way)
{
	cache_note_use(cache, set, way);
	return way;
}

CONFIG_PART(replace_plru) = {
	.name = "plru",
	.victim = victim,
	.insert = insert,
};

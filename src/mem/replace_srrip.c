#include "mem/cache.h"

/*
 * Static re-reference interval prediction with 2 bits and hit priority (Jaleel,
 * Theobald, Steely and Emer, 2010): a line arrives at 2 ("long"), a hit
 * makes it 0, the victim is the lowest-numbered way at 3, and while there is none
 * every line of the set grows by one.
 */
enum { RANK_LONG = 2, RANK_DISTANT = 3 };

static void touch(struct cache *cache, uint64_t set, unsigned way)
{
	cache->lines[set * cache->ways + way].rank = 0;
}

static unsigned victim(struct cache *cache, uint64_t set)
{
	struct cache_line *lines = cache->lines + set * cache->ways;
	unsigned oldest = 0;

	for (unsigned way = 1; way < cache->ways; way++)
		if (lines[way].rank > lines[oldest].rank)
			oldest = way;
	/* Every line grows until the largest value is 3, so each grows by the difference. */
	unsigned growth = RANK_DISTANT - lines[oldest].rank;

	for (unsigned way = 0; way < cache->ways; way++)
		lines[way].rank = (lines[way].rank + growth) & 3;
	return oldest;
}

static unsigned insert(struct cache *cache, uint64_t set, unsigned way)
{
	cache->lines[set * cache->ways + way].rank = RANK_LONG;
	return way;
}

CONFIG_PART(replace_srrip) = {
	.name = "srrip",
	.touch = touch,
	.victim = victim,
	.insert = insert,
};

#include "mem/cache.h"

static unsigned victim(struct cache *cache, uint64_t set)
{
	(void)set;
	return (unsigned)rng_below(&cache->rng, cache->ways);
}

static unsigned insert(struct cache *cache, uint64_t set, unsigned way)
{
	(void)cache;
	(void)set;
	return way;
}

CONFIG_PART(replace_random) = {
	.name = "random",
	.victim = victim,
	.insert = insert,
};

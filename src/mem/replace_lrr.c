#include "mem/cache.h"

static unsigned victim(struct cache *cache, uint64_t set)
{
	(void)set;
	return cache->ways - 1;
}

static unsigned insert(struct cache *cache, uint64_t set, unsigned way)
{
	cache_move_to_front(cache, set, way);
	return 0;
}

/* As lru, but a hit moves nothing: the order is that of arrival. */
CONFIG_PART(replace_lrr) = {
	.name = "lrr",
	.victim = victim,
	.insert = insert,
};

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

CONFIG_PART(replace_lru) = {
	.name = "lru",
	.hit_to_front = true,
	.victim = victim,
	.insert = insert,
};

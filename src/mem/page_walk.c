#include "mem/page_walk.h"

#include <stdlib.h>

#include "base/array.h"

static uint64_t key_of(uint64_t page, unsigned level)
{
	return page >> 9 * level << 2 | level;
}

void walk_cache_init(struct walk_cache *cache, uint32_t limit)
{
	*cache = (struct walk_cache){
		.entries = limit ? mem_alloc_array(limit, sizeof(*cache->entries)) : NULL,
		.limit = limit,
	};
}

void walk_cache_release(struct walk_cache *cache)
{
	free(cache->entries);
	*cache = (struct walk_cache){0};
}

/* Puts an entry before the `count` first ones. */
static void to_front(struct walk_cache *cache, uint32_t count, struct walk_cache_entry entry)
{
	for (; count > 0; count--)
		cache->entries[count] = cache->entries[count - 1];
	cache->entries[0] = entry;
}

unsigned walk_cache_begin(struct walk_cache *cache, uint64_t page, uint64_t *ready_at)
{
	for (unsigned level = 1; level < PAGE_WALK_LEVELS; level++)
		for (uint32_t i = 0; i < cache->count; i++)
			if (cache->entries[i].key == key_of(page, level)) {
				*ready_at = cache->entries[i].ready_at;
				to_front(cache, i, cache->entries[i]);
				return level - 1;
			}
	*ready_at = 0;
	return PAGE_WALK_LEVELS - 1;
}

void walk_cache_put(struct walk_cache *cache, uint64_t page, unsigned level, uint64_t ready_at)
{
	if (!cache->limit)
		return;
	cache->count += cache->count < cache->limit;
	to_front(cache, cache->count - 1, (struct walk_cache_entry){key_of(page, level), ready_at});
}

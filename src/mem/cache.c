#include "mem/cache.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"

/* Lines of one set that are guessed apart: warming on midcore is 5 to 10 % faster than with one. */
#define GUESSES_PER_SET 8

bool cache_check(const struct cache_parameters *p, const char *name, struct err *err)
{
	if (p->line_bytes < 2 || !bits_is_power_of_two(p->line_bytes))
		return err_set(err, "%s: a line of %" PRIu32 " bytes is not a power of two", name,
			       p->line_bytes);
	if (p->ways < 1 || p->ways > CACHE_MOST_WAYS)
		return err_set(err, "%s: %" PRIu32 " ways are not between 1 and %d", name, p->ways,
			       CACHE_MOST_WAYS);
	if (p->size_bytes % p->ways || !bits_is_power_of_two(p->size_bytes / p->ways) ||
	    p->size_bytes / p->ways < p->line_bytes)
		return err_set(err,
			       "%s: %" PRIu64 " bytes in %" PRIu32
			       " ways is not a power of two of at "
			       "least one line of %" PRIu32 " bytes a way",
			       name, p->size_bytes, p->ways, p->line_bytes);
	if (!p->replacement)
		return err_set(err, "%s: no replacement policy is given", name);
	return true;
}

void cache_init(struct cache *cache, const struct cache_parameters *p, uint64_t seed)
{
	uint64_t sets = p->size_bytes / p->ways / p->line_bytes;

	*cache = (struct cache){
		.keys = mem_alloc_array(sets * p->ways, sizeof(*cache->keys)),
		.lines = mem_alloc_array(sets * p->ways, sizeof(*cache->lines)),
		.set_mask = sets - 1,
		.ways = p->ways,
		.line_bits = (uint8_t)bits_log2(p->line_bytes),
		.hit_to_front = p->replacement->hit_to_front,
		.kind = p->replacement,
		.rng = {seed},
	};
	if (p->replacement == &replace_plru)
		replace_plru_init(cache, sets);
	cache->guess_mask = GUESSES_PER_SET * sets - 1;
	cache->guesses = mem_alloc(GUESSES_PER_SET * sets);
}

void cache_release(struct cache *cache)
{
	free(cache->keys);
	free(cache->lines);
	free(cache->trees);
	free(cache->tree_uses);
	free(cache->guesses);
	*cache = (struct cache){0};
}

struct cache_line *cache_fill(struct cache *cache, uint64_t address, struct cache_victim *victim)
{
	uint64_t set = cache_set(cache, address);
	size_t first = set * cache->ways;
	unsigned way = 0;

	*victim = (struct cache_victim){0};
	/* Empty ways are filled from the first on and never come back, so if there is one
	 * the last way is; where lines move, empty ways stay behind them. */
	if (LIKELY(cache->keys[first + cache->ways - 1])) {
		way = cache->kind->victim(cache, set);
		victim->valid = true;
		victim->flags = cache->lines[first + way].flags;
		victim->address = (cache->keys[first + way] - 1) << cache->line_bits;
	} else {
		while (cache->keys[first + way])
			way++;
	}
	cache->keys[first + way] = cache_key(cache, address);
	cache->lines[first + way] = (struct cache_line){0};
	way = cache->kind->insert(cache, set, way);
	if (!cache->hit_to_front)
		cache->guesses[(address >> cache->line_bits) & cache->guess_mask] = (uint8_t)way;
	return &cache->lines[first + way];
}

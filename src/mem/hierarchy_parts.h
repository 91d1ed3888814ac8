/*
 * hierarchy_parts.h - what accesses in time (hierarchy.c) and without time (hierarchy_touch.c) have
 * in common. Only these two files include it.
 */
#ifndef MEM_HIERARCHY_PARTS_H
#define MEM_HIERARCHY_PARTS_H

#include "mem/hierarchy.h"

enum request_kind { REQUEST_DEMAND, REQUEST_PREFETCH, REQUEST_WALK };

/* Puts an event into the log of the access. */
__attribute__((noinline, cold)) void hierarchy_log(struct hierarchy *hierarchy,
						   const uint64_t *event, uint64_t amount);

/* Every event goes through here. */
static inline void happened_times(struct hierarchy *h, uint64_t *event, uint64_t amount)
{
	*event += amount;
	if (UNLIKELY(h->logs[event - (const uint64_t *)&h->events]))
		hierarchy_log(h, event, amount);
}

static inline void happened(struct hierarchy *h, uint64_t *event)
{
	happened_times(h, event, 1);
}

static inline unsigned next_cache(unsigned cache)
{
	return cache == CACHE_L1I ? CACHE_L2 : cache + 1;
}

static inline uint8_t level_of(unsigned cache)
{
	return cache == CACHE_L1I ? LEVEL_L1 : (uint8_t)(cache - CACHE_L1D);
}

/* Whether nobody will read what a line of this cache holds. */
static inline bool is_dead(const struct hierarchy *h, unsigned cache, uint64_t address)
{
	const uint64_t bytes = UINT64_C(1) << h->level[cache].cache.line_bits;

	return address >= h->dead_low && address < h->dead_high && h->dead_high - address >= bytes;
}

/* Whether misses of some level cost this side no time. */
static inline bool hides_misses(unsigned hides, enum hierarchy_side side)
{
	return hides >> 4 * side & (HIDES_L1I | HIDES_L2I | HIDES_L3I);
}

#endif

/*
 * twin_cache.h - a slow and obvious cache, with which the tests compare the real one: lines stay
 * in their way and have time stamps, by which every policy finds its victim.
 *
 * Tree pseudo-LRU has no tree here: the older of two halves is the one whose most recent use is
 * longer ago, which is what the tree's bits encode.
 */
#ifndef TESTS_MEM_TWIN_CACHE_H
#define TESTS_MEM_TWIN_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

struct twin_line {
	bool valid, dirty, instruction, prefetched;
	uint64_t address;
	uint64_t used, entered;
	unsigned interval;
	uint64_t ready_at, near_done_at, queue_cycles;
	unsigned level;
};

struct twin_cache {
	const char *policy;
	uint64_t sets;
	unsigned ways;
	uint64_t line_bytes;
	uint64_t stamp;
	struct rng rng;
	struct twin_line *lines;
};

static inline void twin_cache_init(struct twin_cache *twin, const char *policy, uint64_t size_bytes,
				   uint64_t line_bytes, unsigned ways, uint64_t seed)
{
	*twin = (struct twin_cache){.policy = policy,
				    .sets = size_bytes / line_bytes / ways,
				    .ways = ways,
				    .line_bytes = line_bytes,
				    .rng = {seed}};
	twin->lines = calloc(twin->sets * ways, sizeof(*twin->lines));
}

static inline void twin_cache_release(struct twin_cache *twin)
{
	free(twin->lines);
}

static inline struct twin_line *twin_cache_set(struct twin_cache *twin, uint64_t address)
{
	return twin->lines + address / twin->line_bytes % twin->sets * twin->ways;
}

/* The line in any way; NULL if it is not present. */
static inline struct twin_line *twin_cache_find(struct twin_cache *twin, uint64_t address)
{
	struct twin_line *set = twin_cache_set(twin, address);

	for (unsigned way = 0; way < twin->ways; way++)
		if (set[way].valid &&
		    set[way].address == address / twin->line_bytes * twin->line_bytes)
			return &set[way];
	return NULL;
}

static inline void twin_cache_use(struct twin_cache *twin, struct twin_line *line)
{
	line->used = ++twin->stamp;
	line->interval = 0;
}

static inline uint64_t twin_last_use(const struct twin_line *set, unsigned from, unsigned to)
{
	uint64_t last = 0;

	for (unsigned way = from; way < to; way++)
		if (set[way].used > last)
			last = set[way].used;
	return last;
}

/* For ways from .. from+size-1, size a power of two, of which those beyond `ways` do not exist. */
static inline unsigned twin_older_half(const struct twin_line *set, unsigned ways, unsigned from,
				       unsigned size)
{
	unsigned middle = from + size / 2;

	if (size == 1)
		return from;
	if (middle < ways && twin_last_use(set, middle, from + size < ways ? from + size : ways) <
				     twin_last_use(set, from, middle))
		return twin_older_half(set, ways, middle, size / 2);
	return twin_older_half(set, ways, from, size / 2);
}

static inline unsigned twin_victim(struct twin_cache *twin, struct twin_line *set)
{
	unsigned best = 0;

	for (unsigned way = 0; way < twin->ways; way++)
		if (!set[way].valid)
			return way;
	if (!strcmp(twin->policy, "random"))
		return (unsigned)rng_below(&twin->rng, twin->ways);
	if (!strcmp(twin->policy, "plru")) {
		unsigned size = 1;

		while (size < twin->ways)
			size *= 2;
		return twin_older_half(set, twin->ways, 0, size);
	}
	if (!strcmp(twin->policy, "srrip")) {
		for (;;) {
			for (unsigned way = 0; way < twin->ways; way++)
				if (set[way].interval == 3)
					return way;
			for (unsigned way = 0; way < twin->ways; way++)
				set[way].interval++;
		}
	}
	for (unsigned way = 1; way < twin->ways; way++) {
		if (!strcmp(twin->policy, "lru") && set[way].used < set[best].used)
			best = way;
		if (!strcmp(twin->policy, "lrr") && set[way].entered < set[best].entered)
			best = way;
	}
	return best;
}

/* Inserts the line, which must not be present; *victim is the line it replaces. */
static inline struct twin_line *twin_cache_enter(struct twin_cache *twin, uint64_t address,
						 struct twin_line *victim)
{
	struct twin_line *set = twin_cache_set(twin, address);
	struct twin_line *line = &set[twin_victim(twin, set)];

	*victim = *line;
	*line = (struct twin_line){.valid = true,
				   .address = address / twin->line_bytes * twin->line_bytes,
				   .interval = 2};
	line->used = line->entered = ++twin->stamp;
	return line;
}

#endif

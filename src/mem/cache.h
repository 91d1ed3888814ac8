/*
 * cache.h - one set-associative cache: tags, and of each line when its fill
 * completes and where it came from.
 *
 * A line is entered when it is requested; until `ready_at` its fill is under way
 * (a hit before then is a pending hit). A line that is replaced before its fill
 * arrives is lost: the accesses that wait for it are served, a later access
 * requests it again. The number of sets and the line are powers of two,
 * associativity is any whole number; the set is picked by the address bits above
 * the line.
 *
 * Invariant: what the cache holds depends on the sequence of look-ups and fills
 * only, never on time. A key of 0 marks an empty way; within a set no key occurs
 * twice. With lru and lrr, lines stand most recent first and empty ways last.
 *
 * Deliberately not modelled: data, sectors, banks, ports, coherence, invalidation.
 * The struct is open because look-ups are in the simulator's inner loop.
 */
#ifndef MEM_CACHE_H
#define MEM_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/err.h"
#include "base/rng.h"
#include "mem/replace.h"

#define CACHE_MOST_WAYS 64

enum cache_line_flags {
	CACHE_LINE_DIRTY = 1,
	CACHE_LINE_INSTRUCTION = 2, /* brought in by the instruction side */
	CACHE_LINE_PREFETCHED = 4,  /* brought in by a prefetcher and not yet asked for */
};

struct cache_line {
	uint64_t ready_at;   /* cycle in which its fill completes */
	uint32_t far_cycles; /* how much of the fill, at its end, was the wait for memory */
	uint32_t flags : 4;  /* enum cache_line_flags */
	uint32_t level : 2;  /* enum memory_level that served the fill */
	uint32_t rank : 2;   /* state of the replacement policy */
	/* How much of the fill, at its end, is due to a busy memory. */
	uint32_t queue_cycles : 24;
};

_Static_assert(sizeof(struct cache_line) == 16, "look-ups are in the simulator's inner loop");

#define CACHE_LINE_MOST_QUEUE_CYCLES ((1u << 24) - 1)

struct cache_parameters {
	uint64_t size_bytes;
	uint32_t line_bytes;
	uint32_t ways;
	const struct replace_kind *replacement;
};

/* What a use of a way does to its set's tree of tree pseudo-LRU. */
struct cache_tree_use {
	uint64_t keeps; /* the nodes that are not on the way's path */
	uint64_t older; /* the nodes on it whose upper half is now the older one */
};

struct cache {
	uint64_t *keys; /* line number + 1; ways of a set side by side */
	struct cache_line *lines;
	uint64_t set_mask;
	uint32_t ways;
	uint8_t line_bits;
	bool hit_to_front;
	const struct replace_kind *kind;
	uint64_t *trees;		  /* tree pseudo-LRU: one word for each set */
	struct cache_tree_use *tree_uses; /* and of each way */
	/* By the low bits of the line's number, some more than pick the set: the way where a
	 * look-up begins, in which such a line was last. A guess; always 0 where a hit is moved to
	 * the front. */
	uint8_t *guesses;
	uint64_t guess_mask;
	struct rng rng;
};

struct cache_victim {
	bool valid;
	uint8_t flags;
	uint64_t address; /* the address of its first byte */
};

/* False with a sentence that begins with `name` if the geometry is not possible. */
bool cache_check(const struct cache_parameters *parameters, const char *name, struct err *err);
/* The parameters must have passed cache_check. The seed matters to random only. */
void cache_init(struct cache *cache, const struct cache_parameters *parameters, uint64_t seed);
void cache_release(struct cache *cache);

static inline uint64_t cache_key(const struct cache *cache, uint64_t address)
{
	return (address >> cache->line_bits) + 1;
}

static inline uint64_t cache_set(const struct cache *cache, uint64_t address)
{
	return (address >> cache->line_bits) & cache->set_mask;
}

static inline uint64_t cache_line_address(const struct cache *cache, uint64_t address)
{
	return bits_align_down(address, UINT64_C(1) << cache->line_bits);
}

/* Whether the line is there (perhaps still on its way); changes nothing. */
static inline bool cache_holds(const struct cache *cache, uint64_t address)
{
	const uint64_t *keys = cache->keys + cache_set(cache, address) * cache->ways;
	uint64_t key = cache_key(cache, address);

	for (unsigned way = 0; way < cache->ways; way++)
		if (keys[way] == key)
			return true;
	return false;
}

/* Moves the line in `way` to the front of the set, and those before it back by one way. */
static inline void cache_move_to_front(struct cache *cache, uint64_t set, unsigned way)
{
	uint64_t *keys = cache->keys + set * cache->ways;
	struct cache_line *lines = cache->lines + set * cache->ways;
	uint64_t key = keys[way];
	struct cache_line line = lines[way];

	for (; way > 0; way--) {
		keys[way] = keys[way - 1];
		lines[way] = lines[way - 1];
	}
	keys[0] = key;
	lines[0] = line;
}

/* The way in which the line of this number is; `ways` if it is in none. */
static inline unsigned cache_way(const struct cache *cache, uint64_t number)
{
	const uint64_t *keys = cache->keys + (number & cache->set_mask) * cache->ways;
	uint8_t *guess = &cache->guesses[number & cache->guess_mask];
	unsigned way = *guess;

	if (LIKELY(keys[way] == number + 1))
		return way;
	/* Which of the others it is cannot be predicted, so all are compared. */
	unsigned found = cache->ways;
	for (way = 0; way < cache->ways; way++)
		found = keys[way] == number + 1 ? way : found;
	if (found < cache->ways && !cache->hit_to_front)
		*guess = (uint8_t)found;
	return found;
}

/* What a hit in a way changes, apart from the order of lines. */
static inline void cache_note_use(struct cache *cache, uint64_t set, unsigned way)
{
	if (cache->trees)
		cache->trees[set] = (cache->trees[set] & cache->tree_uses[way].keeps) |
				    cache->tree_uses[way].older;
	else if (cache->kind->touch)
		cache->kind->touch(cache, set, way);
}

/* Looks the address up as an access: NULL on a miss, which changes nothing; on a hit the
 * replacement state is updated. The line is valid until the next look-up or fill. */
static inline struct cache_line *cache_touch(struct cache *cache, uint64_t address)
{
	uint64_t set = cache_set(cache, address);
	size_t first = set * cache->ways;
	unsigned way = cache_way(cache, address >> cache->line_bits);

	if (way == cache->ways)
		return NULL;
	if (cache->hit_to_front) {
		if (way)
			cache_move_to_front(cache, set, way);
		return &cache->lines[first];
	}
	cache_note_use(cache, set, way);
	return &cache->lines[first + way];
}

/* Enters the line of `address`, which must not be there, and returns the line it replaced in
 * `victim`. The line returned is empty and valid until the next look-up or fill. */
struct cache_line *cache_fill(struct cache *cache, uint64_t address, struct cache_victim *victim);

#endif

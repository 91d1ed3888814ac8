/*
 * hierarchy_plain.h - plain hits in any way, with any replacement policy and with a stride
 * prefetcher: accesses that TLB and L1 have and after which no prefetcher has a line to bring in.
 * They need no request, no result and no other level.
 *
 * Invariant: what is here leaves TLB, L1 and prefetcher as the general path (hierarchy.c) would,
 * bit for bit, or says that it cannot and has changed nothing but the order of the TLB's entries,
 * which the general path would change likewise.
 *
 * Open because these are inner loops, of the core and of warming.
 */
#ifndef MEM_HIERARCHY_PLAIN_H
#define MEM_HIERARCHY_PLAIN_H

#include "mem/cache.h"
#include "mem/prefetch_stride.h"
#include "mem/tlb.h"

/* What they need of one side, for one kind of access. */
struct hierarchy_plain {
	struct cache *cache; /* NULL: no access is plain */
	struct tlb *tlb;
	struct stride_table *strides; /* NULL: no prefetcher sees hits */
	uint64_t prefetch_page_bytes;
	/* What the inline path needs of cache and TLB, side by side; where no access is plain,
	 * `keys` points at a single 0, which no key equals. */
	const uint64_t *keys;
	struct cache_line *lines;
	const uint8_t *guesses;
	uint64_t *trees;
	const struct cache_tree_use *tree_uses;
	const struct tlb_entry *entries;
	uint64_t set_mask, guess_mask, tlb_set_mask;
	uint32_t ways, tlb_ways;
	uint8_t line_bits, page_bits;
};

/* Whether the cache holds the line, of which *place is a guess. */
static inline bool hierarchy_plain_holds(const struct cache *cache, uint64_t line, uint32_t *place)
{
	uint64_t set = line & cache->set_mask;

	if (LIKELY(cache->keys[*place] == line + 1))
		return true;
	for (unsigned way = 0; way < cache->ways; way++)
		if (cache->keys[set * cache->ways + way] == line + 1) {
			*place = (uint32_t)(set * cache->ways + way);
			return true;
		}
	return false;
}

/* Lets the prefetcher learn from a hit, unless it would then bring in a line. */
static inline bool hierarchy_plain_learn(const struct hierarchy_plain *plain, uint64_t pc,
					 uint64_t address)
{
	struct stride_entry *entry = stride_entry_of(plain->strides, pc);
	const struct cache *cache = plain->cache;
	struct stride_lesson lesson = stride_lesson_of(entry, pc, address);
	int64_t step = stride_step(lesson, INT64_C(1) << cache->line_bits);

	if (step) {
		uint64_t at = address;

		for (unsigned i = 0; i < STRIDE_PLACES_AHEAD; i++) {
			at += (uint64_t)step;
			if ((at ^ address) < plain->prefetch_page_bytes &&
			    !hierarchy_plain_holds(cache, at >> cache->line_bits,
						   &entry->places[i]))
				return false;
		}
	}
	stride_learn(entry, pc, address, lesson);
	return true;
}

/* The address's entry, which is now its set's most recent; NULL if the TLB has none. */
static inline const struct tlb_entry *hierarchy_plain_translate(const struct tlb *tlb,
								uint64_t address)
{
	uint64_t page = address >> tlb->page_bits;
	struct tlb_entry *entries = tlb->entries + (page & tlb->set_mask) * tlb->ways;
	unsigned way = 0;

	if (LIKELY(entries[0].key == page + 1))
		return entries;
	while (++way < tlb->ways)
		if (entries[way].key == page + 1) {
			struct tlb_entry found = entries[way];

			for (; way > 0; way--)
				entries[way] = entries[way - 1];
			entries[0] = found;
			return entries;
		}
	return NULL;
}

/* Uses the line in a way for an access: true, and it is done, or the access is not plain. */
static inline bool hierarchy_plain_use(const struct hierarchy_plain *plain, uint64_t set,
				       unsigned way, bool writes, uint64_t pc, uint64_t address)
{
	struct cache *cache = plain->cache;
	struct cache_line *line = &cache->lines[set * cache->ways + way];

	if (UNLIKELY(line->flags & CACHE_LINE_PREFETCHED))
		return false;
	if (plain->strides && !hierarchy_plain_learn(plain, pc, address))
		return false;
	if (writes)
		line->flags |= CACHE_LINE_DIRTY;
	if (!cache->hit_to_front)
		cache_note_use(cache, set, way);
	else if (way)
		cache_move_to_front(cache, set, way);
	return true;
}

/* Whether the line is in the way guessed. */
static inline bool hierarchy_plain_finds(const struct hierarchy_plain *plain, uint64_t address)
{
	const uint64_t number = address >> plain->line_bits, set = number & plain->set_mask;
	const unsigned way = plain->guesses[number & plain->guess_mask];

	return plain->keys[set * plain->ways + way] == number + 1;
}

/* The most frequent case of what follows: the page is its set's most recent, the line in the way
 * guessed. If not, nothing has changed. */
static inline bool hierarchy_plain_hits(const struct hierarchy_plain *plain, bool writes,
					uint64_t pc, uint64_t address)
{
	const uint64_t page = address >> plain->page_bits;
	const uint64_t number = address >> plain->line_bits, set = number & plain->set_mask;
	const unsigned way = plain->guesses[number & plain->guess_mask];
	struct cache_line *line = &plain->lines[set * plain->ways + way];

	if (UNLIKELY(plain->entries[(page & plain->tlb_set_mask) * plain->tlb_ways].key !=
		     page + 1) ||
	    UNLIKELY(!hierarchy_plain_finds(plain, address)) ||
	    UNLIKELY(line->flags & CACHE_LINE_PREFETCHED) ||
	    (plain->strides && UNLIKELY(!hierarchy_plain_learn(plain, pc, address))))
		return false;
	if (writes)
		line->flags |= CACHE_LINE_DIRTY;
	if (plain->trees)
		plain->trees[set] = (plain->trees[set] & plain->tree_uses[way].keeps) |
				    plain->tree_uses[way].older;
	else if (UNLIKELY(plain->cache->kind->touch))
		plain->cache->kind->touch(plain->cache, set, way);
	return true;
}

/* The whole access where time plays no part, since every fill is complete. */
static inline bool hierarchy_plain_touch(const struct hierarchy_plain *plain, bool writes,
					 uint64_t pc, uint64_t address)
{
	struct cache *cache = plain->cache;

	if (UNLIKELY(!cache) || UNLIKELY(!hierarchy_plain_translate(plain->tlb, address)))
		return false;
	uint64_t set = cache_set(cache, address);
	unsigned way = cache_way(cache, address >> cache->line_bits);
	return LIKELY(way < cache->ways) &&
	       hierarchy_plain_use(plain, set, way, writes, pc, address);
}

#endif

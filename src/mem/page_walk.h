/*
 * page_walk.h - where the entries of a page table lie, and which of them a walker remembers.
 *
 * The table has four levels of 512 entries of 8 bytes, as Sv48 of the RISC-V privileged
 * architecture; level 3 is the root, level 0 has the translation. There is no such table in guest
 * memory: the guest has one address space and nothing to translate. Its addresses are made up, the
 * same for every program: each level is one array, beyond all guest addresses, indexed by the page
 * number without the 9 bits of each lower level. So tables begin at multiples of 4 KB, and pages
 * side by side have entries side by side, as in a real table.
 *
 * The walk cache remembers the entries of levels 3 to 1 used last, fully associative. A walk begins
 * below the lowest one it knows. An entry is made when it is loaded; until `ready_at` that load is
 * under way.
 *
 * Deliberately not modelled: large pages, accessed and dirty bits, a limit on walks under way.
 */
#ifndef MEM_PAGE_WALK_H
#define MEM_PAGE_WALK_H

#include <stdint.h>

#define PAGE_WALK_LEVELS 4

struct walk_cache_entry {
	uint64_t key; /* never 0 */
	uint64_t ready_at;
};

/* Entries stand most recently used first. */
struct walk_cache {
	struct walk_cache_entry *entries;
	uint32_t count, limit;
};

/* The address of the entry that translates page number `page` at a level. */
static inline uint64_t page_walk_address(uint64_t page, unsigned level)
{
	return UINT64_C(1) << 63 | (uint64_t)level << 60 | (page >> 9 * level) * 8;
}

/* `limit` may be 0: then nothing is remembered. */
void walk_cache_init(struct walk_cache *cache, uint32_t limit);
void walk_cache_release(struct walk_cache *cache);

/* The level of the first entry that a walk for `page` must load, and the cycle in which its place
 * is known (0: at once). The entry that tells is now the most recent. */
unsigned walk_cache_begin(struct walk_cache *cache, uint64_t page, uint64_t *ready_at);
/* Remembers the entry of level 1, 2 or 3, which is not there, for the least recently used one. */
void walk_cache_put(struct walk_cache *cache, uint64_t page, unsigned level, uint64_t ready_at);

#endif

/*
 * tlb.h - a set-associative translation look-aside buffer with least recently
 * used replacement, indexed by the page number's low bits.
 *
 * It translates nothing (the guest has one address space); it says when a
 * translation is known. An entry is made the moment it is missed; until its
 * `ready_at` the walk is under way, and further accesses to the page wait for
 * it without starting another.
 *
 * Invariant: what it holds depends on the sequence of pages only, never on time.
 * Key 0 marks an empty entry; entries of a set stand most recent first.
 *
 * Deliberately not modelled: large pages, a limit on walks under way.
 */
#ifndef MEM_TLB_H
#define MEM_TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tlb_parameters {
	uint32_t entries;
	uint32_t ways;
	uint32_t miss_cycles;
};

struct tlb_entry {
	uint64_t key; /* page number + 1 */
	uint64_t ready_at;
	/* How much of the time until then, at its end, is due to cache misses of the page walk. */
	uint64_t walk_cycles;
};

struct tlb {
	struct tlb_entry *entries; /* ways of a set side by side */
	uint64_t set_mask;
	uint32_t ways;
	uint8_t page_bits;
};

bool tlb_check(const struct tlb_parameters *parameters, const char *name, struct err *err);
/* The parameters must have passed tlb_check; page_bytes is a power of two. */
void tlb_init(struct tlb *tlb, const struct tlb_parameters *parameters, uint64_t page_bytes);
void tlb_release(struct tlb *tlb);

/* The entry of the address's page, which is now its set's most recent; a new one
 * (with *hit false and ready_at 0) if there was none. Valid until the next call. */
struct tlb_entry *tlb_touch(struct tlb *tlb, uint64_t address, bool *hit);

#endif

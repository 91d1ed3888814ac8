/*
 * prefetch.h - prefetchers: they see the demand accesses of one cache and name
 * lines to fetch.
 *
 * A prefetcher only names lines; the hierarchy drops those the cache already
 * holds and brings in the rest. Each is one const struct prefetch_kind in
 * prefetch_<name>.c. None ever names a line outside the page of the access it
 * saw (at most 4 KB, and no more than a TLB page), so prefetches need no
 * translation of their own.
 *
 * They depend on the sequence of accesses, never on time, so a prefetcher names
 * the same lines however long the fills take. Deliberately not modelled:
 * throttling by accuracy, and a queue that can be full.
 */
#ifndef MEM_PREFETCH_H
#define MEM_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/words.h"

#define PREFETCH_MOST_LINES 4	 /* the most lines that one prefetcher names at one access */
#define PREFETCH_PAGE_BYTES 4096 /* never crossed */

struct prefetch_access {
	uint64_t address;
	uint64_t pc;	/* the pc of the load or store; for a fetch, its address */
	bool hit;	/* the line was there, perhaps still on its way */
	bool first_use; /* the first use of a line that a prefetcher brought in */
};

struct prefetcher;

struct prefetch_kind {
	const char *name;
	size_t state_bytes; /* zeroed at the start */
	bool sees_hits;	    /* a hit that is no first use changes its state or names lines */
	/* Writes the addresses of up to PREFETCH_MOST_LINES lines and returns how many. */
	unsigned (*observe)(struct prefetcher *prefetcher, const struct prefetch_access *access,
			    uint64_t *lines);
};

struct prefetcher {
	const struct prefetch_kind *kind;
	uint64_t line_bytes;
	uint64_t page_bytes;
	void *state;
};

#define KIND(id, word) extern const struct prefetch_kind prefetch_##word;
CONFIG_WORDS_prefetch(KIND)
#undef KIND
#define KIND(id, word) +1
	enum { PREFETCH_KINDS = 0 CONFIG_WORDS_prefetch(KIND) };
#undef KIND

/* The kind of that word of CONFIG_WORDS_prefetch; NULL for any other name ("none" among them).
 * Dashes and underscores are the same. */
const struct prefetch_kind *prefetch_find(const char *name);

void prefetcher_init(struct prefetcher *prefetcher, const struct prefetch_kind *kind,
		     uint64_t line_bytes, uint64_t tlb_page_bytes);
void prefetcher_release(struct prefetcher *prefetcher);

/* For the kinds: appends the line of `candidate` to the `count` lines there, unless
 * it is the line or outside the page of `near`, or is there already. Returns the
 * new count. */
unsigned prefetch_name_line(const struct prefetcher *prefetcher, uint64_t near, uint64_t candidate,
			    uint64_t *lines, unsigned count);

#endif

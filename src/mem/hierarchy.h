/*
 * hierarchy.h - what a memory access does to caches and TLBs, and when its data
 * is there: L1I and L1D, perhaps a unified L2 and L3, memory (main_memory.h), I-TLB and
 * D-TLB, perhaps a second-level TLB.
 *
 * Time. An access made in cycle `now` first has its TLB phase (nothing on a hit,
 * the miss's time on a miss, the rest of the walk if one is under way for that
 * page); then latencies add up: L1, plus L2 on a miss, plus L3 on a miss there,
 * plus memory. A look-up that finds its line on its way (at any level) waits for
 * it if that takes longer than the hit: a pending hit. Calls come in order of
 * `now`. A line is entered in every cache that missed at the time of the call, so
 * what they hold depends on the sequence of accesses and never on time.
 *
 * Translation. A miss in the first TLB takes the latency of the second, if there is
 * one; a miss there a fixed latency, or a page walk (page_walk.h): loads through the
 * L1D, each after the one before it. They take MSHRs, wait where none is free, train
 * no prefetcher and are counted by themselves. Those of fetches do the same.
 *
 * MSHRs. A data miss takes a register of each limited cache it misses in, from
 * `now` until its data is there. If one of them has none free, nothing at all
 * happens: `blocked` and `retry_at`. Fetches, write-backs and prefetches take none.
 *
 * Stores. Write-back caches allocate. A write-through L1D does not: every store
 * goes on to the next level (the L2 allocates) and is done when it was written
 * there, hit or miss. L2 and L3 are write-back. A dirty victim is written to the
 * next level after the demand has been looked up there: no access waits for it, it
 * counts as use for the replacement, and allocates where it is not found; if it
 * reaches memory, it asks for the channel when the line that replaces it arrives.
 * Inclusion is not enforced: a line pushed out of the L2 stays in the L1s. A dirty victim
 * that lies wholly in the dead range, of which nobody will read what is there now, is dropped
 * at any level: it is counted and not written. The range is empty unless a core sets it.
 *
 * Perfect changes latency only. An ideal switch caps the time of its side's
 * accesses (ideal_l1d: TLB phase + L1; ideal_l2d: + L2; ...), and of the lines
 * they fill; look-ups, fills and counters of tags stay, no MSHR is held, and memory is
 * not occupied. ideal_walk makes page-table loads hit; with ideal_bandwidth no request
 * occupies memory. An access may be spared the same by itself (struct access_relief), with the
 * page walk it needs and the lines it fills; what it finds on its way does not come sooner for
 * others. What it is spared in part it waits for in part: MSHRs and memory are used as always.
 *
 * Deliberately not modelled: bandwidth, ports and banks of caches, physical
 * addresses, coherence, victim buffers. The struct is open for
 * the inline paths at the end only; other users read it through functions.
 */
#ifndef MEM_HIERARCHY_H
#define MEM_HIERARCHY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/err.h"
#include "mem/cache.h"
#include "mem/events.h"
#include "mem/hierarchy_plain.h"
#include "mem/main_memory.h"
#include "mem/mshr.h"
#include "mem/page_walk.h"
#include "mem/prefetch.h"
#include "mem/tlb.h"

#define MISS_LEVELS 3

enum memory_level { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_MEMORY, LEVEL_COUNT };

struct level_parameters {
	struct cache_parameters cache;
	uint32_t latency_cycles;
	uint32_t mshrs; /* the number for data misses, or MSHR_UNLIMITED; not used by the L1I */
	const struct prefetch_kind *prefetch[PREFETCH_KINDS]; /* NULL: none */
};

struct hierarchy_parameters {
	unsigned levels; /* 1: no unified cache; 2: l2; 3: l2 and l3 */
	struct level_parameters l1i, l1d, l2, l3;
	bool l1d_write_through;
	struct main_memory_parameters memory;
	uint64_t page_bytes;
	struct tlb_parameters itlb, dtlb;
	struct tlb_parameters tlb2; /* of both sides; no entries: none. miss_cycles is not used */
	uint32_t tlb2_latency_cycles;
	bool walks; /* a miss in the last TLB walks the page table; miss_cycles is not used */
	uint32_t walk_cache_entries;
	/* Pending hits are those of data, at the L1D and below; each then takes the
	 * latency of a hit at that level. */
	bool ideal_l1i, ideal_l2i, ideal_l3i, ideal_itlb, ideal_l1d, ideal_l2d, ideal_l3d;
	bool ideal_dtlb, ideal_pending, ideal_walk, ideal_bandwidth;
	uint64_t seed; /* the seed of random replacement */
};

/* What costs no time, of all accesses or of one. Those of data come after those of instructions,
 * in the same order. */
enum hierarchy_hidden {
	HIDES_L1I = 1,
	HIDES_L2I = 2,
	HIDES_L3I = 4,
	HIDES_ITLB = 8,
	HIDES_L1D = 16,
	HIDES_L2D = 32,
	HIDES_L3D = 64,
	HIDES_DTLB = 128,
};

/* What one access is spared beside what the ideal switches hide; all 0: nothing. */
struct access_relief {
	uint8_t hides; /* enum hierarchy_hidden */
	/* Of an access to data: so much of what it takes beyond a hit, in percent, is left out. */
	uint8_t spared_percent;
};

struct access_result {
	uint64_t done_at;     /* the data is there, or the store is written */
	uint64_t tlb_done_at; /* end of the TLB phase; `now` if it took no time */
	/* Until when the wait is that of a miss in the L1, in the L2, in the L3: each goes on from
	 * where the one before it ended, the first from when the L1 has answered. That of the last
	 * cache there is ends with done_at, and so do those after it. */
	uint64_t miss_until[MISS_LEVELS];
	/* How much of the TLB phase, at its end, is due to cache misses of the page walk. */
	uint64_t walk_cycles;
	/* How much of the wait for the data, at its end, is due to a busy memory: by so much it
	 * would be there earlier. */
	uint64_t queue_cycles;
	uint64_t retry_at; /* if blocked: when to try again; nothing else is then set */
	uint8_t level;	   /* enum memory_level that its latency includes; for a pending
			    * hit, the level that serves the fill it waited for */
	uint8_t tag_level; /* the first level that held the line, ideal or not, on its way or not */
	bool tlb_miss;	   /* the TLB did not hold the page (even if ideal) */
	bool tlb_pending;  /* waited for a walk under way */
	bool pending;	   /* waited for a fill under way */
	bool blocked;	   /* no MSHR was free and nothing has changed */
};

/* The events as sums: hits include the plain ones, accesses = hits + pending + misses. */
struct cache_counters {
	uint64_t accesses, hits, pending, misses;
	uint64_t crossed, evicted[SIDE_COUNT];
};

struct tlb_counters {
	uint64_t accesses, hits, pending, misses;
};

struct hierarchy_counters {
	struct cache_counters cache[CACHE_COUNT][SIDE_COUNT]; /* by enum hierarchy_cache */
	uint64_t write_backs[CACHE_COUNT], write_backs_saved[CACHE_COUNT];
	struct prefetch_events prefetch[CACHE_COUNT];
	struct tlb_counters tlb[SIDE_COUNT], tlb2[SIDE_COUNT];
	uint64_t walks[SIDE_COUNT], walk_loads, walk_misses;
	uint64_t memory_reads[SIDE_COUNT], memory_prefetches, memory_walks, memory_writes;
	uint64_t memory_busy, memory_queue, rows[3];
	uint64_t blocked;
};

/* What the inline paths need, side by side. Where the plain path must not be taken (the policy
 * or a prefetcher sees every hit, stores are written through) `keys` points at a single 0,
 * which no key equals. */
struct hierarchy_fast {
	const uint64_t *keys;
	struct cache_line *lines;
	const struct tlb_entry *entries;
	uint64_t set_mask;
	uint64_t tlb_set_mask;
	uint32_t ways;
	uint32_t tlb_ways;
	uint32_t latency_cycles;
	uint8_t line_bits;
	uint8_t page_bits;
};

struct hierarchy_level {
	struct cache cache;
	struct mshr mshr;
	uint32_t latency_cycles;
	bool limited; /* the number of its MSHRs is limited */
	unsigned prefetcher_count;
	struct prefetcher prefetcher[PREFETCH_KINDS];
};

struct hierarchy {
	struct hierarchy_fast fast[ACCESS_COUNT];
	struct hierarchy_plain plain[ACCESS_COUNT];
	struct hierarchy_level level[CACHE_COUNT];
	struct tlb tlb[SIDE_COUNT];
	struct tlb tlb2;
	struct walk_cache walk_cache;
	uint32_t tlb_miss_cycles[SIDE_COUNT];
	uint32_t tlb2_latency_cycles;
	bool has_tlb2, walks;
	unsigned last; /* the cache before memory: an enum hierarchy_cache */
	struct main_memory memory;
	bool write_through;
	bool limited;	/* some cache that data uses has a limit on its MSHRs */
	unsigned hides; /* enum hierarchy_hidden: the ideal switches */
	bool ideal_pending, ideal_walk, ideal_bandwidth;
	uint64_t no_key;	      /* always 0 */
	uint64_t dead_low, dead_high; /* the bytes from low on and below high; equal: none */
	struct memory_events events;
	/* What the last access did, apart from a plain hit; kept only if somebody asked. */
	struct memory_log_entry *log;
	size_t log_count, log_capacity;
	bool keeps_log;
	/* By event: whether the log leaves it out; whether it is put there. */
	bool log_omits[MEMORY_EVENT_COUNT], logs[MEMORY_EVENT_COUNT];
};

/* NULL with a sentence if the parameters describe no machine (a geometry that is
 * not one, an L2 line shorter than an L1 line, a line longer than a page ...).
 * The hierarchy belongs to the caller. What is allocated after this is a log, if one is
 * kept, and times at which memory is busy. */
struct hierarchy *hierarchy_create(const struct hierarchy_parameters *parameters, struct err *err);
/* Random replacement begins anew, from this seed in place of the parameters'. */
void hierarchy_seed(struct hierarchy *hierarchy, uint64_t seed);
void hierarchy_destroy(struct hierarchy *hierarchy);
/* From now on these latencies, numbers of MSHRs and ideal switches; all else must be as when it was
 * created. False with a sentence, and nothing has changed. Lines on their way arrive when they
 * would have. */
bool hierarchy_reconfigure(struct hierarchy *hierarchy,
			   const struct hierarchy_parameters *parameters, struct err *err);

/* Sums since the start; two such values subtract field by field. */
void hierarchy_count(const struct hierarchy *hierarchy, struct hierarchy_counters *counters);

/* Whether each access leaves in `log` what it did; off at first. A plain hit leaves nothing. */
void hierarchy_keep_log(struct hierarchy *hierarchy, bool keeps);
/* The log gets these events only; all at first. */
void hierarchy_log_only(struct hierarchy *hierarchy, const bool events[MEMORY_EVENT_COUNT]);

/* What is in [low, high) will be written before it is read; low = high: nothing is known of. */
static inline void hierarchy_set_dead(struct hierarchy *hierarchy, uint64_t low, uint64_t high)
{
	hierarchy->dead_low = low;
	hierarchy->dead_high = high;
}

/* The general path; the inline functions below call these when the access is not a plain hit. */
void hierarchy_access(struct hierarchy *hierarchy, enum hierarchy_operation operation, uint64_t pc,
		      uint64_t address, uint64_t now, struct access_result *result);
/* The same for an access that is spared something. A plain hit needs no relief. */
void hierarchy_access_spared(struct hierarchy *hierarchy, enum hierarchy_operation operation,
			     uint64_t pc, uint64_t address, uint64_t now,
			     struct access_relief relief, struct access_result *result);
enum memory_level hierarchy_touch(struct hierarchy *hierarchy, enum hierarchy_operation operation,
				  uint64_t pc, uint64_t address);

/* First byte of the side's L1 line that holds `address`. An access that reaches into
 * a second line (or page) is two accesses, made by the caller. */
static inline uint64_t hierarchy_line_of(const struct hierarchy *hierarchy,
					 enum hierarchy_side side, uint64_t address)
{
	return cache_line_address(&hierarchy->level[CACHE_L1I + side].cache, address);
}

/* The line if the access is a plain hit: most recent entry of its set in TLB and L1,
 * neither of them on its way, and not the first use of what a prefetcher brought in;
 * NULL otherwise. Then done_at is `now` + L1 latency. */
static inline struct cache_line *hierarchy_fast_line(const struct hierarchy_fast *fast,
						     uint64_t address, uint64_t now)
{
	uint64_t page = address >> fast->page_bits;
	uint64_t line = address >> fast->line_bits;
	const struct tlb_entry *entry =
		fast->entries + (page & fast->tlb_set_mask) * fast->tlb_ways;
	size_t first = (line & fast->set_mask) * fast->ways;

	if (UNLIKELY(fast->keys[first] != line + 1) || UNLIKELY(entry->key != page + 1) ||
	    UNLIKELY(fast->lines[first].ready_at > now + fast->latency_cycles) ||
	    UNLIKELY(fast->lines[first].flags & CACHE_LINE_PREFETCHED) ||
	    UNLIKELY(entry->ready_at > now))
		return NULL;
	return &fast->lines[first];
}

static inline void hierarchy_fast_result(uint64_t now, uint64_t done_at,
					 struct access_result *result)
{
	result->done_at = done_at;
	result->tlb_done_at = now;
	for (unsigned i = 0; i < MISS_LEVELS; i++)
		result->miss_until[i] = done_at;
	result->walk_cycles = result->queue_cycles = 0;
	result->level = result->tag_level = LEVEL_L1;
	result->tlb_miss = result->tlb_pending = result->pending = result->blocked = false;
}

/* The most frequent case of the three below, without a result to write: true if the access is
 * a plain hit, done at `now` + L1 latency; else nothing has happened. */
static inline bool hierarchy_hits(struct hierarchy *hierarchy, enum hierarchy_operation operation,
				  uint64_t address, uint64_t now)
{
	struct hierarchy_fast *fast = &hierarchy->fast[operation];
	struct cache_line *line = hierarchy_fast_line(fast, address, now);

	if (UNLIKELY(!line))
		return false;
	if (operation == ACCESS_STORE)
		line->flags |= CACHE_LINE_DIRTY;
	hierarchy->events.plain[operation]++;
	return true;
}

/* Whether both bytes are in one line of the side's L1. */
static inline bool hierarchy_same_line(const struct hierarchy *hierarchy, enum hierarchy_side side,
				       uint64_t a, uint64_t b)
{
	return (a ^ b) >> hierarchy->level[CACHE_L1I + side].cache.line_bits == 0;
}

/* Where an access that goes on beyond the line of a byte meets the next one, up to its last byte,
 * in whose line that is where it ends. */
static inline uint64_t hierarchy_next_line(const struct hierarchy *h, enum hierarchy_side side,
					   uint64_t address, uint64_t last)
{
	const unsigned bits = h->level[CACHE_L1I + side].cache.line_bits;
	const uint64_t next = ((address >> bits) + 1) << bits;

	return next >> bits == last >> bits ? last : next;
}

/* An instruction fetch from one line, in cycle `now`. */
static inline void hierarchy_fetch(struct hierarchy *hierarchy, uint64_t address, uint64_t now,
				   struct access_result *result)
{
	if (LIKELY(hierarchy_hits(hierarchy, ACCESS_FETCH, address, now)))
		hierarchy_fast_result(now, now + hierarchy->fast[ACCESS_FETCH].latency_cycles,
				      result);
	else
		hierarchy_access(hierarchy, ACCESS_FETCH, address, address, now, result);
}

/* A load of the instruction at `pc` from one line. */
static inline void hierarchy_load(struct hierarchy *hierarchy, uint64_t pc, uint64_t address,
				  uint64_t now, struct access_result *result)
{
	if (LIKELY(hierarchy_hits(hierarchy, ACCESS_LOAD, address, now)))
		hierarchy_fast_result(now, now + hierarchy->fast[ACCESS_LOAD].latency_cycles,
				      result);
	else
		hierarchy_access(hierarchy, ACCESS_LOAD, pc, address, now, result);
}

/* A store to one line, when it is written. */
static inline void hierarchy_store(struct hierarchy *hierarchy, uint64_t pc, uint64_t address,
				   uint64_t now, struct access_result *result)
{
	if (LIKELY(hierarchy_hits(hierarchy, ACCESS_STORE, address, now)))
		hierarchy_fast_result(now, now + hierarchy->fast[ACCESS_STORE].latency_cycles,
				      result);
	else
		hierarchy_access(hierarchy, ACCESS_STORE, pc, address, now, result);
}

/* A cycle later than any that occurs, so that every fill is complete. */
#define HIERARCHY_TIMELESS (UINT64_MAX >> 1)

/* The same without time, in program order: tags, replacement, TLBs, prefetchers and
 * counters as above, every fill complete at once, no MSHR. They return the first
 * level that held the line. For measuring and for warming; timed accesses may follow
 * or precede. */
static inline enum memory_level hierarchy_touch_quickly(struct hierarchy *hierarchy,
							enum hierarchy_operation operation,
							uint64_t pc, uint64_t address)
{
	if (UNLIKELY(!hierarchy_plain_hits(&hierarchy->plain[operation], operation == ACCESS_STORE,
					   pc, address)))
		return hierarchy_touch(hierarchy, operation, pc, address);
	hierarchy->events.plain[operation]++;
	return LEVEL_L1;
}

static inline enum memory_level hierarchy_touch_fetch(struct hierarchy *hierarchy, uint64_t address)
{
	return hierarchy_touch_quickly(hierarchy, ACCESS_FETCH, address, address);
}

static inline enum memory_level hierarchy_touch_load(struct hierarchy *hierarchy, uint64_t pc,
						     uint64_t address)
{
	return hierarchy_touch_quickly(hierarchy, ACCESS_LOAD, pc, address);
}

static inline enum memory_level hierarchy_touch_store(struct hierarchy *hierarchy, uint64_t pc,
						      uint64_t address)
{
	return hierarchy_touch_quickly(hierarchy, ACCESS_STORE, pc, address);
}

#endif

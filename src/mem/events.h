/*
 * events.h - everything that can happen in caches, TLBs and memory, each with the number of times
 * it has since the start.
 *
 * The struct is a list of 64-bit numbers in the shape of the machine: MEMORY_EVENT names one of
 * them by its place, so that a log of what a single access did is a list of such places.
 *
 * Look-ups are those of demand accesses; ideal switches do not change what is a hit or a miss, only
 * `pending`, which depends on time. Every look-up of a cache or TLB is exactly one of hit, pending
 * and miss, where a plain access stands for a hit in TLB and L1.
 */
#ifndef MEM_EVENTS_H
#define MEM_EVENTS_H

#include <stddef.h>
#include <stdint.h>

enum hierarchy_side { SIDE_INSTRUCTION, SIDE_DATA, SIDE_COUNT };
enum hierarchy_cache { CACHE_L1I, CACHE_L1D, CACHE_L2, CACHE_L3, CACHE_COUNT };
enum hierarchy_operation { ACCESS_FETCH, ACCESS_LOAD, ACCESS_STORE, ACCESS_COUNT };

/* Of the demand accesses of one side to one cache. */
struct cache_events {
	uint64_t hits;
	uint64_t pending; /* hits on a line on its way; they are the misses that merge */
	uint64_t misses;
	uint64_t crossed; /* hits, pending included, on lines that the other side brought in */
	uint64_t evicted[SIDE_COUNT]; /* lines this side pushed out, by who had brought them in */
};

struct tlb_events {
	uint64_t hits;
	uint64_t pending; /* waited for a walk under way */
	uint64_t misses;
};

struct prefetch_events {
	uint64_t issued; /* lines brought in */
	uint64_t useful; /* of these, asked for while there */
	uint64_t late;	 /* of the useful, still on their way when asked for */
	uint64_t unused; /* pushed out without having been asked for */
};

/* Data misses that take a register, or would if their number were limited. */
struct mshr_events {
	uint64_t taken;
	uint64_t cycles; /* for which they are held, in all */
};

struct memory_events {
	uint64_t plain[ACCESS_COUNT]; /* hits in TLB and L1 that take the inline path */
	struct cache_events cache[CACHE_COUNT][SIDE_COUNT]; /* without the plain hits */
	struct tlb_events tlb[SIDE_COUNT];		    /* without the plain hits */
	struct tlb_events tlb2[SIDE_COUNT]; /* look-ups after misses in the first level */
	uint64_t walks[SIDE_COUNT];	    /* translations that no TLB had */
	uint64_t walk_loads;		    /* page-table entries that walks loaded */
	uint64_t walk_misses;		    /* of these, not in the L1D */
	struct prefetch_events prefetch[CACHE_COUNT];
	struct mshr_events mshr[CACHE_COUNT];
	uint64_t write_backs[CACHE_COUNT]; /* dirty lines that left this cache and were written */
	uint64_t write_backs_saved[CACHE_COUNT]; /* and dirty lines that left it and were dead */
	uint64_t memory_reads[SIDE_COUNT];	 /* lines read on demand */
	uint64_t memory_prefetches;		 /* lines read for prefetchers */
	uint64_t memory_walks;			 /* lines read for page walks */
	uint64_t memory_writes;			 /* lines and written-through stores */
	uint64_t memory_busy;			 /* cycles for which lines occupy the channel */
	uint64_t memory_queue;			 /* cycles that requests wait for channel or bank */
	uint64_t rows[3];			 /* lines by enum memory_row, from ROW_HIT on */
	uint64_t blocked;			 /* attempts that found no MSHR */
};

/* The place of one of them: MEMORY_EVENT(cache[CACHE_L1D][SIDE_DATA].misses). */
#define MEMORY_EVENT(member) (offsetof(struct memory_events, member) / sizeof(uint64_t))
#define MEMORY_EVENT_COUNT   (sizeof(struct memory_events) / sizeof(uint64_t))

/* What one access did: an event may occur several times, or count for several. */
struct memory_log_entry {
	uint32_t event; /* MEMORY_EVENT */
	uint32_t amount;
};

#endif

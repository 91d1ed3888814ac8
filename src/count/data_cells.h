/*
 * data_cells.h - what accesses to data did, by the instruction that made them, the object that they
 * touched and the place in it; and by set of each cache.
 *
 * Objects have numbers, given by who counts; a place is an offset that he chooses, such as that of
 * a field. What holds: the accesses and misses of all cells, and those of all sets of a cache, are
 * those that the run counts on the data side, of wrong paths too (of these `wrong_*` are a part).
 * Prefetches, page walks and write-backs are no accesses.
 *
 * Slots are charged to the cell of the access that the oldest instruction waits for, by the rules
 * of slot_rule.h: those of causes that data has.
 *
 * Bounded: beyond DATA_CELLS_MOST cells, what an instruction does to further objects is that of
 * `other` at place 0; beyond as many pairs of a set and an object likewise.
 */
#ifndef COUNT_DATA_CELLS_H
#define COUNT_DATA_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "config/config.h"
#include "count/slot_rule.h"
#include "signal/cycle.h"

#define DATA_CELLS_MOST	  (1u << 18)
#define DATA_LEVELS	  3
#define DATA_CELLS_EVENTS (SLOT_RULE_EVENTS | EVENTS_ACCESSES)

/* Causes that the data side has, the first three by level. WALK and BANDWIDTH are of fetches too.
 */
enum data_cause {
	DATA_L1D,
	DATA_L2D,
	DATA_L3D,
	DATA_DTLB,
	DATA_MSHR,
	DATA_WALK,
	DATA_BANDWIDTH,
	DATA_CAUSES
};
extern const uint8_t data_causes[DATA_CAUSES]; /* enum cause */

struct data_counts {
	uint64_t accesses, stores,
		pending;	       /* look-ups in the L1D; of these by stores; see misses */
	uint64_t lookups[DATA_LEVELS]; /* by level; the first are the accesses */
	uint64_t misses[DATA_LEVELS];
	uint64_t tlb_misses, walks;
	uint64_t wrong_accesses, wrong_misses; /* of these, on wrong paths; misses in the L1D */
};

struct data_cell {
	uint64_t pc;
	/* The instruction whose access is waited for, if that is another: a store that waits for
	 * the store buffer. */
	uint64_t by;
	uint32_t object, place;
	struct data_counts counts;
	uint64_t slots[DATA_CAUSES];
};

/* Of one cache. */
struct data_sets {
	uint32_t count, ways, line_bytes;
	uint64_t *accesses, *misses;
};

struct data_pair {
	uint32_t set, object;
	uint64_t misses;
	uint8_t level;
};

/* Whom an access touches. */
struct data_touched {
	uint32_t object, place;
};
struct data_finder {
	struct data_touched (*find)(void *context, uint64_t pc, uint64_t address, bool stores);
	void *context;
	uint32_t other, fetch; /* numbers of objects: what has no cell; instructions fetched */
};

/* Open for reading. */
struct data_cells {
	struct data_finder finder;
	struct data_cell *cells;
	size_t count, capacity;
	struct index index;
	struct data_pair *pairs;
	size_t pair_count, pair_capacity;
	struct index pair_index;
	struct data_sets sets[DATA_LEVELS]; /* of the caches that there are */
	unsigned levels;
	struct slot_rule rule;
	uint64_t head_pc, head_by, head_address; /* looked up last */
	uint64_t head_changes;
	size_t head_cell;
	uint64_t changes; /* how often an address may have come to belong to another object */
};

void data_cells_init(struct data_cells *cells, const struct config *config,
		     const struct data_finder *finder);
void data_cells_release(struct data_cells *cells);
void data_cells_cycle(struct data_cells *cells, const struct cycle *cycle);
/* The place of a cell, which is made if it is not there. */
size_t data_cells_at(struct data_cells *cells, uint64_t pc, uint64_t by,
		     struct data_touched touched);

/* Gives the cells of one instruction, `count` of those in `mine`, its slots of each cause: as they
 * were charged, or else as all that it was charged for data, as its misses, as its accesses; to
 * fetches what of WALK and BANDWIDTH was charged to them. False if there is nobody to have them. */
bool data_cells_settle(struct data_cells *cells, const size_t *mine, size_t count,
		       const uint64_t wanted[DATA_CAUSES]);

void data_counts_add(struct data_counts *sum, const struct data_counts *more);

#endif

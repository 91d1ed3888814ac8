/*
 * retime_lanes.h - the times of retime.h on up to LANES machines at once. Inside count/retime*.c
 * only.
 *
 * The machines are lanes: what they keep is a row with one number of each, so that the host's
 * vector instructions do the same for all. Machines of one group have the same widths, sizes, units
 * and latencies, and differ in the causes that they have. Times are 32 bits wide: cycles since a
 * start of the lane's own, which is moved on before they overflow. No instruction completes more
 * than 2^24 cycles after the one before it has committed; a longer wait counts as that.
 */
#ifndef COUNT_RETIME_LANES_H
#define COUNT_RETIME_LANES_H

#include "count/retime_rule.h"

#define LANES 8

/* Recent stores by granule, lines and pages on their way. What is older has arrived. */
#define STORES	    512
#define LINES	    512
#define PAGES	    64
#define UNIT_CYCLES 256 /* cycles of the tables of units */

/* What all machines share of an instruction being timed. */
struct step {
	const struct cycle_waits *waits;	       /* NULL: none */
	uint32_t number, memory_number, branch_number; /* its own, or the next one's */
	uint16_t marks;				       /* of struct cycle_retired */
	uint8_t unit, kind, queue;
	uint8_t result;	    /* the register it writes; LANES_NOWHERE: none */
	uint8_t sources[3]; /* registers that it issues after; 0: none */
	uint8_t data;	    /* a store's data */
	bool begins_group;  /* after a taken branch, or in another line than the one before */
	bool waits_fetch;   /* on some machine */
	bool hits;	    /* a load that takes no path of its own on any machine */
	/* Indices in the tables; whether the entry found there is of this access. */
	uint16_t stores[2]; /* those of its first and its last byte */
	uint16_t store, data_line, far_line, page;
	bool has_store, covers, has_line, has_far_line, has_page;
	bool reads_store; /* and from nowhere else */
	bool misses_tlb, misses_l1, misses_l2, is_brought;
};

#define LANES_NOWHERE 65 /* beyond the registers */

struct lanes;

/* `count` is at most LANES. */
struct lanes *lanes_create(const struct config *machines, unsigned count,
			   const struct retime_limits *limits);
void lanes_destroy(struct lanes *lanes);
/* Writes the cycle in which instruction i commits on machine m to commits[m][first + i]. */
void lanes_time(struct lanes *lanes, const struct step *steps, unsigned count,
		uint64_t (*commits)[RETIME_BATCH], unsigned first);

#endif

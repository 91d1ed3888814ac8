/*
 * overlap.h - the number of cycles that a frontend and a long backend miss penalty share (Eyerman
 * et al. 2006, table 1).
 *
 * Counts cycles during a misprediction (from the branch's dispatch to the first dispatch after its
 * resolution) or during an I-side stall on the right path, in which the oldest instruction waits
 * for a miss of the last cache or the D-TLB; and those of them in which the window is full. Uses
 * knowledge of the right path.
 */
#ifndef COUNT_OVERLAP_H
#define COUNT_OVERLAP_H

#include "count/shadow.h"

struct overlap {
	enum component last_level;
	uint32_t rob_size;
	struct count_shadow shadow;
	uint64_t cycles, full_cycles;
};

/* As an observer: the caller frees it. */
void *overlap_create(const struct config *config, uint32_t slots);
void overlap_cycle(void *overlap, const struct cycle *cycle);

#endif

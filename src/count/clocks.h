/*
 * clocks.h - the machines whose times give a CPI stack: one on which nothing ever misses, and each
 * further one with one more cause. A component is what its cause adds to the time.
 *
 * The causes become real in the order of the truth (truth.h): the L1D, the branch predictor, then
 * the I-side, the L2 for data, the D-TLB, page walks, bandwidth, as in its order A. The I-side is
 * one cause: l1i, l2i and itlb share it in proportion to the waits of fetch, and a third
 * level of cache shares the second's.
 */
#ifndef COUNT_CLOCKS_H
#define COUNT_CLOCKS_H

#include "config/config.h"
#include "signal/cycle.h"
#include "value/component.h"

#define CLOCKS_MACHINES 16
#define CLOCKS_TERMS	16

/* The component is the time on `after` less that on `before`, which is CLOCKS_NONE for the base:
 * the time on `after`. The I-side is COMPONENT_L1I. */
#define CLOCKS_NONE UINT32_MAX
struct clocks_term {
	enum component component;
	uint32_t after, before;
};

struct clocks_plan {
	struct config machines[CLOCKS_MACHINES];
	unsigned machine_count;
	struct clocks_term terms[CLOCKS_TERMS];
	unsigned term_count;
	unsigned real; /* the machine that has every cause */
};

void clocks_plan(struct clocks_plan *plan, const struct config *config);

/* Adds an instruction's waits of fetch to those of l1i, l2i and itlb. */
void clocks_add_fetch(uint64_t sums[COMPONENT_COUNT], const struct cycle_waits *waits);
/* Splits the I-side, given as l1i, in proportion to waits; the three add up to what was given. */
void clocks_split_fetch(int64_t components[COMPONENT_COUNT], const uint64_t waits[COMPONENT_COUNT]);

#endif

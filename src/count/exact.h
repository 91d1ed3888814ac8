/*
 * exact.h - the stack this tool shows by default: every dispatch slot of every cycle is
 * charged to one instruction and one cause.
 *
 * A core that dispatches W instructions a cycle has W slots in it. One filled with an
 * instruction of the right path is `base`, that instruction's. A lost one goes to
 *   - the oldest instruction, if the window is full: to what it waits for;
 *   - the mispredicted branch, while its wrong path dispatches and until dispatch is once
 *     more kept busy, unless fetch then waits for an I-side miss. Slots in which the right
 *     path could not have dispatched either, because the window would have been full by
 *     then, are the oldest instruction's; and so are those in which a long data miss
 *     keeps that one, if the branch does not resolve before the miss has ended;
 *   - the fetch miss, if the front end had nothing to give because nothing had been fed
 *     into it as long ago as it is deep;
 *   - base, where the program itself could not fill it.
 * Slots add up to W times the cycles, exactly, in any grouping. Uses what hardware does
 * not know: which instructions are on the right path.
 */
#ifndef COUNT_EXACT_H
#define COUNT_EXACT_H

#include "count/count.h"

struct exact;

struct exact_row {
	uint64_t pc;
	uint64_t executed;
	uint64_t settled; /* of these, already in `slots` */
	uint64_t slots[CAUSE_COUNT];
};

struct exact_thread {
	uint32_t id;
	uint64_t slots[CAUSE_COUNT];
};

struct exact_interval {
	uint64_t instructions, cycles;
	uint64_t slots[CAUSE_COUNT];
};

/* Asks for intervals of about so many committed instructions; before the first record. */
void exact_set_interval(struct exact *exact, uint64_t instructions);
uint64_t exact_slots_per_cycle(const struct exact *exact);
/* Whole run, by cause. */
const uint64_t *exact_slots(struct exact *exact);
/* In no order; valid until the next record. */
const struct exact_row *exact_rows(struct exact *exact, size_t *count);
const struct exact_thread *exact_threads(struct exact *exact, size_t *count);
/* Ends the one under way. */
const struct exact_interval *exact_intervals(struct exact *exact, size_t *count);

#endif

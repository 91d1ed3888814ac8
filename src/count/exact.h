/*
 * exact.h - the stack that this tool shows by default: every dispatch slot of every cycle is
 * charged to one instruction and one cause.
 *
 * A core that dispatches W instructions per cycle has W slots per cycle. A slot filled with an
 * instruction of the right path is `base` of that instruction. A lost slot is charged to
 *   - what the oldest instruction waits for, if the window is full;
 *   - the mispredicted branch, while its wrong path dispatches and until dispatch is busy
 *     again, unless fetch then waits for an I-side miss. Slots in which the right path could
 *     not have dispatched either, because the window would have been full by then, are charged
 *     to the oldest instruction; so are slots in which it waits for a long data miss, if the
 *     branch does not resolve before the miss has ended;
 *   - the fetch miss, if no instruction has passed the front end because none was fed into it
 *     as many cycles ago as it is deep;
 *   - base, where the program itself could not fill it.
 * Slots add up to W times the cycles, exactly, in any grouping. Instructions that were dispatched
 * and not committed where a run was cut off have had slots, but were not executed. Not hardware: it
 * uses which instructions are on the right path.
 */
#ifndef COUNT_EXACT_H
#define COUNT_EXACT_H

#include "count/count.h"

struct exact;

struct exact_row {
	uint64_t pc;
	uint64_t dispatched; /* on the right path */
	uint64_t executed;   /* of these, committed */
	uint64_t settled;    /* the part of `dispatched` that is already in `slots` */
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

/* Requests intervals of about so many committed instructions; must be called before the first
 * record. */
void exact_set_interval(struct exact *exact, uint64_t instructions);
uint64_t exact_slots_per_cycle(const struct exact *exact);
/* Slots of the whole run, by cause. */
const uint64_t *exact_slots(struct exact *exact);
/* Rows in no particular order, valid until the next record. */
const struct exact_row *exact_rows(struct exact *exact, size_t *count);
const struct exact_thread *exact_threads(struct exact *exact, size_t *count);
/* Ends the current interval. */
const struct exact_interval *exact_intervals(struct exact *exact, size_t *count);

#endif

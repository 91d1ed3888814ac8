/*
 * held.h - when dispatch slots count as used behind a window that is full.
 *
 * Behind a full reorder buffer an instruction is dispatched in the cycle in which a commit makes
 * room, so the slots lost to the oldest instruction are the others of its cycles. The limit on
 * branches is felt in fetch: the instruction that a commit makes room for arrives as much later as
 * the front end is deep, behind the next oldest instruction or the one after that. A full issue
 * queue lets instructions in as others issue. For the same cycles to be charged to the same cause,
 * whatever fills the window, a slot counts as used in these two cases when an instruction commits,
 * and the slot in which the next one is dispatched counts as lost instead.
 *
 * Slots that count as used before they are used are owed. They are paid when the oldest instruction
 * waits and dispatch does not stop for either of the two reasons. With nothing owed a slot counts
 * as used when it is.
 */
#ifndef COUNT_HELD_H
#define COUNT_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "signal/cycle.h"

struct count_held {
	uint64_t owed;
};

/* Whether dispatch stops because of what the window holds. */
static inline bool count_held_is_full(const struct cycle *c)
{
	return (c->dispatch_stall >= DISPATCH_ROB && c->dispatch_stall <= DISPATCH_LSQ) ||
	       c->dispatch_stall == DISPATCH_BRANCHES;
}

/* Of `used` slots in each cycle of the record, all on the right path, those that count as used: at
 * most `width`, and more than `used` only if nothing of a wrong path is dispatched. */
static inline uint64_t count_held_used(struct count_held *held, const struct cycle *c,
				       uint64_t width, uint64_t used)
{
	uint64_t counts = used;

	if (c->repeat > 1 || (!count_held_is_full(c) && c->head_state <= HEAD_DONE))
		return used;
	if (c->dispatch_stall != DISPATCH_IQ && c->dispatch_stall != DISPATCH_BRANCHES)
		counts = 0;
	else if (c->dispatched == c->useful_dispatched)
		counts = c->committed < width ? c->committed : width;
	if (held->owed + counts < used)
		counts = used - held->owed;
	held->owed += counts - used;
	return counts;
}

#endif

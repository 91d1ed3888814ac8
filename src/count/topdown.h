/*
 * topdown.h - top-down analysis in dispatch slots (Yasin 2014), levels 1 and 2.
 *
 * A slot filled with an instruction that retires is retiring. A slot filled with one that is
 * squashed, or empty between a flush and the next dispatch, is bad speculation. A slot that is
 * empty because no instruction was available is frontend bound; one that is empty because the
 * window was full, or could not fill because of core.max_branches (held.h), is backend bound. Level
 * 2 splits frontend bound by whether no instruction was available in a cycle (latency) or too few
 * were (bandwidth), and backend bound by whether the oldest instruction waits for memory.
 * Mispredicted branches are the only bad speculation modelled.
 */
#ifndef COUNT_TOPDOWN_H
#define COUNT_TOPDOWN_H

#include "count/count.h"
#include "count/held.h"
#include "value/topdown.h"

struct topdown {
	uint32_t width;
	uint64_t lost[TOPDOWN_COUNT];
	uint64_t dispatched, retired, in_window;
	bool is_flushed;
	bool is_replaying; /* the flush was a replay */
	uint64_t again;	   /* slots of the right path filled again after a replay */
	struct count_held held;
	enum topdown_slot owed_to; /* what slots are lost to that are owed */
};

/* As an observer: the caller frees it. */
void *topdown_create(const struct config *config, uint32_t slots);
void topdown_cycle(void *topdown, const struct cycle *cycle);
/* Slots; they add up to the dispatch width times the cycles. What is in the window at the
 * end counts as retiring. */
void topdown_read(const struct topdown *topdown, uint64_t slots[TOPDOWN_COUNT]);

#endif

/*
 * topdown_rule.h - what the top-down analysis of topdown.h does with a record, for count_topdown.c
 * and count_usual.c. Inside count/ only.
 */
#ifndef COUNT_TOPDOWN_RULE_H
#define COUNT_TOPDOWN_RULE_H

#include "count/topdown.h"

static inline enum topdown_slot topdown_why_head_waits(const struct cycle *c, enum component head)
{
	bool waits_for_memory =
		head != COMPONENT_BASE || c->head_state == HEAD_STORE || c->head_state == HEAD_MSHR;

	return waits_for_memory ? TOPDOWN_MEMORY_BOUND : TOPDOWN_CORE_BOUND;
}

static inline enum topdown_slot topdown_why_lost(const struct topdown *topdown,
						 const struct cycle *c, enum component head)
{
	if (topdown->is_flushed)
		return topdown->is_replaying ? TOPDOWN_MACHINE_CLEARS : TOPDOWN_BRANCH_MISPREDICTS;
	if (c->dispatch_stall == DISPATCH_EMPTY)
		return c->dispatched ? TOPDOWN_FETCH_BANDWIDTH : TOPDOWN_FETCH_LATENCY;
	return topdown_why_head_waits(c, head);
}

/* Slots that count as used before they are were not lost to the oldest instruction; those that are
 * owed are lost to it. */
static inline void topdown_charge_held(struct topdown *topdown, const struct cycle *c,
				       enum component head)
{
	const uint64_t used = count_held_used(&topdown->held, c, topdown->width, c->dispatched);

	if (used == c->dispatched)
		return;
	topdown->owed_to = count_held_is_full(c) ? topdown_why_lost(topdown, c, head)
						 : topdown_why_head_waits(c, head);
	topdown->lost[topdown->owed_to] += c->dispatched - used;
}

/* `head` is that of count_head_miss. */
static inline __attribute__((always_inline)) void topdown_record(struct topdown *topdown,
								 const struct cycle *c,
								 enum component head)
{
	if (c->event_kinds & (EVENT_BIT(EVENT_MISPREDICT) | EVENT_BIT(EVENT_REPLAY))) {
		topdown->is_flushed = true;
		topdown->is_replaying = c->event_kinds & EVENT_BIT(EVENT_REPLAY);
	}
	if (c->dispatched)
		topdown->is_flushed = false;
	if (c->dispatched < topdown->width)
		topdown->lost[topdown_why_lost(topdown, c, head)] +=
			(topdown->width - c->dispatched) * c->repeat;
	if (count_held_is_full(c) || topdown->held.owed)
		topdown_charge_held(topdown, c, head);
	topdown->dispatched += c->dispatched * c->repeat;
	topdown->lost[TOPDOWN_MACHINE_CLEARS] += c->again_dispatched * c->repeat;
	topdown->again += c->again_dispatched * c->repeat;
	topdown->retired += c->committed * c->repeat;
	topdown->in_window = c->rob_used;
}

#endif

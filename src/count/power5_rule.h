/*
 * power5_rule.h - what power5 does with a record, for count_power5.c, which says what it counts,
 * and for count_usual.c. Inside count/ only.
 */
#ifndef COUNT_POWER5_RULE_H
#define COUNT_POWER5_RULE_H

#include "count/count.h"

struct power5 {
	uint64_t cycles[COMPONENT_COUNT];
	unsigned waits;	 /* FETCH_WAITS bits of the instruction that fetch waits for */
	bool is_flushed; /* a misprediction has resolved, and nothing has dispatched since */
};

/* The component of the last level that is waited for. */
static inline enum component power5_longest_wait(unsigned waits)
{
	if (waits & FETCH_WAIT_L3)
		return COMPONENT_L3I;
	if (waits & FETCH_WAIT_L2)
		return COMPONENT_L2I;
	return waits & FETCH_WAIT_L1 ? COMPONENT_L1I : COMPONENT_ITLB;
}

/* `delivered` are the FETCH_WAITS bits of the instruction that fetch delivers in this cycle. */
static inline enum component power5_why_empty(const struct power5 *power5, const struct cycle *c,
					      unsigned delivered, enum component fetch_stall)
{
	enum component stall = c->is_fronted ? COMPONENT_BASE : fetch_stall;
	unsigned waits = c->is_fronted ? c->front_waits : delivered;

	if (waits)
		return power5_longest_wait(waits);
	if (stall != COMPONENT_BASE)
		return stall;
	return power5->is_flushed ? COMPONENT_BRANCH : COMPONENT_BASE;
}

static inline enum component power5_why_not_completed(const struct cycle *c, enum component head)
{
	return c->head_state == HEAD_UNIT ? COMPONENT_RESOURCE : head;
}

/* Returns the FETCH_WAITS bits of the first instruction delivered. */
static inline unsigned power5_follow_fetch(struct power5 *power5, const struct cycle *c)
{
	unsigned delivered = 0;

	if (c->event_kinds & EVENT_BIT(EVENT_MISPREDICT)) {
		power5->is_flushed = true;
		power5->waits = 0;
	}
	if (c->event_kinds & EVENT_BIT(EVENT_REPLAY))
		power5->waits = 0;
	if (c->fetched) {
		delivered = power5->waits;
		power5->waits = 0;
	}
	if (c->event_kinds & EVENT_BIT(EVENT_FETCH_MISS))
		for (uint32_t i = 0; i < c->event_count; i++)
			if (c->events[i].kind == EVENT_FETCH_MISS)
				power5->waits |= c->events[i].detail & FETCH_WAITS;
	return delivered;
}

/* `stall` is that of count_fetch_stall, `head` of count_head_miss. */
static inline __attribute__((always_inline)) void power5_record(struct power5 *power5,
								const struct cycle *c,
								enum component stall,
								enum component head)
{
	enum component why = COMPONENT_BASE;
	unsigned delivered = power5_follow_fetch(power5, c);

	if (!c->committed)
		why = c->head_state == HEAD_EMPTY ? power5_why_empty(power5, c, delivered, stall)
						  : power5_why_not_completed(c, head);
	power5->cycles[why] += c->repeat;
	if (c->dispatched)
		power5->is_flushed = false;
}

#endif

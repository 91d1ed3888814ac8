/*
 * shadow.h - whether dispatch is after an unresolved mispredicted branch of the right path, or in
 * the refill after its resolution. There can be only one such branch at a time. Uses knowledge of
 * the right path.
 */
#ifndef COUNT_SHADOW_H
#define COUNT_SHADOW_H

#include "count/count.h"

struct count_shadow {
	bool is_wrong; /* the branch has dispatched and not resolved */
	/* The branch has resolved, and nothing of the right path has dispatched since. */
	bool is_refilling;
	/* A load is replayed, and nothing has dispatched for the first time since. */
	bool is_replaying;
};

/* For each event of a record, then count_shadow_end. */
static inline void count_shadow_event(struct count_shadow *shadow, const struct cycle_event *e)
{
	if (e->wrong_path)
		return;
	if (e->kind == EVENT_MISPREDICT) {
		shadow->is_wrong = false;
		shadow->is_refilling = true;
		shadow->is_replaying = false;
	} else if (e->kind == EVENT_REPLAY) {
		shadow->is_wrong = shadow->is_refilling = false;
		shadow->is_replaying = true;
	} else if (e->kind == EVENT_BRANCH_DISPATCH && e->mispredicted) {
		shadow->is_wrong = true;
	}
}

static inline void count_shadow_end(struct count_shadow *shadow, const struct cycle *c)
{
	if (c->useful_dispatched)
		shadow->is_refilling = shadow->is_replaying = false;
}

/* Both; it must be called for every record. */
static inline void count_shadow_follow(struct count_shadow *shadow, const struct cycle *c)
{
	bool may_matter = c->event_kinds & (EVENT_BIT(EVENT_MISPREDICT) | EVENT_BIT(EVENT_REPLAY) |
					    EVENT_BIT(EVENT_BRANCH_DISPATCH));

	for (uint32_t i = 0; may_matter && i < c->event_count; i++)
		count_shadow_event(shadow, &c->events[i]);
	count_shadow_end(shadow, c);
}

#endif

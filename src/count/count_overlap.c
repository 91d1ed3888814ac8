#include "count/overlap.h"

void overlap_init(struct overlap *overlap, const struct config *config)
{
	*overlap = (struct overlap){.last_level = COMPONENT_L1D + config->cache_levels - 1};
}

static bool in_frontend_penalty(const struct overlap *overlap, const struct cycle *c)
{
	return overlap->is_wrong || overlap->is_refilling ||
	       (count_fetch_stall(c) != COMPONENT_BASE && !c->wrong_path);
}

void overlap_cycle(struct overlap *overlap, const struct cycle *c)
{
	enum component head = count_head_miss(c);

	bool may_matter = c->event_kinds &
			  (COUNT_EVENT(EVENT_MISPREDICT) | COUNT_EVENT(EVENT_BRANCH_DISPATCH));

	for (uint32_t i = 0; may_matter && i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		if (e->wrong_path)
			continue;
		if (e->kind == EVENT_MISPREDICT) {
			overlap->is_wrong = false;
			overlap->is_refilling = true;
		} else if (e->kind == EVENT_BRANCH_DISPATCH && e->mispredicted) {
			overlap->is_wrong = true;
		}
	}
	if (c->useful_dispatched)
		overlap->is_refilling = false;
	if (c->committed || (head != overlap->last_level && head != COMPONENT_DTLB) ||
	    !in_frontend_penalty(overlap, c))
		return;
	overlap->cycles += c->repeat;
	if (count_is_full(c, false))
		overlap->full_cycles += c->repeat;
}

#include "count/overlap.h"

void overlap_init(struct overlap *overlap, const struct config *config)
{
	*overlap = (struct overlap){.last_level = COMPONENT_L1D + config->cache_levels - 1};
}

static bool in_frontend_penalty(const struct overlap *overlap, const struct cycle *c)
{
	return overlap->shadow.is_wrong || overlap->shadow.is_refilling ||
	       (count_fetch_stall(c) != COMPONENT_BASE && !c->wrong_path);
}

void overlap_cycle(struct overlap *overlap, const struct cycle *c)
{
	enum component head = count_head_miss(c);

	count_shadow_follow(&overlap->shadow, c);
	if (c->committed || (head != overlap->last_level && head != COMPONENT_DTLB) ||
	    !in_frontend_penalty(overlap, c))
		return;
	overlap->cycles += c->repeat;
	if (count_is_full(c, false))
		overlap->full_cycles += c->repeat;
}

#include "count/overlap.h"

#include <stdlib.h>

#include "base/array.h"

void *overlap_create(const struct config *config, uint32_t slots)
{
	struct overlap *overlap = mem_alloc(sizeof(*overlap));

	(void)slots;
	*overlap = (struct overlap){.last_level = component_long(config->cache_levels),
				    .rob_size = config->rob_size};
	return overlap;
}

static bool in_frontend_penalty(const struct overlap *overlap, const struct cycle *c)
{
	return overlap->shadow.is_wrong || overlap->shadow.is_refilling ||
	       (count_fetch_stall(c) != COMPONENT_BASE && !c->wrong_path);
}

void overlap_cycle(void *observer, const struct cycle *c)
{
	struct overlap *overlap = observer;
	enum component head = count_head_miss(c);

	count_shadow_follow(&overlap->shadow, c);
	if (c->committed || (head != overlap->last_level && head != COMPONENT_DTLB) ||
	    !in_frontend_penalty(overlap, c))
		return;
	overlap->cycles += c->repeat;
	if (count_is_full(c, overlap->rob_size, false))
		overlap->full_cycles += c->repeat;
}

static void describe(const struct observer_kind *kind, void *observer, json_t *result)
{
	const struct overlap *overlap = observer;

	json_object_set_new(result, kind->name,
			    json_pack("{s:I, s:I}", "cycles", (json_int_t)overlap->cycles,
				      "full_cycles", (json_int_t)overlap->full_cycles));
}

const struct observer_kind count_overlap = {
	.name = "overlap",
	.summary = "cycles that a frontend and a long data miss penalty share",
	.needs_ooo = true,
	.events = EVENTS_USUAL,
	.create = overlap_create,
	.cycle = overlap_cycle,
	.describe = describe,
	.destroy = free,
};

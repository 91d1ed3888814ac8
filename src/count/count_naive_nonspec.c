/* naive-nonspec: an instruction is tagged with its misses, and the tags are counted when it
 * commits. Stores miss after they have committed. */
#include <stdlib.h>

#include "count/naive.h"

static void cycle(void *counter, const struct cycle *c)
{
	struct naive *naive = counter;

	if (!(c->event_kinds & (EVENT_BIT(EVENT_COMMIT) | EVENT_BIT(EVENT_STORE_MISS))))
		return;
	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		/* Most events are correctly predicted branches without misses. */
		if ((e->kind != EVENT_COMMIT && e->kind != EVENT_STORE_MISS) ||
		    (e->detail & ~COMMIT_TAKEN) == COMMIT_BRANCH)
			continue;
		naive_add(naive, e->detail);
		naive->misses[COMPONENT_BRANCH] += !!(e->detail & COMMIT_MISPREDICTED);
	}
}

/* A tag for each kind of miss, in every entry of the reorder buffer. */
static uint64_t bits(const struct config *config)
{
	return count_global_bits(config) + config->rob_size * (2 * config->cache_levels + 2 + 1);
}

const struct observer_kind count_naive_nonspec = {
	.name = "naive-nonspec",
	.summary = "naive, counting only instructions that commit",
	.needs_ooo = true,
	.is_hardware = true,
	.is_usual = true,
	.events = EVENTS_USUAL,
	.create = naive_create,
	.cycle = cycle,
	.read = naive_read,
	.describe = naive_describe,
	.bits = bits,
	.destroy = free,
};

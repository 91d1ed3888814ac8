/* naive-nonspec: an instruction is tagged with its misses, and the tags are counted when it
 * commits. Stores miss after they have committed. */
#include <stdlib.h>

#include "count/naive.h"
#include "count/usual.h"

static void cycle(void *counter, const struct cycle *c)
{
	if (!(c->event_kinds & (EVENT_BIT(EVENT_COMMIT) | EVENT_BIT(EVENT_STORE_MISS))))
		return;
	for (uint32_t i = 0; i < c->event_count; i++)
		if (c->events[i].kind == EVENT_COMMIT || c->events[i].kind == EVENT_STORE_MISS)
			naive_add_commit(counter, &c->events[i]);
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
	.group = &count_usual,
	.read = naive_read,
	.describe = naive_describe,
	.bits = bits,
	.destroy = free,
};

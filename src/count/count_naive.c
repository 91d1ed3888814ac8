/* naive: counts every miss of loads and stores, on right and wrong paths. */
#include <stdlib.h>

#include "count/naive.h"
#include "count/usual.h"

static void cycle(void *counter, const struct cycle *c)
{
	struct naive *naive = counter;

	const uint32_t misses = EVENT_BIT(EVENT_FETCH_MISS) | EVENT_BIT(EVENT_LOAD_MISS) |
				EVENT_BIT(EVENT_STORE_MISS);

	if (!(c->event_kinds & (misses | EVENT_BIT(EVENT_MISPREDICT))))
		return;
	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		if (e->kind == EVENT_MISPREDICT)
			naive->misses[COMPONENT_BRANCH]++;
		else if (EVENT_BIT(e->kind) & misses)
			naive_add(naive, e->detail);
	}
}

const struct observer_kind count_naive = {
	.name = "naive",
	.summary = "misses times a fixed penalty; base is what remains",
	.is_hardware = true,
	.is_usual = true,
	.events = EVENTS_USUAL,
	.create = naive_create,
	.cycle = cycle,
	.group = &count_usual,
	.read = naive_read,
	.describe = naive_describe,
	.bits = count_global_bits,
	.destroy = free,
};

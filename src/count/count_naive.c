/* naive: every miss counts, of loads and stores, on right and wrong paths. */
#include <stdlib.h>

#include "count/naive.h"

static void cycle(void *counter, const struct cycle *c)
{
	struct naive *naive = counter;

	if (!(c->event_kinds & ~(COUNT_EVENT(EVENT_COMMIT) | COUNT_EVENT(EVENT_BRANCH_FETCH) |
				 COUNT_EVENT(EVENT_BRANCH_DISPATCH))))
		return;
	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		if (e->kind == EVENT_MISPREDICT)
			naive->misses[COMPONENT_BRANCH]++;
		else if (e->kind >= EVENT_FETCH_MISS)
			naive_add(naive, e->detail);
	}
}

const struct count_kind count_naive = {
	.name = "naive",
	.summary = "misses times fixed penalties",
	.is_hardware = true,
	.create = naive_create,
	.cycle = cycle,
	.read = naive_read,
	.bits = count_global_bits,
	.destroy = free,
};

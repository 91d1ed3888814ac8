/* power5: counts at completion. A cycle that commits nothing is charged to its reason: with an
 * empty window to what keeps it empty, else to what its oldest instruction waits for. (Mericas
 * 2006; Eyerman et al. 2006, section 2.) */
#include <stdlib.h>

#include "base/array.h"
#include "count/count.h"

struct power5 {
	uint64_t cycles[COMPONENT_COUNT];
	unsigned waits;	 /* FETCH_WAITS bits of the instruction that fetch waits for */
	bool is_flushed; /* a misprediction has resolved, and nothing has dispatched since */
};

static void *create(const struct config *config, uint32_t slots)
{
	(void)config;
	(void)slots;
	return mem_alloc(sizeof(struct power5));
}

/* The component of the last level that is waited for. */
static enum component longest_wait(unsigned waits)
{
	if (waits & FETCH_WAIT_L3)
		return COMPONENT_L3I;
	if (waits & FETCH_WAIT_L2)
		return COMPONENT_L2I;
	return waits & FETCH_WAIT_L1 ? COMPONENT_L1I : COMPONENT_ITLB;
}

/* `delivered` are the FETCH_WAITS bits of the instruction that fetch delivers in this cycle. */
static enum component why_empty(const struct power5 *power5, const struct cycle *c,
				unsigned delivered)
{
	enum component stall = c->is_fronted ? COMPONENT_BASE : count_fetch_stall(c);
	unsigned waits = c->is_fronted ? c->front_waits : delivered;

	if (waits)
		return longest_wait(waits);
	if (stall != COMPONENT_BASE)
		return stall;
	return power5->is_flushed ? COMPONENT_BRANCH : COMPONENT_BASE;
}

static enum component why_not_completed(const struct cycle *c)
{
	return c->head_state == HEAD_UNIT ? COMPONENT_RESOURCE : count_head_miss(c);
}

/* Returns the FETCH_WAITS bits of the first instruction delivered. */
static unsigned follow_fetch(struct power5 *power5, const struct cycle *c)
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

static void cycle(void *counter, const struct cycle *c)
{
	struct power5 *power5 = counter;
	enum component why = COMPONENT_BASE;
	unsigned delivered = follow_fetch(power5, c);

	if (!c->committed)
		why = c->head_state == HEAD_EMPTY ? why_empty(power5, c, delivered)
						  : why_not_completed(c);
	power5->cycles[why] += c->repeat;
	if (c->dispatched)
		power5->is_flushed = false;
}

static void read(const void *counter, uint64_t cycles, struct stack *stack)
{
	const struct power5 *power5 = counter;

	(void)cycles;
	for (unsigned i = 0; i < COMPONENT_COUNT; i++)
		stack->cycles[i] = (int64_t)power5->cycles[i];
}

/* The storage: FETCH_WAITS bits for every instruction in the window, and a bit for is_flushed. */
static uint64_t bits(const struct config *config)
{
	return count_global_bits(config) + config->rob_size * (config->cache_levels + 1) + 1;
}

const struct observer_kind count_power5 = {
	.name = "power5",
	.summary = "cycles in which nothing commits, by what keeps the oldest instruction",
	.needs_ooo = true,
	.is_hardware = true,
	.charges_base = true,
	.is_usual = true,
	.events = EVENTS_USUAL,
	.create = create,
	.cycle = cycle,
	.read = read,
	.bits = bits,
	.destroy = free,
};

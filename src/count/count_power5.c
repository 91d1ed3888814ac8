/* power5: counts at completion. A cycle that commits nothing is charged to its reason: with an
 * empty window to what keeps it empty, else to what its oldest instruction waits for. (Mericas
 * 2006; Eyerman et al. 2006, section 2.) */
#include <stdlib.h>

#include "base/array.h"
#include "count/power5_rule.h"
#include "count/usual.h"

static void *create(const struct config *config, uint32_t slots)
{
	(void)config;
	(void)slots;
	return mem_alloc(sizeof(struct power5));
}

static void cycle(void *counter, const struct cycle *c)
{
	power5_record(counter, c, count_fetch_stall(c), count_head_miss(c));
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
	.group = &count_usual,
	.read = read,
	.bits = bits,
	.destroy = free,
};

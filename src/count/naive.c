#include "count/naive.h"

#include "base/array.h"
#include "core/shape.h"
#include "mem/page_walk.h"

void *naive_create(const struct config *config, uint32_t slots)
{
	struct naive *naive = mem_alloc(sizeof(*naive));

	(void)slots;
	naive->config = *config;
	return naive;
}

void naive_add(struct naive *naive, unsigned detail)
{
	static const struct {
		uint16_t bit;
		uint8_t component;
	} rows[] = {
		{FETCH_MISS_TLB, COMPONENT_ITLB}, {FETCH_MISS_L1, COMPONENT_L1I},
		{FETCH_MISS_L2, COMPONENT_L2I},	  {FETCH_MISS_L3, COMPONENT_L3I},
		{DATA_MISS_TLB, COMPONENT_DTLB},  {DATA_MISS_L1, COMPONENT_L1D},
		{DATA_MISS_L2, COMPONENT_L2D},	  {DATA_MISS_L3, COMPONENT_L3D},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		naive->misses[rows[i].component] += !!(detail & rows[i].bit);
}

void naive_describe(const struct observer_kind *kind, void *counter, json_t *result)
{
	const struct naive *naive = counter;
	struct stack misses;

	for (unsigned i = 0; i < COMPONENT_COUNT; i++)
		misses.cycles[i] = (int64_t)naive->misses[i];
	json_t *counts = observer_components(&naive->config, &misses);
	json_object_del(counts, component_rows[COMPONENT_BASE].name);
	json_object_del(counts, component_rows[COMPONENT_RESOURCE].name);
	json_object_set_new(observer_member(result, "misses"), kind->name, counts);
}

/* The latency that a miss in the given level waits for. */
static uint64_t next_latency(const struct config *config, unsigned level)
{
	if (level == config->cache_levels)
		return config->memory_latency;
	return level == 1 ? config->l2_latency : config->l3_latency;
}

/* A page walk counts as one whose loads all hit. */
static uint64_t tlb_latency(const struct config *config, uint32_t miss_cycles)
{
	return (config->tlb2_entries ? config->tlb2_latency : 0) +
	       (config->tlb_miss == TLB_MISS_WALK ? PAGE_WALK_LEVELS * config->l1d_latency
						  : miss_cycles);
}

void naive_read(const void *counter, uint64_t cycles, struct stack *stack)
{
	const struct naive *naive = counter;
	const struct config *c = &naive->config;
	uint64_t penalty[COMPONENT_COUNT] = {
		[COMPONENT_ITLB] = tlb_latency(c, c->itlb_miss),
		[COMPONENT_DTLB] = tlb_latency(c, c->dtlb_miss),
		[COMPONENT_BRANCH] = shape_mispredict_cycles(c),
	};

	for (unsigned level = 1; level <= c->cache_levels; level++)
		penalty[COMPONENT_L1I + level - 1] = penalty[COMPONENT_L1D + level - 1] =
			next_latency(c, level);
	penalty[COMPONENT_L1I] += shape_fill_cycles(c, c->l1i_line);
	penalty[COMPONENT_L1D] += shape_fill_cycles(c, c->l1d_line);
	*stack = (struct stack){0};
	for (unsigned i = 0; i < COMPONENT_COUNT; i++)
		stack->cycles[i] = (int64_t)(naive->misses[i] * penalty[i]);
	stack->cycles[COMPONENT_BASE] = (int64_t)cycles - stack_sum(stack);
}

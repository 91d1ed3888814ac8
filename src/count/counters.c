#include "count/counters.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"

struct counters {
	const struct count_kind **kinds;
	void **items;
	size_t count;
	unsigned views;
	struct config config;
	struct topdown topdown;
	struct stages stages;
	struct overlap overlap;
	uint64_t cycles;
};

struct counters *counters_create(const struct config *config, const struct count_kind *const *kinds,
				 unsigned views)
{
	struct counters *counters = mem_alloc(sizeof(*counters));

	if (!kinds)
		kinds = count_kinds;
	counters->config = *config;
	counters->views = views;
	while (kinds[counters->count])
		counters->count++;
	counters->kinds = mem_alloc_array(counters->count, sizeof(*counters->kinds));
	counters->items = mem_alloc_array(counters->count, sizeof(*counters->items));
	for (size_t i = 0; i < counters->count; i++) {
		counters->kinds[i] = kinds[i];
		counters->items[i] = kinds[i]->create(config, ooo_in_flight(config));
	}
	topdown_init(&counters->topdown, config);
	stages_init(&counters->stages, config);
	overlap_init(&counters->overlap, config);
	return counters;
}

void counters_destroy(struct counters *counters)
{
	if (!counters)
		return;
	for (size_t i = 0; i < counters->count; i++)
		counters->kinds[i]->destroy(counters->items[i]);
	free(counters->kinds);
	free(counters->items);
	free(counters);
}

static void see(void *context, const struct cycle *cycle)
{
	struct counters *counters = context;

	for (size_t i = 0; i < counters->count; i++)
		counters->kinds[i]->cycle(counters->items[i], cycle);
	if (counters->views & COUNTERS_TOPDOWN)
		topdown_cycle(&counters->topdown, cycle);
	if (counters->views & COUNTERS_STAGES)
		stages_cycle(&counters->stages, cycle);
	if (counters->views & COUNTERS_OVERLAP)
		overlap_cycle(&counters->overlap, cycle);
	counters->cycles += cycle->repeat;
}

void counters_attach(struct counters *counters, struct simulation *simulation)
{
	simulation_attach(simulation, (struct observer){see, counters});
}

static bool sums_to(const char *name, uint64_t sum, uint64_t expected, struct err *err)
{
	return sum == expected || err_set(err,
					  "internal error: the components of %s add up to %" PRIu64
					  " instead of %" PRIu64 "; please report this",
					  name, sum, expected);
}

static bool check_kind(const struct counters *counters, size_t i, struct err *err)
{
	const struct count_kind *kind = counters->kinds[i];
	struct stack stack;

	counters_read(counters, i, &stack);
	for (enum component k = COMPONENT_BASE; k < COMPONENT_COUNT; k++) {
		bool may_be_negative = k == COMPONENT_BASE && !kind->charges_base;

		if (stack.cycles[k] < 0 && !may_be_negative)
			return err_set(err,
				       "internal error: %s charges %" PRId64
				       " cycles to %s; please report this",
				       kind->name, stack.cycles[k], component_rows[k].name);
		if (stack.cycles[k] && !component_exists(counters->config.cache_levels, k))
			return err_set(err,
				       "internal error: %s charges cycles to %s, which this "
				       "machine does not have; please report this",
				       kind->name, component_rows[k].name);
	}
	return sums_to(kind->name, (uint64_t)stack_sum(&stack), counters->cycles, err);
}

static bool check_topdown(const struct counters *counters, struct err *err)
{
	uint64_t slots[TOPDOWN_COUNT], sum = 0;

	topdown_read(&counters->topdown, slots);
	for (unsigned i = 0; i < TOPDOWN_COUNT; i++)
		sum += slots[i];
	return sums_to("topdown", sum, counters->cycles * counters->topdown.width, err);
}

static bool check_stages(const struct counters *counters, struct err *err)
{
	for (enum stage_view view = STAGE_DISPATCH; view < STAGE_COUNT; view++) {
		struct stack stack;

		stages_read(&counters->stages, view, &stack);
		if (!sums_to(stage_view_name(view), (uint64_t)stack_sum(&stack), counters->cycles,
			     err))
			return false;
	}
	return true;
}

bool counters_check(const struct counters *counters, struct err *err)
{
	for (size_t i = 0; i < counters->count; i++)
		if (!check_kind(counters, i, err))
			return false;
	return (!(counters->views & COUNTERS_TOPDOWN) || check_topdown(counters, err)) &&
	       (!(counters->views & COUNTERS_STAGES) || check_stages(counters, err));
}

const struct config *counters_config(const struct counters *counters)
{
	return &counters->config;
}

uint64_t counters_cycles(const struct counters *counters)
{
	return counters->cycles;
}

size_t counters_count(const struct counters *counters)
{
	return counters->count;
}

const struct count_kind *counters_kind(const struct counters *counters, size_t i)
{
	return counters->kinds[i];
}

void counters_read(const struct counters *counters, size_t i, struct stack *stack)
{
	counters->kinds[i]->read(counters->items[i], counters->cycles, stack);
}

void *counters_of(const struct counters *counters, const struct count_kind *kind)
{
	for (size_t i = 0; i < counters->count; i++)
		if (counters->kinds[i] == kind)
			return counters->items[i];
	return NULL;
}

const struct topdown *counters_topdown(const struct counters *counters)
{
	return counters->views & COUNTERS_TOPDOWN ? &counters->topdown : NULL;
}

const struct stages *counters_stages(const struct counters *counters)
{
	return counters->views & COUNTERS_STAGES ? &counters->stages : NULL;
}

const struct overlap *counters_overlap(const struct counters *counters)
{
	return counters->views & COUNTERS_OVERLAP ? &counters->overlap : NULL;
}

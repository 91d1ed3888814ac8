#include "count/counters.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"

struct counters {
	const struct count_kind *const *kinds;
	void **items;
	size_t count;
	struct config config;
	struct topdown topdown;
	struct stages stages;
	struct overlap overlap;
	uint64_t cycles;
};

struct counters *counters_create(const struct config *config, const struct count_kind *const *kinds)
{
	struct counters *counters = mem_alloc(sizeof(*counters));

	counters->kinds = kinds ? kinds : count_kinds;
	counters->config = *config;
	while (counters->kinds[counters->count])
		counters->count++;
	counters->items = mem_alloc_array(counters->count, sizeof(*counters->items));
	for (size_t i = 0; i < counters->count; i++)
		counters->items[i] = counters->kinds[i]->create(config, ooo_in_flight(config));
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
	free(counters->items);
	free(counters);
}

static void see(void *context, const struct cycle *cycle)
{
	struct counters *counters = context;

	for (size_t i = 0; i < counters->count; i++)
		counters->kinds[i]->cycle(counters->items[i], cycle);
	topdown_cycle(&counters->topdown, cycle);
	stages_cycle(&counters->stages, cycle);
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
				       kind->name, stack.cycles[k], component_name(k));
		if (stack.cycles[k] && !component_exists(&counters->config, k))
			return err_set(err,
				       "internal error: %s charges cycles to %s, which this "
				       "machine does not have; please report this",
				       kind->name, component_name(k));
	}
	return sums_to(kind->name, (uint64_t)stack_sum(&stack), counters->cycles, err);
}

bool counters_check(const struct counters *counters, struct err *err)
{
	uint64_t slots[TOPDOWN_COUNT], sum = 0;
	struct stack stack;

	for (size_t i = 0; i < counters->count; i++)
		if (!check_kind(counters, i, err))
			return false;
	topdown_read(&counters->topdown, slots);
	for (unsigned i = 0; i < TOPDOWN_COUNT; i++)
		sum += slots[i];
	if (!sums_to("topdown", sum, counters->cycles * counters->topdown.width, err))
		return false;
	for (enum stage_view view = STAGE_DISPATCH; view < STAGE_COUNT; view++) {
		stages_read(&counters->stages, view, &stack);
		if (!sums_to(stage_view_name(view), (uint64_t)stack_sum(&stack), counters->cycles,
			     err))
			return false;
	}
	return true;
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
	return &counters->topdown;
}

const struct stages *counters_stages(const struct counters *counters)
{
	return &counters->stages;
}

const struct overlap *counters_overlap(const struct counters *counters)
{
	return &counters->overlap;
}

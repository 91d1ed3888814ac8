#include "machine/observer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "machine/cycle_batch.h"
#include "machine/observer_thread.h"
#include "machine/simulation.h"

struct observers {
	const struct observer_kind **kinds;
	void **items;
	size_t count;
	/* A group all of whose kinds are in the set, and its observers; NULL: none. */
	const struct observer_group *group;
	void **together;
	struct config config;
	uint64_t cycles;
	struct observer_thread *thread; /* in which they observe; NULL: that of the core */
	struct cycle_batch *batch;	/* without a thread, the records to see next; or NULL */
	struct observers *self;		/* which catching up with the core changes */
};

static void *find(const struct observers *set, const struct observer_kind *kind)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->kinds[i] == kind)
			return set->items[i];
	return NULL;
}

static bool has_all(const struct observers *set, const struct observer_group *group)
{
	for (size_t i = 0; i < group->count; i++)
		if (!find(set, group->kinds[i]))
			return false;
	return true;
}

/* The first group that is whole. */
static void find_group(struct observers *set)
{
	for (size_t i = 0; i < set->count && !set->group; i++)
		if (set->kinds[i]->group && has_all(set, set->kinds[i]->group))
			set->group = set->kinds[i]->group;
	if (!set->group)
		return;
	set->together = mem_alloc_array(set->group->count, sizeof(*set->together));
	for (size_t i = 0; i < set->group->count; i++)
		set->together[i] = find(set, set->group->kinds[i]);
}

struct observers *observers_create(const struct config *config,
				   const struct observer_kind *const *kinds)
{
	struct observers *set = mem_alloc(sizeof(*set));
	const struct core_kind *core = core_kind_of(config, NULL);

	BUG_ON(!core);
	set->self = set;
	set->config = *config;
	while (kinds[set->count])
		set->count++;
	set->kinds = mem_alloc_array(set->count, sizeof(*set->kinds));
	set->items = mem_alloc_array(set->count, sizeof(*set->items));
	for (size_t i = 0; i < set->count; i++) {
		set->kinds[i] = kinds[i];
		set->items[i] = kinds[i]->create(config, core->in_flight(config));
	}
	find_group(set);
	return set;
}

static void observe(void *context, const struct cycle *cycles, size_t count)
{
	struct observers *set = context;

	for (size_t i = 0; i < count; i++)
		set->cycles += cycles[i].repeat;
	for (size_t k = 0; k < set->count; k++) {
		const struct observer_kind *kind = set->kinds[k];

		if (set->group && kind->group == set->group && find(set, kind) == set->items[k])
			continue;
		if (kind->cycles)
			kind->cycles(set->items[k], cycles, count);
		for (size_t i = 0; i < count && !kind->cycles; i++)
			kind->cycle(set->items[k], &cycles[i]);
	}
	if (set->group)
		set->group->cycles(set->together, cycles, count);
}

/* Lets them see all records so far. */
static void catch_up(const struct observers *set)
{
	struct cycle_batch *batch = set->batch;

	observer_thread_drain(set->thread);
	if (!batch || !batch->count)
		return;
	observe(set->self, batch->records, batch->count);
	cycle_batch_clear(batch);
}

static void when_full(void *context, const struct cycle *cycle)
{
	(void)cycle;
	catch_up(context);
}

/* Without a batch. */
static void observe_single(void *context, const struct cycle *cycle)
{
	observe(context, cycle, 1);
}

void observers_destroy(struct observers *set)
{
	if (!set)
		return;
	observer_thread_drain(set->thread);
	for (size_t i = 0; i < set->count; i++)
		set->kinds[i]->destroy(set->items[i]);
	free(set->kinds);
	free(set->items);
	free(set->together);
	cycle_batch_destroy(set->batch);
	free(set);
}

void observers_use_thread(struct observers *set, struct observer_thread *thread)
{
	set->thread = thread;
}

void observers_attach(struct observers *set, struct simulation *simulation)
{
	uint32_t events = 0;

	for (size_t i = 0; i < set->count; i++)
		events |= set->kinds[i]->events;
	if (set->thread) {
		observer_thread_begin_batch(set->thread,
					    (struct batch_observer){observe, set, events});
		simulation_write_to(simulation, observer_thread_lists(set->thread));
		simulation_attach(simulation,
				  (struct observer){observer_thread_take, set->thread, events});
	} else {
		struct cycle_batch *batch = cycle_batch_create();

		BUG_ON(set->batch);
		if (simulation_attach_batch(simulation, batch,
					    (struct observer){when_full, set, events})) {
			set->batch = batch;
		} else {
			cycle_batch_destroy(batch);
			simulation_attach(simulation,
					  (struct observer){observe_single, set, events});
		}
	}
}

bool observer_adds_up(const char *name, uint64_t sum, uint64_t expected, struct err *err)
{
	return sum == expected || err_tool(err,
					   "internal error: the components of %s add up to %" PRIu64
					   " instead of %" PRIu64 "; please report this",
					   name, sum, expected);
}

static bool check_stack(const struct observers *set, size_t i, struct err *err)
{
	const struct observer_kind *kind = set->kinds[i];
	struct stack stack;

	kind->read(set->items[i], set->cycles, &stack);
	for (enum component k = COMPONENT_BASE; k < COMPONENT_COUNT; k++) {
		bool may_be_negative = k == COMPONENT_BASE && !kind->charges_base;

		if (stack.cycles[k] < 0 && !may_be_negative)
			return err_tool(err,
					"internal error: %s charges %" PRId64
					" cycles to %s; please report this",
					kind->name, stack.cycles[k], component_rows[k].name);
		if (stack.cycles[k] && !observer_has_component(&set->config, k))
			return err_tool(err,
					"internal error: %s charges cycles to %s, which this "
					"machine does not have; please report this",
					kind->name, component_rows[k].name);
	}
	return observer_adds_up(kind->name, (uint64_t)stack_sum(&stack), set->cycles, err);
}

bool observers_check(const struct observers *set, struct err *err)
{
	catch_up(set);
	for (size_t i = 0; i < set->count; i++) {
		const struct observer_kind *kind = set->kinds[i];

		if ((kind->read && !check_stack(set, i, err)) ||
		    (kind->check && !kind->check(set->items[i], set->cycles, err)))
			return false;
	}
	return true;
}

bool observer_has_component(const struct config *config, enum component component)
{
	if (component == COMPONENT_WALK)
		return config->tlb_miss == TLB_MISS_WALK;
	if (component == COMPONENT_BANDWIDTH)
		return config->memory_line || config->memory_kind == MEMORY_DRAM;
	return component_exists(config->cache_levels, component);
}

json_t *observer_components(const struct config *config, const struct stack *stack)
{
	json_t *object = json_object();

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		if (observer_has_component(config, i))
			json_object_set_new(object, component_rows[i].name,
					    json_integer(stack->cycles[i]));
	return object;
}

json_t *observer_member(json_t *result, const char *name)
{
	json_t *member = json_object_get(result, name);

	if (!member) {
		member = json_object();
		json_object_set_new(result, name, member);
	}
	return member;
}

void observers_describe(struct observers *set, json_t *result)
{
	json_t *stacks = json_object();

	catch_up(set);
	for (size_t i = 0; i < set->count; i++) {
		const struct observer_kind *kind = set->kinds[i];
		struct stack stack;

		if (!kind->read)
			continue;
		kind->read(set->items[i], set->cycles, &stack);
		json_object_set_new(
			stacks, kind->name,
			json_pack("{s:o, s:o}", "components",
				  observer_components(&set->config, &stack), "bits",
				  kind->bits ? json_integer((json_int_t)kind->bits(&set->config))
					     : json_null()));
	}
	json_object_set_new(result, "stacks", stacks);
	for (size_t i = 0; i < set->count; i++)
		if (set->kinds[i]->describe)
			set->kinds[i]->describe(set->kinds[i], set->items[i], result);
}

uint64_t observers_cycles(const struct observers *set)
{
	catch_up(set);
	return set->cycles;
}

void *observers_find(const struct observers *set, const struct observer_kind *kind)
{
	catch_up(set);
	return find(set, kind);
}

bool observers_read(const struct observers *set, const struct observer_kind *kind,
		    struct stack *stack)
{
	const void *observer = observers_find(set, kind);

	if (observer && kind->read)
		kind->read(observer, set->cycles, stack);
	return observer && kind->read;
}

#include "count/truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "core/frontend.h"
#include "machine/observer.h"

#define STEPS	 11
#define BIT(one) (1u << COMPONENT_##one)

/* What can become real, in order A: the parameter that makes it perfect, and what it has no effect
 * without (with all that these need). */
static const struct {
	enum component component;
	enum cause cause;
	enum config_id ideal;
	unsigned needs;
} causes[STEPS] = {
	{COMPONENT_L1D, CAUSE_L1D, CONFIG_ideal_l1d, 0},
	{COMPONENT_BRANCH, CAUSE_BRANCH, CONFIG_ideal_branch, 0},
	{COMPONENT_L1I, CAUSE_L1I, CONFIG_ideal_l1i, 0},
	{COMPONENT_L2I, CAUSE_L2I, CONFIG_ideal_l2i, BIT(L1I)},
	{COMPONENT_L3I, CAUSE_L3I, CONFIG_ideal_l3i, BIT(L2I) | BIT(L1I)},
	{COMPONENT_ITLB, CAUSE_ITLB, CONFIG_ideal_itlb, 0},
	{COMPONENT_L2D, CAUSE_L2D, CONFIG_ideal_l2d, BIT(L1D)},
	{COMPONENT_L3D, CAUSE_L3D, CONFIG_ideal_l3d, BIT(L2D) | BIT(L1D)},
	{COMPONENT_DTLB, CAUSE_DTLB, CONFIG_ideal_dtlb, 0},
	{COMPONENT_WALK, CAUSE_WALK, CONFIG_ideal_walk, BIT(DTLB) | BIT(L1D)},
	{COMPONENT_BANDWIDTH, CAUSE_BANDWIDTH, CONFIG_ideal_bandwidth,
	 BIT(L3D) | BIT(L2D) | BIT(L1D)},
};

static const enum component order_b[STEPS] = {
	COMPONENT_L1D,	     COMPONENT_BRANCH, COMPONENT_L2D,  COMPONENT_L3D,
	COMPONENT_BANDWIDTH, COMPONENT_DTLB,   COMPONENT_WALK, COMPONENT_L1I,
	COMPONENT_L2I,	     COMPONENT_L3I,    COMPONENT_ITLB,
};

static enum component step_of(enum truth_order order, unsigned i)
{
	return order == TRUTH_A ? causes[i].component : order_b[i];
}

/* The components that are there and not perfect already, as bits. */
static unsigned causes_of(const struct config *config)
{
	unsigned found = 0;

	for (unsigned i = 0; i < STEPS; i++)
		if (observer_has_component(config, causes[i].component) &&
		    !config_get(config, causes[i].ideal))
			found |= 1u << causes[i].component;
	return config->predictor_kind == PREDICTOR_PERFECT ? found & ~BIT(BRANCH) : found;
}

const struct truth_part truth_parts[TRUTH_PARTS] = {
	[TRUTH_DEPENDENCE] = {CAUSE_DEPENDENCE, CONFIG_ideal_dependence},
	[TRUTH_LATENCY] = {CAUSE_LATENCY, CONFIG_ideal_units},
	[TRUTH_INT_ALU] = {CAUSE_UNIT_INT_ALU, CONFIG_ideal_int_alu},
	[TRUTH_INT_MULDIV] = {CAUSE_UNIT_INT_MULDIV, CONFIG_ideal_int_muldiv},
	[TRUTH_MEMORY_PORTS] = {CAUSE_UNIT_MEMORY, CONFIG_ideal_memory_ports},
	[TRUTH_FP_ADD] = {CAUSE_UNIT_FP_ADD, CONFIG_ideal_fp_add},
	[TRUTH_FP_MULDIV] = {CAUSE_UNIT_FP_MULDIV, CONFIG_ideal_fp_muldiv},
	[TRUTH_QUEUES] = {CAUSE_QUEUES, CONFIG_ideal_queues},
	[TRUTH_MAX_BRANCHES] = {CAUSE_MAX_BRANCHES, CONFIG_ideal_max_branches},
	[TRUTH_STORE] = {CAUSE_STORE, CONFIG_ideal_store},
	[TRUTH_FORWARD] = {CAUSE_FORWARD, CONFIG_ideal_forwarding},
	[TRUTH_REPLAY] = {CAUSE_REPLAY, CONFIG_ideal_replay},
	[TRUTH_MSHR] = {CAUSE_MSHR, CONFIG_ideal_mshrs},
};

static bool has_small_queue(const struct config *c)
{
	const uint32_t most = c->rob_size;

	if (c->lsq_size < most)
		return true;
	return c->issue_queue_kind == ISSUE_QUEUE_UNIFIED
		       ? c->issue_queue_size < most
		       : c->issue_queue_int < most || c->issue_queue_memory < most ||
				 c->issue_queue_fp < most;
}

/* Whether the switch can make a difference on this machine. */
static bool part_exists(const struct config *config, enum truth_part_id part)
{
	const enum config_id ideal = truth_parts[part].ideal;

	if (!config_applies(config, ideal) || config_get(config, ideal))
		return false;
	switch (part) {
	case TRUTH_QUEUES: return has_small_queue(config);
	case TRUTH_MAX_BRANCHES: return config->max_branches < frontend_in_flight(config);
	case TRUTH_STORE: return config->store_buffer != UNLIMITED;
	case TRUTH_MSHR:
		return config->l1d_mshrs != UNLIMITED ||
		       (config->cache_levels > 1 && config->l2_mshrs != UNLIMITED) ||
		       (config->cache_levels > 2 && config->l3_mshrs != UNLIMITED);
	default: return !config->ideal_ports || part < TRUTH_INT_ALU || part > TRUTH_FP_MULDIV;
	}
}

static struct config with_real(const struct config *config, unsigned made_real)
{
	struct config machine = *config;
	const unsigned perfect = causes_of(config) & ~made_real;

	for (unsigned i = 0; i < STEPS; i++)
		if (perfect & 1u << causes[i].component)
			config_put(&machine, causes[i].ideal, true);
	return machine;
}

/* The place of the machine, or `count`. */
static size_t run_with(const struct truth_plan *plan, unsigned made_real)
{
	size_t i = 0;

	while (i < plan->count && plan->machines[i].made_real != made_real)
		i++;
	return i;
}

static size_t add_run(struct truth_plan *plan, const struct config *config, unsigned made_real)
{
	const size_t place = run_with(plan, made_real);

	if (place == plan->count)
		*ARRAY_PUSH(plan->machines, plan->count, plan->capacity) =
			(struct truth_machine){with_real(config, made_real), made_real};
	return place;
}

static size_t add_machine(struct truth_plan *plan, const struct config *config)
{
	*ARRAY_PUSH(plan->machines, plan->count, plan->capacity) =
		(struct truth_machine){*config, UINT32_MAX};
	return plan->count - 1;
}

/* The components that are real in order A when the MSHRs become limited: up to the last cache for
 * data. */
static unsigned real_before_mshrs(const struct truth_plan *plan, const struct config *config)
{
	const enum component last = component_long(config->cache_levels);
	unsigned made_real = 0;

	for (unsigned i = 0; i < STEPS; i++) {
		made_real |= 1u << causes[i].component & plan->causes;
		if (causes[i].component == last)
			break;
	}
	return made_real;
}

/* Goes back from the machine with all components perfect. Each machine makes one part more perfect,
 * until nothing is left but the widths. */
static void add_parts(struct truth_plan *plan, const struct config *config)
{
	struct config machine = with_real(config, 0);

	for (unsigned i = TRUTH_MSHR; i-- > 0;) {
		if (!part_exists(config, i))
			continue;
		config_put(&machine, truth_parts[i].ideal, true);
		plan->parts[i] = add_machine(plan, &machine);
	}
	const unsigned made_real = real_before_mshrs(plan, config);
	if (!part_exists(config, TRUTH_MSHR) ||
	    !(made_real & 1u << component_long(config->cache_levels)))
		return;
	machine = with_real(config, made_real);
	config_put(&machine, truth_parts[TRUTH_MSHR].ideal, true);
	plan->parts[TRUTH_MSHR] = add_machine(plan, &machine);
	plan->after_mshrs = run_with(plan, made_real);
}

/* Numbers the causes that this machine has. A cause no longer needs what the machine does not
 * have. */
static void add_all_orders(struct truth_plan *plan, const struct config *config)
{
	uint32_t needs[ORDERS_MOST] = {0};
	unsigned count = 0;

	_Static_assert(STEPS <= ORDERS_MOST, "all causes are in the orders");
	for (unsigned i = 0; i < STEPS; i++) {
		if (!(plan->causes & 1u << causes[i].component))
			continue;
		for (unsigned k = 0; k < count; k++)
			if (causes[i].needs & 1u << plan->cause[k])
				needs[count] |= 1u << k;
		plan->cause[count++] = causes[i].component;
	}
	orders_init(&plan->orders, count, needs);
	plan->has_orders = true;
	plan->machine_of_set = mem_alloc_array(plan->orders.set_count, sizeof(size_t));
	for (size_t i = 0; i < plan->orders.set_count; i++) {
		unsigned made_real = 0;

		for (unsigned k = 0; k < count; k++)
			if (plan->orders.sets[i] & 1u << k)
				made_real |= 1u << plan->cause[k];
		plan->machine_of_set[i] = add_run(plan, config, made_real);
	}
}

void truth_plan_init(struct truth_plan *plan, const struct config *config, bool all_orders)
{
	*plan = (struct truth_plan){.causes = causes_of(config)};
	add_run(plan, config, 0);
	for (unsigned order = 0; order < TRUTH_ORDERS; order++) {
		unsigned made_real = 0;

		for (unsigned i = 0; i < STEPS; i++) {
			made_real |= 1u << step_of(order, i) & plan->causes;
			add_run(plan, config, made_real);
		}
	}
	plan->real = run_with(plan, plan->causes);
	add_parts(plan, config);
	if (all_orders)
		add_all_orders(plan, config);
}

void truth_plan_release(struct truth_plan *plan)
{
	orders_release(&plan->orders);
	free(plan->machine_of_set);
	free(plan->machines);
}

size_t truth_chain(const struct truth_plan *plan, struct truth_link links[TRUTH_LINKS])
{
	const unsigned last =
		plan->parts[TRUTH_MSHR] ? plan->machines[plan->after_mshrs].made_real : UINT32_MAX;
	unsigned made_real = 0;
	enum cause cause = CAUSE_BASE;
	size_t count = 0;

	for (unsigned i = 0; i < TRUTH_MSHR; i++)
		if (plan->parts[i]) {
			links[count++] = (struct truth_link){cause, plan->parts[i]};
			cause = truth_parts[i].cause;
		}
	links[count++] = (struct truth_link){cause, run_with(plan, 0)};
	for (unsigned i = 0; i < STEPS; i++) {
		if (!(plan->causes & 1u << causes[i].component))
			continue;
		made_real |= 1u << causes[i].component;
		cause = causes[i].cause;
		if (made_real == last) {
			links[count++] = (struct truth_link){cause, plan->parts[TRUTH_MSHR]};
			cause = CAUSE_MSHR;
		}
		links[count++] = (struct truth_link){cause, run_with(plan, made_real)};
	}
	return count;
}

void truth_read_parts(const struct truth_plan *plan, const uint64_t *cycles,
		      int64_t parts[TRUTH_PARTS])
{
	uint64_t after = cycles[run_with(plan, 0)];

	for (unsigned i = TRUTH_MSHR; i-- > 0;) {
		parts[i] = plan->parts[i] ? (int64_t)after - (int64_t)cycles[plan->parts[i]] : 0;
		if (plan->parts[i])
			after = cycles[plan->parts[i]];
	}
	parts[TRUTH_MSHR] = plan->parts[TRUTH_MSHR]
				    ? (int64_t)cycles[plan->after_mshrs] -
					      (int64_t)cycles[plan->parts[TRUTH_MSHR]]
				    : 0;
}

/* The cycles of the base that are `resource`. */
static int64_t resource_of(const struct truth_plan *plan, const uint64_t *cycles)
{
	int64_t parts[TRUTH_PARTS], sum = 0;

	truth_read_parts(plan, cycles, parts);
	for (unsigned i = TRUTH_LATENCY; i < TRUTH_MSHR; i++)
		sum += parts[i];
	return sum;
}

void truth_read(const struct truth_plan *plan, const uint64_t *cycles, enum truth_order order,
		struct stack *stack)
{
	unsigned made_real = 0;
	uint64_t before = cycles[run_with(plan, 0)];

	*stack = (struct stack){0};
	stack->cycles[COMPONENT_RESOURCE] = resource_of(plan, cycles);
	stack->cycles[COMPONENT_BASE] = (int64_t)before - stack->cycles[COMPONENT_RESOURCE];
	for (unsigned i = 0; i < STEPS; i++) {
		const enum component component = step_of(order, i);

		if (!(plan->causes & 1u << component))
			continue;
		made_real |= 1u << component;
		uint64_t now = cycles[run_with(plan, made_real)];
		stack->cycles[component] = (int64_t)now - (int64_t)before;
		before = now;
	}
}

void truth_read_all(const struct truth_plan *plan, const uint64_t *cycles, struct truth_all *all)
{
	const struct orders *orders = &plan->orders;
	uint64_t *by_set = mem_alloc_array(orders->set_count, sizeof(*by_set));

	BUG_ON(!plan->has_orders);
	for (size_t i = 0; i < orders->set_count; i++)
		by_set[i] = cycles[plan->machine_of_set[i]];
	*all = (struct truth_all){0};
	const int64_t resource = resource_of(plan, cycles), base = (int64_t)by_set[0] - resource;

	all->costs[COMPONENT_BASE] = (struct orders_cost){base, base, (double)base};
	all->costs[COMPONENT_RESOURCE] = (struct orders_cost){resource, resource, (double)resource};
	for (unsigned i = 0; i < orders->count; i++) {
		all->costs[plan->cause[i]] = orders_cost_of(orders, by_set, i);
		for (unsigned k = 0; k < orders->count; k++)
			all->interact[plan->cause[i]][plan->cause[k]] =
				i != k &&
				orders_interaction(
					orders, by_set, i, k,
					&all->interactions[plan->cause[i]][plan->cause[k]]);
	}
	free(by_set);
}

void truth_fold(struct stack *stack)
{
	stack->cycles[COMPONENT_BASE] += stack->cycles[COMPONENT_RESOURCE];
	stack->cycles[COMPONENT_RESOURCE] = 0;
}

bool truth_has(const struct config *config, enum component component)
{
	return observer_has_component(config, component);
}

struct truth_error truth_error_of(const struct stack *x, const struct stack *a,
				  const struct stack *b, enum component component, uint64_t cycles)
{
	double all = (double)cycles, at = (double)x->cycles[component];
	double left = (double)a->cycles[component], right = (double)b->cycles[component];
	struct truth_error error = {.a = fabs(at - left) / all, .b = fabs(at - right) / all};

	error.largest = fmax(error.a, error.b);
	if (at < fmin(left, right) || at > fmax(left, right))
		error.interval = fmin(error.a, error.b);
	return error;
}

struct truth_distance truth_distance_of(const struct stack *x, const struct truth_all *all,
					enum component component, uint64_t cycles)
{
	const struct orders_cost *cost = &all->costs[component];
	const int64_t at = x->cycles[component];
	int64_t outside = 0;

	if (at < cost->lowest)
		outside = cost->lowest - at;
	else if (at > cost->highest)
		outside = at - cost->highest;
	return (struct truth_distance){
		.range = (double)outside / (double)cycles,
		.mean = fabs((double)at - cost->mean) / (double)cycles,
	};
}

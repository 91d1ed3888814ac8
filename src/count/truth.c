#include "count/truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "machine/observer.h"

#define STEPS	 9
#define BIT(one) (1u << COMPONENT_##one)

/* What can become real, in order A: the parameter that makes it perfect, and what it has no effect
 * without (with all that these need). */
static const struct {
	enum component component;
	enum config_id ideal;
	unsigned needs;
} causes[STEPS] = {
	{COMPONENT_L1D, CONFIG_ideal_l1d, 0},
	{COMPONENT_BRANCH, CONFIG_ideal_branch, 0},
	{COMPONENT_L1I, CONFIG_ideal_l1i, 0},
	{COMPONENT_L2I, CONFIG_ideal_l2i, BIT(L1I)},
	{COMPONENT_ITLB, CONFIG_ideal_itlb, 0},
	{COMPONENT_L2D, CONFIG_ideal_l2d, BIT(L1D)},
	{COMPONENT_DTLB, CONFIG_ideal_dtlb, 0},
	{COMPONENT_WALK, CONFIG_ideal_walk, BIT(DTLB) | BIT(L1D)},
	{COMPONENT_BANDWIDTH, CONFIG_ideal_bandwidth, BIT(L2D) | BIT(L1D)},
};

static const enum component order_b[STEPS] = {
	COMPONENT_L1D,	COMPONENT_BRANCH, COMPONENT_L2D, COMPONENT_BANDWIDTH, COMPONENT_DTLB,
	COMPONENT_WALK, COMPONENT_L1I,	  COMPONENT_L2I, COMPONENT_ITLB,
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

/* What the paper leaves in the base, in the order in which it becomes real there. */
const struct truth_part truth_parts[TRUTH_PARTS] = {
	{"unit", CONFIG_ideal_ports},
	{"store", CONFIG_ideal_store},
	{"replay", CONFIG_ideal_replay},
	{"latency", CONFIG_ideal_units},
};

/* Whether the switch can make a difference on this machine. */
static bool part_exists(const struct config *config, const struct truth_part *part)
{
	return config_applies(config, part->ideal) && !config_get(config, part->ideal) &&
	       (part->ideal != CONFIG_ideal_store || config->store_buffer != UNLIMITED);
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

/* Goes back from the machine with everything perfect. Each machine makes one part more perfect,
 * until what is left in the base is perfect too. */
static void add_parts(struct truth_plan *plan, const struct config *config)
{
	struct config machine = with_real(config, 0);

	for (unsigned i = TRUTH_PARTS; i-- > 0;) {
		if (!part_exists(config, &truth_parts[i]))
			continue;
		config_put(&machine, truth_parts[i].ideal, true);
		plan->parts[i] = plan->count;
		*ARRAY_PUSH(plan->machines, plan->count, plan->capacity) =
			(struct truth_machine){machine, UINT32_MAX};
	}
	plan->units = plan->parts[TRUTH_LATENCY];
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

void truth_read_parts(const struct truth_plan *plan, const uint64_t *cycles,
		      int64_t parts[TRUTH_PARTS])
{
	uint64_t after = cycles[run_with(plan, 0)];

	for (unsigned i = TRUTH_PARTS; i-- > 0;) {
		parts[i] = plan->parts[i] ? (int64_t)after - (int64_t)cycles[plan->parts[i]] : 0;
		if (plan->parts[i])
			after = cycles[plan->parts[i]];
	}
}

void truth_read(const struct truth_plan *plan, const uint64_t *cycles, enum truth_order order,
		struct stack *stack)
{
	unsigned made_real = 0;
	uint64_t before = cycles[run_with(plan, 0)];

	*stack = (struct stack){0};
	stack->cycles[COMPONENT_BASE] = (int64_t)before;
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
	all->costs[COMPONENT_BASE] =
		(struct orders_cost){(int64_t)by_set[0], (int64_t)by_set[0], (double)by_set[0]};
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

static void fold_into(struct stack *stack, enum component from, enum component into)
{
	stack->cycles[into] += stack->cycles[from];
	stack->cycles[from] = 0;
}

void truth_fold(struct stack *stack)
{
	fold_into(stack, COMPONENT_RESOURCE, COMPONENT_BASE);
	fold_into(stack, COMPONENT_L3I, COMPONENT_L2I);
	fold_into(stack, COMPONENT_L3D, COMPONENT_L2D);
}

bool truth_has(const struct config *config, enum component component)
{
	return component != COMPONENT_RESOURCE && component != COMPONENT_L3I &&
	       component != COMPONENT_L3D && observer_has_component(config, component);
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

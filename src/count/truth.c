#include "count/truth.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "machine/observer.h"

#define STEPS 9

static const enum component orders[TRUTH_ORDERS][STEPS] = {
	[TRUTH_A] = {COMPONENT_L1D, COMPONENT_BRANCH, COMPONENT_L1I, COMPONENT_L2I, COMPONENT_ITLB,
		     COMPONENT_L2D, COMPONENT_DTLB, COMPONENT_WALK, COMPONENT_BANDWIDTH},
	[TRUTH_B] = {COMPONENT_L1D, COMPONENT_BRANCH, COMPONENT_L2D, COMPONENT_BANDWIDTH,
		     COMPONENT_DTLB, COMPONENT_WALK, COMPONENT_L1I, COMPONENT_L2I, COMPONENT_ITLB},
};

/* The configuration switch that makes a component perfect. */
static bool *switch_of(struct config *config, enum component component)
{
	switch (component) {
	case COMPONENT_L1I: return &config->ideal_l1i;
	case COMPONENT_L2I: return &config->ideal_l2i;
	case COMPONENT_ITLB: return &config->ideal_itlb;
	case COMPONENT_BRANCH: return &config->ideal_branch;
	case COMPONENT_L1D: return &config->ideal_l1d;
	case COMPONENT_L2D: return &config->ideal_l2d;
	case COMPONENT_DTLB: return &config->ideal_dtlb;
	case COMPONENT_WALK: return &config->ideal_walk;
	case COMPONENT_BANDWIDTH: return &config->ideal_bandwidth;
	default: BUG("component %d has no switch", component);
	}
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

	for (unsigned i = 0; i < STEPS; i++) {
		enum component component = orders[TRUTH_A][i];

		if (!(made_real & 1u << component) && observer_has_component(config, component))
			*switch_of(&machine, component) = true;
	}
	return machine;
}

static unsigned run_with(const struct truth_plan *plan, unsigned made_real)
{
	unsigned i = 0;

	while (i < plan->count && plan->made_real[i] != made_real)
		i++;
	return i;
}

static void add_run(struct truth_plan *plan, const struct config *config, unsigned made_real)
{
	if (run_with(plan, made_real) < plan->count)
		return;
	BUG_ON(plan->count == TRUTH_RUNS_MAX);
	plan->config[plan->count] = with_real(config, made_real);
	plan->made_real[plan->count++] = made_real;
}

/* From the machine with everything perfect back to one in which what is left in its base is perfect
 * too: each run has one part more that is. */
static void add_parts(struct truth_plan *plan, const struct config *config)
{
	struct config machine = with_real(config, 0);

	for (unsigned i = TRUTH_PARTS; i-- > 0;) {
		if (!part_exists(config, &truth_parts[i]))
			continue;
		BUG_ON(plan->count == TRUTH_RUNS_MAX);
		config_put(&machine, truth_parts[i].ideal, true);
		plan->config[plan->count] = machine;
		plan->made_real[plan->count] = UINT32_MAX;
		plan->parts[i] = plan->count++;
	}
	plan->units = plan->parts[TRUTH_LATENCY];
}

void truth_plan_init(struct truth_plan *plan, const struct config *config)
{
	unsigned made_real = 0;

	*plan = (struct truth_plan){0};
	add_run(plan, config, 0);
	for (unsigned order = 0; order < TRUTH_ORDERS; order++) {
		made_real = 0;
		for (unsigned i = 0; i < STEPS; i++) {
			if (!observer_has_component(config, orders[order][i]))
				continue;
			made_real |= 1u << orders[order][i];
			add_run(plan, config, made_real);
		}
	}
	plan->real = run_with(plan, made_real);
	add_parts(plan, config);
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
		enum component component = orders[order][i];

		if (!observer_has_component(&plan->config[0], component))
			continue;
		made_real |= 1u << component;
		uint64_t now = cycles[run_with(plan, made_real)];
		stack->cycles[component] = (int64_t)now - (int64_t)before;
		before = now;
	}
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

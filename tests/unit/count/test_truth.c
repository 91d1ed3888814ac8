/*
 * The truth on paper: which machines it runs, what it makes of their cycles, how stacks are reduced
 * to its components and how far one is from it.
 */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "count/truth.h"
#include "machine/observer.h"

/* The components that become real, in order A, and the switches that make them perfect; the bits
 * below are in the same order. */
static const struct {
	enum component component;
	enum cause cause;
	enum config_id ideal;
} steps[] = {
	{COMPONENT_L1D, CAUSE_L1D, CONFIG_ideal_l1d},
	{COMPONENT_BRANCH, CAUSE_BRANCH, CONFIG_ideal_branch},
	{COMPONENT_L1I, CAUSE_L1I, CONFIG_ideal_l1i},
	{COMPONENT_L2I, CAUSE_L2I, CONFIG_ideal_l2i},
	{COMPONENT_L3I, CAUSE_L3I, CONFIG_ideal_l3i},
	{COMPONENT_ITLB, CAUSE_ITLB, CONFIG_ideal_itlb},
	{COMPONENT_L2D, CAUSE_L2D, CONFIG_ideal_l2d},
	{COMPONENT_L3D, CAUSE_L3D, CONFIG_ideal_l3d},
	{COMPONENT_DTLB, CAUSE_DTLB, CONFIG_ideal_dtlb},
	{COMPONENT_WALK, CAUSE_WALK, CONFIG_ideal_walk},
	{COMPONENT_BANDWIDTH, CAUSE_BANDWIDTH, CONFIG_ideal_bandwidth},
};
enum {
	L1D = 1,
	BRANCH = 2,
	L1I = 4,
	L2I = 8,
	L3I = 16,
	ITLB = 32,
	L2D = 64,
	L3D = 128,
	DTLB = 256,
	WALK = 512,
	BW = 1024,
	ALL = 2047
};

/* What a machine needs that has nothing but widths: 2^16 cycles. Each part, if it is real, takes
 * 2^part more, each component 2^20 and more. */
#define WIDTHS		(UINT64_C(1) << 16)
#define PART(part)	(UINT64_C(1) << (part))
#define COMPONENT(step) (UINT64_C(1) << (20 + (step)))
#define RESOURCE	(PART(TRUTH_MSHR) - PART(TRUTH_LATENCY)) /* all parts from latency to replay */

static unsigned ideals(const struct config *config)
{
	unsigned bits = 0;

	for (size_t i = 0; i < ARRAY_COUNT(steps); i++)
		bits |= config_get(config, steps[i].ideal) << i;
	return bits;
}

/* A machine with everything: three levels of cache with few MSHRs, page walks, a channel that can
 * be busy, a store buffer, store sets, few branches and small queues. */
static struct config whole_machine(void)
{
	struct config config;

	config_reset(&config);
	config.cache_levels = 3;
	config.l1d_mshrs = 4;
	config.tlb_miss = TLB_MISS_WALK;
	config.memory_line = 10;
	config.store_buffer = 4;
	config.max_branches = 16;
	config.disambiguation = DISAMBIGUATION_PREDICT;
	return config;
}

/* MSHRs cost something if the last cache for data can miss. */
static bool needs_mshrs(const struct config *c)
{
	const enum config_id last[] = {CONFIG_ideal_l1d, CONFIG_ideal_l2d, CONFIG_ideal_l3d};

	return !config_get(c, last[c->cache_levels - 1]);
}

static bool exists(const struct config *c, enum config_id ideal)
{
	return config_applies(c, ideal) && !config_get(c, ideal);
}

/* Cycles that tell what is real in a machine. */
static uint64_t cycles_of(const struct config *c)
{
	uint64_t cycles = WIDTHS;

	for (unsigned i = 0; i < ARRAY_COUNT(steps); i++)
		if (observer_has_component(c, steps[i].component))
			cycles += exists(c, steps[i].ideal) ? COMPONENT(i) : 0;
	for (unsigned i = 0; i < TRUTH_PARTS; i++)
		if (i != TRUTH_MSHR || needs_mshrs(c))
			cycles += exists(c, truth_parts[i].ideal) ? PART(i) : 0;
	return cycles;
}

static uint64_t *run_plan(const struct truth_plan *plan)
{
	uint64_t *cycles = mem_alloc_array(plan->count, sizeof(*cycles));

	for (size_t i = 0; i < plan->count; i++)
		cycles[i] = cycles_of(&plan->machines[i].config);
	return cycles;
}

/* In both orders each component costs what its own switch does, if it has an effect alone. The last
 * cache for data costs its MSHRs as well. */
TEST(each_component_costs_what_its_switch_does)
{
	const enum component last[] = {COMPONENT_L1D, COMPONENT_L2D, COMPONENT_L3D};
	struct config config = whole_machine();

	for (config.cache_levels = 1; config.cache_levels <= 3; config.cache_levels++) {
		struct truth_plan plan;

		truth_plan_init(&plan, &config, false);
		uint64_t *cycles = run_plan(&plan);

		assert_int_equal(cycles[plan.real], cycles_of(&config));
		for (enum truth_order order = TRUTH_A; order < TRUTH_ORDERS; order++) {
			struct stack stack;

			truth_read(&plan, cycles, order, &stack);
			assert_int_equal(stack.cycles[COMPONENT_BASE],
					 WIDTHS + PART(TRUTH_DEPENDENCE));
			assert_int_equal(stack.cycles[COMPONENT_RESOURCE], RESOURCE);
			for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
				const enum component component = steps[i].component;
				uint64_t wanted = COMPONENT(i);

				if (component == last[config.cache_levels - 1])
					wanted += PART(TRUTH_MSHR);
				if (!component_exists(config.cache_levels, component))
					wanted = 0;
				assert_int_equal(stack.cycles[component], wanted);
			}
			assert_int_equal(stack_sum(&stack), cycles_of(&config));
		}
		free(cycles);
		truth_plan_release(&plan);
	}
}

/* The machines themselves: what is still ideal after each step. */
TEST(machines_become_real_in_order)
{
	static const unsigned order_a[] = {0,	 L1D, BRANCH, L1I,  L2I,  L3I,
					   ITLB, L2D, L3D,    DTLB, WALK, BW};
	static const unsigned order_b[] = {0,	 L1D,  BRANCH, L2D, L3D, BW,
					   DTLB, WALK, L1I,    L2I, L3I, ITLB};
	const struct config config = whole_machine();
	struct truth_plan plan;
	unsigned ideal_a = ALL, ideal_b = ALL;

	truth_plan_init(&plan, &config, false);
	/* Both have the first three machines and the last in common. */
	assert_int_equal(plan.count, 12 + 8 + TRUTH_PARTS);
	for (size_t i = 0; i < ARRAY_COUNT(order_a); i++) {
		ideal_a &= ~order_a[i];
		ideal_b &= ~order_b[i];
		assert_int_equal(ideals(&plan.machines[i].config), ideal_a);
		if (i >= 3 && i < 11)
			assert_int_equal(ideals(&plan.machines[12 + i - 3].config), ideal_b);
	}
	assert_int_equal(plan.real, 11);
	truth_plan_release(&plan);
}

static unsigned ideal_parts(const struct config *config)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < TRUTH_PARTS; i++)
		bits |= config_get(config, truth_parts[i].ideal) << i;
	return bits;
}

/* The machine before a part becomes real has this part and all later ones perfect, and all
 * components; before the MSHRs become limited all caches for data are real. */
TEST(parts_become_real_in_order)
{
	const struct config config = whole_machine();
	const unsigned before_components = (1u << TRUTH_MSHR) - 1;
	struct truth_plan plan;

	truth_plan_init(&plan, &config, false);
	for (unsigned i = 0; i < TRUTH_MSHR; i++) {
		const struct config *machine = &plan.machines[plan.parts[i]].config;

		assert_int_equal(ideal_parts(machine), before_components & ~((1u << i) - 1));
		assert_int_equal(ideals(machine), ALL);
	}
	const struct config *few = &plan.machines[plan.parts[TRUTH_MSHR]].config,
			    *after = &plan.machines[plan.after_mshrs].config;
	assert_int_equal(ideal_parts(few), 1u << TRUTH_MSHR);
	assert_int_equal(ideals(few), DTLB | WALK | BW);
	assert_int_equal(ideal_parts(after), 0);
	assert_int_equal(ideals(after), DTLB | WALK | BW);
	truth_plan_release(&plan);
}

static void assert_parts(const struct config *config, unsigned wanted)
{
	int64_t parts[TRUTH_PARTS];
	struct truth_plan plan;

	truth_plan_init(&plan, config, false);
	uint64_t *cycles = run_plan(&plan);
	truth_read_parts(&plan, cycles, parts);
	for (unsigned i = 0; i < TRUTH_PARTS; i++)
		assert_int_equal(parts[i], wanted & 1u << i ? PART(i) : 0);
	free(cycles);
	truth_plan_release(&plan);
}

/* Each has the cycles of its own switch, if the machine has it. */
TEST(parts_are_told_apart)
{
	const unsigned all = (1u << TRUTH_PARTS) - 1,
		       units = 1u << TRUTH_INT_ALU | 1u << TRUTH_INT_MULDIV |
			       1u << TRUTH_MEMORY_PORTS | 1u << TRUTH_FP_ADD |
			       1u << TRUTH_FP_MULDIV;
	struct config config = whole_machine();

	for (config.cache_levels = 1; config.cache_levels <= 3; config.cache_levels++)
		assert_parts(&config, all);
	config.cache_levels = 2;
	config.store_buffer = UNLIMITED;
	assert_parts(&config, all & ~(1u << TRUTH_STORE));
	config = whole_machine();
	config.disambiguation = DISAMBIGUATION_CONSERVATIVE;
	assert_parts(&config, all & ~(1u << TRUTH_REPLAY));
	config = whole_machine();
	config.ideal_units = true;
	assert_parts(&config, all & ~(1u << TRUTH_LATENCY));
	config = whole_machine();
	config.ideal_dependence = true;
	assert_parts(&config, all & ~(1u << TRUTH_DEPENDENCE));
	config = whole_machine();
	config.max_branches = 100000;
	assert_parts(&config, all & ~(1u << TRUTH_MAX_BRANCHES));
	config = whole_machine();
	config.ideal_forwarding = true;
	assert_parts(&config, all & ~(1u << TRUTH_FORWARD));
	config = whole_machine();
	config.ideal_fp_add = true;
	assert_parts(&config, all & ~(1u << TRUTH_FP_ADD));
	/* Perfect ports are perfect units of all kinds. */
	struct truth_plan plan;
	config = whole_machine();
	config.ideal_ports = true;
	truth_plan_init(&plan, &config, false);
	for (unsigned i = 0; i < TRUTH_PARTS; i++)
		assert_int_equal(plan.parts[i] != 0, !(units & 1u << i));
	truth_plan_release(&plan);
}

/* A queue can limit the window if it is smaller than the reorder buffer. */
TEST(queues_are_a_part_if_one_is_small)
{
	const unsigned all = (1u << TRUTH_PARTS) - 1, rest = all & ~(1u << TRUTH_QUEUES);
	struct config config = whole_machine();

	config.issue_queue_size = config.lsq_size = config.rob_size;
	config.issue_queue_int = config.issue_queue_memory = config.issue_queue_fp = 1;
	assert_parts(&config, rest);
	config.issue_queue_size--;
	assert_parts(&config, all);
	config.issue_queue_size++;
	config.lsq_size--;
	assert_parts(&config, all);
	config.lsq_size++;
	config.issue_queue_kind = ISSUE_QUEUE_SPLIT;
	for (unsigned i = 0; i < 3; i++) {
		config.issue_queue_int = config.rob_size - (i == 0);
		config.issue_queue_memory = config.rob_size - (i == 1);
		config.issue_queue_fp = config.rob_size - (i == 2);
		assert_parts(&config, all);
	}
	config.issue_queue_fp++;
	assert_parts(&config, rest);
	config.lsq_size--;
	config.ideal_queues = true;
	assert_parts(&config, rest);
}

/* MSHRs of any level can be few, but only in front of a cache that becomes real. */
TEST(mshrs_are_a_part_of_the_last_cache)
{
	const unsigned all = (1u << TRUTH_PARTS) - 1, rest = all & ~(1u << TRUTH_MSHR);
	struct config config = whole_machine();

	config.l1d_mshrs = UNLIMITED;
	assert_parts(&config, rest);
	config.l3_mshrs = 8;
	assert_parts(&config, all);
	config.cache_levels = 2; /* there is no L3 */
	assert_parts(&config, rest);
	config.l2_mshrs = 8;
	assert_parts(&config, all);
	config.cache_levels = 1;
	assert_parts(&config, rest);
	config = whole_machine();
	config.ideal_mshrs = true;
	assert_parts(&config, rest);
	config = whole_machine();
	config.ideal_l3d = true;
	assert_parts(&config, rest);
}

/* What is real costs, by cause; 0: the machine does not have it. */
static uint64_t cost_of(const struct config *config, enum cause cause)
{
	for (unsigned i = 0; i < ARRAY_COUNT(steps); i++)
		if (steps[i].cause == cause)
			return observer_has_component(config, steps[i].component) ? COMPONENT(i)
										  : 0;
	for (unsigned i = 0; i < TRUTH_PARTS; i++)
		if (truth_parts[i].cause == cause)
			return config_applies(config, truth_parts[i].ideal) ? PART(i) : 0;
	return 0;
}

/* From the machine in which everything is perfect to the real one each link adds the cycles of its
 * cause. */
static void assert_chain(const struct config *config)
{
	struct truth_link links[TRUTH_LINKS];
	unsigned seen[CAUSE_COUNT] = {0};
	struct truth_plan plan;

	truth_plan_init(&plan, config, false);
	uint64_t *cycles = run_plan(&plan);
	const size_t count = truth_chain(&plan, links);

	assert_true(count <= TRUTH_LINKS);
	assert_int_equal(links[0].cause, CAUSE_BASE);
	assert_int_equal(cycles[links[0].machine], WIDTHS);
	for (size_t i = 1; i < count; i++) {
		assert_int_equal(cycles[links[i].machine] - cycles[links[i - 1].machine],
				 cost_of(config, links[i].cause));
		assert_int_equal(seen[links[i].cause]++, 0);
	}
	assert_int_equal(links[count - 1].machine, plan.real);
	for (enum cause i = 0; i < CAUSE_COUNT; i++)
		assert_int_equal(seen[i], cost_of(config, i) != 0);
	free(cycles);
	truth_plan_release(&plan);
}

TEST(the_chain_goes_from_perfect_to_real)
{
	struct config config = whole_machine();
	struct truth_link links[TRUTH_LINKS];
	struct truth_plan plan;

	for (config.cache_levels = 1; config.cache_levels <= 3; config.cache_levels++)
		assert_chain(&config);
	config = whole_machine();
	truth_plan_init(&plan, &config, false);
	assert_int_equal(truth_chain(&plan, links), TRUTH_LINKS);
	truth_plan_release(&plan);
	for (config.cache_levels = 1; config.cache_levels <= 3; config.cache_levels++) {
		config.core_kind = CORE_INORDER;
		assert_chain(&config);
	}
}

/* An in-order core waits for dependences and latencies; the rest is that of a window. */
TEST(an_in_order_core_has_two_parts)
{
	struct config config = whole_machine();

	config.core_kind = CORE_INORDER;
	assert_parts(&config, 1u << TRUTH_DEPENDENCE | 1u << TRUTH_LATENCY);
}

/* What the machine does not have, or has already ideal, cannot become real. */
TEST(only_what_is_there_becomes_real)
{
	struct config config = whole_machine();
	struct truth_plan plan;

	config.predictor_kind = PREDICTOR_PERFECT;
	config.ideal_itlb = true;
	config.cache_levels = 1;
	config.tlb_miss = TLB_MISS_FIXED;
	config.memory_line = 0;
	truth_plan_init(&plan, &config, false);
	assert_int_equal(plan.causes,
			 1u << COMPONENT_L1D | 1u << COMPONENT_L1I | 1u << COMPONENT_DTLB);
	assert_int_equal(plan.machines[plan.real].made_real, plan.causes);
	assert_int_equal(ideals(&plan.machines[plan.real].config), ITLB);
	assert_int_equal(ideals(&plan.machines[0].config), ITLB | L1D | L1I | DTLB);
	truth_plan_release(&plan);
}

/* Each component has a number of its own; only resource goes to base. */
TEST(folding_adds_resource_to_base)
{
	struct stack stack;

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		stack.cycles[i] = 1 << i;
	truth_fold(&stack);
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		int64_t wanted = 1 << i;

		if (i == COMPONENT_BASE)
			wanted += 1 << COMPONENT_RESOURCE;
		else if (i == COMPONENT_RESOURCE)
			wanted = 0;
		assert_int_equal(stack.cycles[i], wanted);
	}
}

/* All that a method can charge. */
TEST(the_truth_has_all_components_of_the_machine)
{
	struct config config = whole_machine();

	for (config.cache_levels = 1; config.cache_levels <= 3; config.cache_levels++)
		for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
			assert_int_equal(truth_has(&config, i),
					 component_exists(config.cache_levels, i));
	config.tlb_miss = TLB_MISS_FIXED;
	config.memory_line = 0;
	assert_false(truth_has(&config, COMPONENT_WALK));
	assert_false(truth_has(&config, COMPONENT_BANDWIDTH));
}

static struct stack l1d_of(int64_t cycles)
{
	return (struct stack){{[COMPONENT_L1D] = cycles, [COMPONENT_L2D] = 7}};
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

/* Order A says 100, B 160, of 1000 cycles; either may be the larger. */
TEST(errors_are_distances_from_both_orders)
{
	static const struct {
		int64_t value;
		double a, b, interval;
	} cases[] = {{90, 0.01, 0.07, 0.01},
		     {100, 0, 0.06, 0},
		     {130, 0.03, 0.03, 0},
		     {160, 0.06, 0, 0},
		     {180, 0.08, 0.02, 0.02}};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct stack x = l1d_of(cases[i].value), a = l1d_of(100), b = l1d_of(160);
		struct truth_error e = truth_error_of(&x, &a, &b, COMPONENT_L1D, 1000);
		struct truth_error turned = truth_error_of(&x, &b, &a, COMPONENT_L1D, 1000);

		assert_true(near(e.a, cases[i].a) && near(e.b, cases[i].b));
		assert_true(near(e.largest, fmax(cases[i].a, cases[i].b)));
		assert_true(near(e.interval, cases[i].interval));
		assert_true(near(turned.a, cases[i].b) && near(turned.b, cases[i].a));
		assert_true(near(turned.interval, cases[i].interval));
		assert_true(near(truth_error_of(&x, &a, &b, COMPONENT_L2D, 1000).largest, 0));
	}
}

/* All orders say from 100 to 160, on average 120. */
TEST(distances_are_from_the_range_and_the_mean)
{
	static const struct {
		int64_t value;
		double range, mean;
	} cases[] = {{90, 0.01, 0.03},
		     {100, 0, 0.02},
		     {130, 0, 0.01},
		     {160, 0, 0.04},
		     {180, 0.02, 0.06}};
	const struct truth_all all = {.costs = {[COMPONENT_L1D] = {100, 160, 120.0}}};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct stack x = l1d_of(cases[i].value);
		struct truth_distance d = truth_distance_of(&x, &all, COMPONENT_L1D, 1000);

		assert_true(near(d.range, cases[i].range) && near(d.mean, cases[i].mean));
	}
}

/*
 * The truth on paper: which machines it runs, what it makes of their cycles, how stacks are reduced
 * to its components and how far one is from it.
 */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "count/truth.h"

/* The ideal switches in the order of the bits below. */
static const enum config_id switches[] = {
	CONFIG_ideal_l1d,  CONFIG_ideal_branch, CONFIG_ideal_l1i,
	CONFIG_ideal_l2i,  CONFIG_ideal_itlb,	CONFIG_ideal_l2d,
	CONFIG_ideal_dtlb, CONFIG_ideal_walk,	CONFIG_ideal_bandwidth,
};
enum {
	L1D = 1,
	BRANCH = 2,
	L1I = 4,
	L2I = 8,
	ITLB = 16,
	L2D = 32,
	DTLB = 64,
	WALK = 128,
	BW = 256
};

static unsigned ideals(const struct config *config)
{
	unsigned bits = 0;

	for (size_t i = 0; i < ARRAY_COUNT(switches); i++)
		bits |= config_get(config, switches[i]) << i;
	return bits;
}

/* A machine with everything: page walks, a channel that can be busy, a store buffer, store sets. */
static struct config whole_machine(void)
{
	struct config config;

	config_reset(&config);
	config.tlb_miss = TLB_MISS_WALK;
	config.memory_line = 10;
	config.store_buffer = 4;
	config.disambiguation = DISAMBIGUATION_PREDICT;
	return config;
}

/* Cycles that tell a machine's ideal switches: 2^20 more for each part that is real. The parts of
 * the base follow with powers of two below. */
static uint64_t cycles_of(const struct config *c)
{
	uint64_t cycles = 1 << 10;

	for (unsigned i = 0; i < ARRAY_COUNT(switches); i++)
		cycles += ideals(c) & 1u << i ? 0 : UINT64_C(1) << (20 + i);
	return cycles - 1 * c->ideal_ports - 2 * c->ideal_store - 4 * c->ideal_replay -
	       8 * c->ideal_units;
}

static uint64_t *run_plan(const struct truth_plan *plan)
{
	uint64_t *cycles = mem_alloc_array(plan->count, sizeof(*cycles));

	for (size_t i = 0; i < plan->count; i++)
		cycles[i] = cycles_of(&plan->machines[i].config);
	return cycles;
}

/* In both orders each component costs what its own switch does, if it has an effect alone. */
TEST(each_component_costs_what_its_switch_does)
{
	const struct config config = whole_machine();
	static const struct {
		enum component component;
		unsigned bit;
	} wanted[] = {{COMPONENT_L1D, 0},  {COMPONENT_BRANCH, 1}, {COMPONENT_L1I, 2},
		      {COMPONENT_L2I, 3},  {COMPONENT_ITLB, 4},	  {COMPONENT_L2D, 5},
		      {COMPONENT_DTLB, 6}, {COMPONENT_WALK, 7},	  {COMPONENT_BANDWIDTH, 8}};
	struct truth_plan plan;

	truth_plan_init(&plan, &config, false);
	uint64_t *cycles = run_plan(&plan);

	assert_int_equal(cycles[plan.real], cycles_of(&config));
	for (enum truth_order order = TRUTH_A; order < TRUTH_ORDERS; order++) {
		struct stack stack;

		truth_read(&plan, cycles, order, &stack);
		assert_int_equal(stack.cycles[COMPONENT_BASE], 1 << 10);
		for (size_t i = 0; i < ARRAY_COUNT(wanted); i++)
			assert_int_equal(stack.cycles[wanted[i].component],
					 1 << (20 + wanted[i].bit));
		assert_int_equal(stack_sum(&stack), cycles_of(&config));
	}
	free(cycles);
	truth_plan_release(&plan);
}

/* The machines themselves: what is still ideal after each step. */
TEST(machines_become_real_in_order)
{
	static const unsigned order_a[] = {0, L1D, BRANCH, L1I, L2I, ITLB, L2D, DTLB, WALK, BW};
	static const unsigned order_b[] = {0, L1D, BRANCH, L2D, BW, DTLB, WALK, L1I, L2I, ITLB};
	const struct config config = whole_machine();
	struct truth_plan plan;
	unsigned ideal_a = 511, ideal_b = 511;

	truth_plan_init(&plan, &config, false);
	/* Both have the first three machines and the last in common. */
	assert_int_equal(plan.count, 10 + 6 + TRUTH_PARTS);
	for (size_t i = 0; i < ARRAY_COUNT(order_a); i++) {
		ideal_a &= ~order_a[i];
		ideal_b &= ~order_b[i];
		assert_int_equal(ideals(&plan.machines[i].config), ideal_a);
		if (i >= 3 && i < 9)
			assert_int_equal(ideals(&plan.machines[10 + i - 3].config), ideal_b);
	}
	assert_int_equal(plan.real, 9);
	truth_plan_release(&plan);
}

/* From everything perfect: also the units, then replays, then the store buffer, then the ports. */
TEST(parts_of_the_base_are_told_apart)
{
	struct config config = whole_machine();
	int64_t parts[TRUTH_PARTS];
	struct truth_plan plan;

	truth_plan_init(&plan, &config, false);
	uint64_t *cycles = run_plan(&plan);
	truth_read_parts(&plan, cycles, parts);
	assert_int_equal(parts[TRUTH_UNIT], 1);
	assert_int_equal(parts[TRUTH_STORE], 2);
	assert_int_equal(parts[TRUTH_REPLAY], 4);
	assert_int_equal(parts[TRUTH_LATENCY], 8);
	const struct config *units = &plan.machines[plan.units].config;
	assert_true(units->ideal_units && !units->ideal_replay && !units->ideal_store &&
		    !units->ideal_ports);
	free(cycles);
	truth_plan_release(&plan);

	/* Without a limit on the store buffer, without store sets, with ideal units. */
	config.store_buffer = UNLIMITED;
	config.disambiguation = DISAMBIGUATION_CONSERVATIVE;
	config.ideal_units = true;
	truth_plan_init(&plan, &config, false);
	cycles = run_plan(&plan);
	truth_read_parts(&plan, cycles, parts);
	assert_int_equal(parts[TRUTH_UNIT], 1);
	assert_int_equal(parts[TRUTH_STORE], 0);
	assert_int_equal(parts[TRUTH_REPLAY], 0);
	assert_int_equal(parts[TRUTH_LATENCY], 0);
	assert_int_equal(plan.units, 0);
	free(cycles);
	truth_plan_release(&plan);
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

/* Each component has a number of its own; a third level is added to the second of its side. */
TEST(a_stack_is_folded_into_the_truths_components)
{
	struct stack stack;

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		stack.cycles[i] = 1 << i;
	truth_fold(&stack);
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		int64_t wanted = 1 << i;

		if (i == COMPONENT_BASE)
			wanted += 1 << COMPONENT_RESOURCE;
		else if (i == COMPONENT_L2I)
			wanted += 1 << COMPONENT_L3I;
		else if (i == COMPONENT_L2D)
			wanted += 1 << COMPONENT_L3D;
		else if (i == COMPONENT_L3I || i == COMPONENT_L3D || i == COMPONENT_RESOURCE)
			wanted = 0;
		assert_int_equal(stack.cycles[i], wanted);
	}
}

TEST(the_truth_has_what_it_folds_into)
{
	struct config config = whole_machine();

	for (config.cache_levels = 1; config.cache_levels <= 3; config.cache_levels++)
		for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
			bool is_second = i == COMPONENT_L2I || i == COMPONENT_L2D;
			bool is_folded =
				i == COMPONENT_L3I || i == COMPONENT_L3D || i == COMPONENT_RESOURCE;

			assert_int_equal(truth_has(&config, i),
					 !is_folded && (!is_second || config.cache_levels > 1));
		}
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

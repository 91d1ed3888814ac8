/*
 * What all orders say is what going through them one by one says: on random relations of up to six
 * causes and random cycles, the twin makes every permutation, drops those in which a cause comes
 * before one it needs, and adds up what each step adds. Costs add up to the whole, and orders A and
 * B of the truth are among all orders.
 */
#include "../test.h"
#include "../bug.h"
#include "base/array.h"
#include "base/rng.h"
#include "count/truth.h"

#define CAUSES 6

/* Sums over the orders seen so far. */
struct twin {
	unsigned count;
	const uint32_t *needs;
	uint64_t cycles[1 << CAUSES]; /* by set; those that are no set of any order are not read */
	uint64_t orders;
	int64_t lowest[CAUSES], highest[CAUSES];
	double sum[CAUSES];
	double together[CAUSES][CAUSES];
	uint64_t neighbours[CAUSES][CAUSES];
};

static void take_order(struct twin *twin, const unsigned *order)
{
	uint32_t set = 0;

	for (unsigned i = 0; i < twin->count; i++) {
		if (twin->needs[order[i]] & ~set)
			return;
		set |= 1u << order[i];
	}
	twin->orders++;
	set = 0;
	for (unsigned i = 0; i < twin->count; i++) {
		const unsigned cause = order[i];
		const uint32_t after = set | 1u << cause;
		const int64_t added = (int64_t)twin->cycles[after] - (int64_t)twin->cycles[set];

		twin->sum[cause] += (double)added;
		if (added < twin->lowest[cause])
			twin->lowest[cause] = added;
		if (added > twin->highest[cause])
			twin->highest[cause] = added;
		/* The next cause could have come before this one: its cost then is the cost alone.
		 */
		if (i + 1 < twin->count && !(twin->needs[order[i + 1]] & ~set)) {
			const unsigned next = order[i + 1];
			const uint32_t both = after | 1u << next;
			const int64_t alone = (int64_t)twin->cycles[set | 1u << next] -
					      (int64_t)twin->cycles[set];

			twin->together[cause][next] +=
				(double)((int64_t)twin->cycles[both] -
					 (int64_t)twin->cycles[after] - alone);
			twin->neighbours[cause][next]++;
		}
		set = after;
	}
}

static void permute(struct twin *twin, unsigned *order, unsigned fixed)
{
	if (fixed == twin->count)
		take_order(twin, order);
	for (unsigned i = fixed; i < twin->count; i++) {
		const unsigned here = order[fixed];

		order[fixed] = order[i];
		order[i] = here;
		permute(twin, order, fixed + 1);
		order[i] = order[fixed];
		order[fixed] = here;
	}
}

/* A cause needs only causes of lower numbers, and all that these need. */
static void random_needs(struct rng *rng, unsigned count, unsigned one_in, uint32_t *needs)
{
	for (unsigned i = 0; i < count; i++) {
		needs[i] = 0;
		for (unsigned k = 0; k < i; k++)
			if (rng_below(rng, one_in) == 0)
				needs[i] |= 1u << k | needs[k];
	}
}

static void compare(const struct orders *orders, const struct twin *twin)
{
	uint64_t *by_set = mem_alloc_array(orders->set_count, sizeof(*by_set));
	double whole = 0;

	for (size_t i = 0; i < orders->set_count; i++)
		by_set[i] = twin->cycles[orders->sets[i]];
	assert_int_equal(orders_all(orders), twin->orders);
	for (unsigned i = 0; i < twin->count; i++) {
		const struct orders_cost cost = orders_cost_of(orders, by_set, i);

		assert_int_equal(cost.lowest, twin->lowest[i]);
		assert_int_equal(cost.highest, twin->highest[i]);
		assert_float_equal(cost.mean, twin->sum[i] / (double)twin->orders, 1e-6);
		whole += cost.mean;
		for (unsigned k = 0; k < twin->count; k++) {
			const double together = twin->together[i][k] + twin->together[k][i];
			const uint64_t seen = twin->neighbours[i][k] + twin->neighbours[k][i];
			double mean = 0;

			if (i == k)
				continue;
			assert_int_equal(orders_interaction(orders, by_set, i, k, &mean), seen > 0);
			if (seen)
				assert_float_equal(mean, together / (double)seen, 1e-6);
		}
	}
	assert_float_equal(whole, (double)by_set[orders->set_count - 1] - (double)by_set[0], 1e-6);
	free(by_set);
}

TEST(costs_equal_those_of_going_through_every_order)
{
	struct rng rng = {1};
	unsigned restricted = 0;

	for (unsigned trial = 0; trial < 200; trial++) {
		const unsigned count = (unsigned)rng_below(&rng, CAUSES + 1);
		unsigned order[CAUSES] = {0, 1, 2, 3, 4, 5};
		uint32_t needs[CAUSES];
		struct orders orders;
		struct twin twin = {.count = count, .needs = needs};

		random_needs(&rng, count, 1 + trial % 8, needs);
		for (unsigned i = 0; i < CAUSES; i++) {
			twin.lowest[i] = INT64_MAX;
			twin.highest[i] = INT64_MIN;
		}
		for (size_t i = 0; i < ARRAY_COUNT(twin.cycles); i++)
			twin.cycles[i] = rng_below(&rng, 1000000);
		permute(&twin, order, 0);
		orders_init(&orders, count, needs);
		restricted += orders.set_count < (size_t)1 << count;
		compare(&orders, &twin);
		orders_release(&orders);
	}
	assert_true(restricted > 100);
}

static void find_no_set(void *orders)
{
	orders_find(orders, 2);
}

static void init_wrongly(void *context)
{
	/* A cause that needs itself, one that is none, one without what that needs; the last is
	 * right. */
	static const uint32_t wrong[][3] = {{1, 0, 0}, {8, 0, 0}, {0, 1, 2}, {0, 1, 3}};
	struct orders orders;

	orders_init(&orders, 3, wrong[*(int *)context]);
}

static void init_too_many(void *context)
{
	static const uint32_t needs[ORDERS_MOST + 1];
	struct orders orders;

	(void)context;
	orders_init(&orders, ORDERS_MOST + 1, needs);
}

TEST(wrong_use_is_a_bug)
{
	for (int i = 0; i < 4; i++)
		assert_int_equal(is_bug(init_wrongly, &i), i < 3);
	assert_true(is_bug(init_too_many, NULL));
}

/* A game with a known answer: a cause costs its own cycles, and two of them 60 more together. With
 * nothing needed each of the two gets half; if one needs the other it gets all. */
TEST(what_two_cost_together_is_shared_unless_one_needs_the_other)
{
	static const uint64_t cycles[] = {100, 110, 120, 190};
	static const uint64_t in_a_row[] = {100, 110, 190};
	static const uint32_t none[] = {0, 0}, second_needs_first[] = {0, 1};
	struct orders orders;
	double mean;

	orders_init(&orders, 2, none);
	assert_int_equal(orders.set_count, 4);
	assert_float_equal(orders_cost_of(&orders, cycles, 0).mean, 10 + 30, 1e-9);
	assert_float_equal(orders_cost_of(&orders, cycles, 1).mean, 20 + 30, 1e-9);
	assert_true(orders_interaction(&orders, cycles, 0, 1, &mean));
	assert_float_equal(mean, 60, 1e-9);
	orders_release(&orders);
	orders_init(&orders, 2, second_needs_first);
	assert_int_equal(orders.set_count, 3);
	assert_float_equal(orders_cost_of(&orders, in_a_row, 0).mean, 10, 1e-9);
	assert_float_equal(orders_cost_of(&orders, in_a_row, 1).mean, 80, 1e-9);
	mean = 17;
	assert_false(orders_interaction(&orders, in_a_row, 0, 1, &mean));
	assert_true(mean == 17);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(orders_find(&orders, orders.sets[i]), i);
	assert_true(is_bug(find_no_set, &orders));
	orders_release(&orders);
}

static void assert_machines(const struct config *config, size_t sets, uint64_t orders)
{
	struct truth_plan plan;

	truth_plan_init(&plan, config, true);
	assert_int_equal(plan.orders.set_count, sets);
	assert_int_equal(orders_all(&plan.orders), orders);
	truth_plan_release(&plan);
}

/* Chains of n causes have n + 1 sets, and sets of chains that do not touch multiply. */
TEST(the_number_of_machines_follows_from_the_causes)
{
	struct config config;

	config_reset(&config);
	config.cache_levels = 2;
	/* l1i < l2i, itlb, branch, l1d < l2d, dtlb: 7! orders, each chain of two in one of 2. */
	assert_machines(&config, 3 * 2 * 2 * 3 * 2, 5040 / 2 / 2);
	config.cache_levels = 3; /* l1i < l2i < l3i and l1d < l2d < l3d */
	assert_machines(&config, 4 * 2 * 2 * 4 * 2, 362880 / 6 / 6);
	config.cache_levels = 1;
	assert_machines(&config, 2 * 2 * 2 * 2 * 2, 120);
	config.cache_levels = 2;
	config.ideal_itlb = true; /* what is perfect to begin with is none */
	assert_machines(&config, 36, 720 / 2 / 2);
	config.ideal_itlb = false;
	config.predictor_kind = PREDICTOR_PERFECT;
	assert_machines(&config, 36, 720 / 2 / 2);
	config_reset(&config);
	config.cache_levels = 2;
	config.memory_line = 4; /* l1d < l2d < bandwidth */
	assert_machines(&config, 3 * 2 * 2 * 4 * 2, 40320 / 2 / 6);
	/* walk needs dtlb and l1d: without the L1D 2 sets of the data side, with it and so many of
	 * l2d and bandwidth 3 each. */
	config.tlb_miss = TLB_MISS_WALK;
	struct truth_plan plan;
	truth_plan_init(&plan, &config, true);
	assert_int_equal(plan.orders.set_count, 3 * 2 * 2 * (2 + 3 * 3));
	truth_plan_release(&plan);
}

TEST(orders_a_and_b_are_among_all_orders)
{
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct rng rng = {seed};
		struct truth_plan plan;
		struct truth_all all;
		struct config config;
		double whole = 0;

		config_reset(&config);
		config.cache_levels = (uint32_t)(1 + seed % 3);
		config.memory_line = seed & 4 ? 4 : 0;
		if (seed & 8)
			config.tlb_miss = TLB_MISS_WALK;
		config.ideal_l2d = seed & 16 && config.cache_levels > 1;
		truth_plan_init(&plan, &config, true);
		uint64_t *cycles = mem_alloc_array(plan.count, sizeof(*cycles));
		for (size_t i = 0; i < plan.count; i++)
			cycles[i] = rng_below(&rng, 1000000);
		truth_read_all(&plan, cycles, &all);
		for (enum truth_order order = TRUTH_A; order < TRUTH_ORDERS; order++) {
			struct stack stack;

			truth_read(&plan, cycles, order, &stack);
			assert_int_equal(stack_sum(&stack), cycles[plan.real]);
			for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
				const struct truth_distance d =
					truth_distance_of(&stack, &all, i, cycles[plan.real]);

				assert_true(stack.cycles[i] >= all.costs[i].lowest);
				assert_true(stack.cycles[i] <= all.costs[i].highest);
				assert_float_equal(d.range, 0, 0);
			}
		}
		for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
			whole += all.costs[i].mean;
		assert_float_equal(whole, (double)cycles[plan.real], 1e-4);
		free(cycles);
		truth_plan_release(&plan);
	}
}

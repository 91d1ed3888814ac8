/* Products of cycles, slots and shares that need more than 64 bits, or than 32. */
#include "../edges.h"
#include "../test.h"
#include "count/clocks.h"
#include "count/count.h"
#include "count/orders.h"
#include "count/topdown.h"
#include "count/vclk.h"
#include "stream.h"

TEST(fetch_is_split_in_proportion_at_every_width)
{
	for (size_t f = 0; f < ARRAY_COUNT(edges) - 1; f++)
		for (size_t w = 0; w < ARRAY_COUNT(edges) - 2; w++) {
			/* A quarter, a half, a quarter. */
			const uint64_t unit = edges[w] / 4 + 1;
			const uint64_t waits[COMPONENT_COUNT] = {[COMPONENT_L1I] = unit,
								 [COMPONENT_L2I] = 2 * unit,
								 [COMPONENT_ITLB] = unit};
			int64_t parts[COMPONENT_COUNT] = {[COMPONENT_L1I] = (int64_t)edges[f]};

			clocks_split_fetch(parts, waits);
			assert_int_equal(parts[COMPONENT_L2I], edges[f] / 2);
			assert_int_equal(parts[COMPONENT_ITLB], edges[f] / 4);
			assert_int_equal(parts[COMPONENT_L1I],
					 edges[f] - edges[f] / 2 - edges[f] / 4);
			/* Time that was gained is split the same way. */
			int64_t less[COMPONENT_COUNT] = {[COMPONENT_L1I] = -(int64_t)edges[f]};
			clocks_split_fetch(less, waits);
			assert_int_equal(less[COMPONENT_L2I], -(int64_t)(edges[f] / 2));
		}
}

/* With twelve free causes there are 479001600 orders; times these, cycles beyond 2^35 do not fit
 * into 64 bits. A cause that adds the same whatever was before costs that in the mean. */
TEST(costs_are_means_however_many_orders)
{
	const uint32_t none[12] = {0};
	struct orders orders;

	orders_init(&orders, 12, none);
	assert_int_equal(orders_all(&orders), 479001600);
	uint64_t *cycles = mem_alloc_array(orders.set_count, sizeof(*cycles));
	for (size_t e = 0; e < ARRAY_COUNT(edges) - 3; e++) {
		for (size_t i = 0; i < orders.set_count; i++)
			cycles[i] = 7 + edges[e] * (orders.sets[i] & 1) +
				    (uint64_t)__builtin_popcount(orders.sets[i] >> 1);
		struct orders_cost cost = orders_cost_of(&orders, cycles, 0);
		double interaction = 1;

		assert_int_equal(cost.lowest, edges[e]);
		assert_int_equal(cost.highest, edges[e]);
		/* Two roundings of a double. */
		assert_true(cost.mean / (double)edges[e] - 1 < 4e-16 &&
			    cost.mean / (double)edges[e] - 1 > -4e-16);
		assert_true(orders_cost_of(&orders, cycles, 5).mean == 1);
		assert_true(orders_interaction(&orders, cycles, 0, 3, &interaction));
		assert_true(interaction == 0);
	}
	free(cycles);
	orders_release(&orders);
}

/* A stream that ends with a record of so many equal cycles. */
static struct tape ending_with(struct cycle last, uint64_t repeat, const struct config *config)
{
	struct tape tape = stream_make(5, config, 300);

	last.repeat = repeat;
	tape_add(&tape, last);
	return tape;
}

static struct stack stack_of(const struct observer_kind *kind, struct cycle last, uint64_t repeat,
			     const struct config *config)
{
	struct tape tape = ending_with(last, repeat, config);
	struct stack stack = tape_stack(&tape, false, kind, config, STREAM_SLOTS);

	assert_int_equal(stack_sum(&stack), tape.cycles);
	tape_release(&tape);
	return stack;
}

/* Each cycle of a record that is longer than any counter of the method holds is worth the same:
 * what ten thousand more add tells what 2^59 add. Slots of a wide machine then take 62 bits. */
TEST(long_records_count_every_cycle)
{
	static const struct cycle lasts[] = {
		{.dispatch_stall = DISPATCH_EMPTY, .fetch_stall = FETCH_L2I},
		{.dispatch_stall = DISPATCH_EMPTY, .fetch_stall = FETCH_ITLB, .wrong_path = 1},
		{.dispatch_stall = DISPATCH_ROB, .head_state = HEAD_L2D, .rob_used = 16},
		{.dispatch_stall = DISPATCH_ROB, .head_state = HEAD_UNIT, .rob_used = 16},
		{.dispatch_stall = DISPATCH_IQ, .head_state = HEAD_DTLB, .rob_used = 7},
		{.dispatch_stall = DISPATCH_SERIALISE, .fetch_stall = FETCH_SERIALISE},
	};
	struct config config;

	config_reset(&config);
	config.rob_size = 16;
	config.dispatch_width = config.commit_width = 8;
	for (size_t k = 0; k < observer_methods(); k++)
		for (size_t l = 0; l < ARRAY_COUNT(lasts); l++) {
			const struct observer_kind *kind = observer_kinds[k];
			const struct stack one = stack_of(kind, lasts[l], 10000, &config),
					   two = stack_of(kind, lasts[l], 20000, &config);

			for (size_t e = 1; edges[e] < UINT64_C(1) << 60; e++) {
				const struct stack got =
					stack_of(kind, lasts[l], edges[e], &config);

				for (unsigned i = 0; i < COMPONENT_COUNT; i++) {
					__int128 more = two.cycles[i] - one.cycles[i];
					__int128 wanted =
						one.cycles[i] +
						more * ((__int128)edges[e] - 10000) / 10000;

					/* Slots that are shared out leave a few cycles over; vclk
					 * scales all it has, ten thousand cycles rounded too. */
					__int128 off =
						kind == &count_vclk ? edges[e] / 2000 + 8 : 8;

					if (got.cycles[i] - wanted > off ||
					    wanted - got.cycles[i] > off)
						fail_msg("%s, record %zu of %llu: %s is %lld, not "
							 "%lld",
							 kind->name, l,
							 (unsigned long long)edges[e],
							 component_rows[i].name,
							 (long long)got.cycles[i],
							 (long long)wanted);
				}
			}
		}
}

TEST(topdown_has_every_slot_of_long_records)
{
	struct config config;

	config_reset(&config);
	config.rob_size = 16;
	config.dispatch_width = config.commit_width = 8;
	for (size_t e = 0; edges[e] < UINT64_C(1) << 60; e++) {
		struct tape tape = ending_with(
			(struct cycle){.dispatched = 5, .useful_dispatched = 0, .wrong_path = 1},
			edges[e], &config);
		struct topdown *topdown = topdown_create(&config, STREAM_SLOTS);
		uint64_t slots[TOPDOWN_COUNT], sum = 0;

		tape_play(&tape, false, topdown_cycle, topdown);
		topdown_read(topdown, slots);
		for (unsigned i = 0; i < TOPDOWN_COUNT; i++)
			sum += slots[i];
		assert_int_equal(sum, 8 * tape.cycles);
		free(topdown);
		tape_release(&tape);
	}
}

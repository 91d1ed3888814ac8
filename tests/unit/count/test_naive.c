/* The naive methods: which misses they count, and the penalty of each. */
#include "../test.h"
#include "hand.h"

TEST(misses_cost_fixed_penalties)
{
	struct tape tape = {0};

	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_FETCH_MISS, 1, FETCH_MISS_TLB | FETCH_WAIT_TLB);
	hand_event(&tape, EVENT_FETCH_MISS, 1, FETCH_MISS_L1 | FETCH_WAIT_L1);
	hand_event(&tape, EVENT_FETCH_MISS, 1,
		   FETCH_MISS_L1 | FETCH_MISS_L2 | FETCH_WAIT_L1 | FETCH_WAIT_L2);
	hand_event(&tape, EVENT_LOAD_MISS, 2, DATA_MISS_TLB | DATA_MISS_L1);
	hand_event(&tape, EVENT_STORE_MISS, 0, DATA_MISS_L1 | DATA_MISS_L2);
	hand_event(&tape, EVENT_MISPREDICT, 3, 0);
	/* These penalties are charged for 1 cycle; the base is the remainder. */
	HAND_EXPECT(&tape, &count_naive, [COMPONENT_ITLB] = 30, [COMPONENT_L1I] = 2 * 9,
		    [COMPONENT_L2I] = 250, [COMPONENT_DTLB] = 30, [COMPONENT_L1D] = 2 * 9,
		    [COMPONENT_L2D] = 250, [COMPONENT_BRANCH] = 5);
	/* Only the store has committed. */
	HAND_EXPECT(&tape, &count_naive_nonspec, [COMPONENT_L1D] = 9, [COMPONENT_L2D] = 250);
	tape_release(&tape);
}

/* A wait without a miss is for a line that was already requested: the miss merged and does not
 * count. */
TEST(merged_misses_do_not_count)
{
	struct tape tape = {0};

	hand_idle(&tape, 10);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_FETCH_MISS, 1, FETCH_WAITS);
	hand_commit(&tape);
	hand_event(&tape, EVENT_COMMIT, 1, FETCH_WAITS);
	HAND_EXPECT(&tape, &count_naive, [COMPONENT_BASE] = 12);
	HAND_EXPECT(&tape, &count_naive_nonspec, [COMPONENT_BASE] = 12);
	tape_release(&tape);
}

TEST(only_what_commits_counts_without_speculation)
{
	struct tape tape = {0};

	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_BRANCH_FETCH, 1, 0);
	hand_event(&tape, EVENT_FETCH_MISS, 2, FETCH_MISS_L1);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_LOAD_MISS, 2, DATA_MISS_L1);
	hand_event(&tape, EVENT_BRANCH_DISPATCH, 1, 0);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 1, 0); /* squashes slot 2 */
	hand_commit(&tape);
	hand_event(&tape, EVENT_COMMIT, 1, COMMIT_BRANCH | COMMIT_MISPREDICTED | FETCH_MISS_TLB);
	hand_commit(&tape);
	hand_event(&tape, EVENT_COMMIT, 2, COMMIT_BRANCH);
	HAND_EXPECT(&tape,
		    &count_naive, [COMPONENT_L1I] = 9, [COMPONENT_L1D] = 9, [COMPONENT_BRANCH] = 5);
	HAND_EXPECT(&tape, &count_naive_nonspec, [COMPONENT_ITLB] = 30, [COMPONENT_BRANCH] = 5);
	tape_release(&tape);
}

/* One level: an L1 miss goes to memory. Three: to the L2, to the L3, to memory. */
TEST(penalties_are_the_next_levels_latency)
{
	struct config config;
	struct tape tape = {0};
	struct stack stack;

	config_reset(&config);
	config.memory_latency = 300;
	config.l2_latency = 12;
	config.l3_latency = 40;
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_LOAD_MISS, 2, DATA_MISS_L1);
	config.cache_levels = 1;
	stack = tape_stack(&tape, false, &count_naive, &config, HAND_SLOTS);
	assert_int_equal(stack.cycles[COMPONENT_L1D], 300);
	assert_int_equal(stack.cycles[COMPONENT_BASE], 1 - 300);
	tape_release(&tape);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_LOAD_MISS, 2, DATA_MISS_L1 | DATA_MISS_L2 | DATA_MISS_L3);
	hand_event(&tape, EVENT_FETCH_MISS, 2, FETCH_MISS_L1 | FETCH_MISS_L2 | FETCH_MISS_L3);
	config.cache_levels = 3;
	stack = tape_stack(&tape, false, &count_naive, &config, HAND_SLOTS);
	for (int side = 0; side < 2; side++) {
		const int64_t *cycles = &stack.cycles[side ? COMPONENT_L1I : COMPONENT_L1D];

		assert_int_equal(cycles[0], 12);
		assert_int_equal(cycles[1], 40);
		assert_int_equal(cycles[2], 300);
	}
	assert_int_equal(stack_sum(&stack), 1);
	tape_release(&tape);
}

/* POWER5's cycles without completion, on hand-made records. */
#include "../test.h"
#include "hand.h"

/* Adds cycles with an instruction in the front end and an empty window. */
static void fronted(struct tape *tape, unsigned waits, uint64_t cycles)
{
	tape_add(tape, (struct cycle){.repeat = cycles,
				      .is_fronted = 1,
				      .front_waits = (uint16_t)waits,
				      .fetch_stall = FETCH_BUFFER,
				      .buffer_used = 4,
				      .dispatch_stall = DISPATCH_EMPTY});
}

static void kept(struct tape *tape, enum head_state head, uint64_t cycles)
{
	tape_add(tape,
		 (struct cycle){.repeat = cycles, .head_state = (uint16_t)head, .rob_used = 3});
}

TEST(a_cycle_that_commits_is_base)
{
	struct tape tape = {0};

	tape_add(&tape, (struct cycle){.committed = 1, .head_state = HEAD_L2D, .rob_used = 3});
	tape_add(&tape, (struct cycle){.committed = 4, .fetch_stall = FETCH_L1I});
	HAND_EXPECT(&tape, &count_power5, [COMPONENT_BASE] = 2);
	tape_release(&tape);
}

TEST(with_instructions_in_the_window_it_is_the_state_of_the_oldest)
{
	struct tape tape = {0};

	kept(&tape, HEAD_DTLB, 2);
	kept(&tape, HEAD_L1D, 3);
	kept(&tape, HEAD_L2D, 5);
	kept(&tape, HEAD_UNIT, 7);
	kept(&tape, HEAD_DONE, 11);
	kept(&tape, HEAD_STORE, 13);
	kept(&tape, HEAD_WAITS, 17);
	kept(&tape, HEAD_EXECUTES, 19);
	kept(&tape, HEAD_MSHR, 23);
	HAND_EXPECT(&tape, &count_power5, [COMPONENT_DTLB] = 2, [COMPONENT_L1D] = 3,
		    [COMPONENT_L2D] = 5, [COMPONENT_RESOURCE] = 7);
	tape_release(&tape);
}

TEST(with_an_empty_window_it_is_the_miss_of_the_next_instruction)
{
	struct tape tape = {0};

	hand_stall(&tape, FETCH_ITLB, 30);
	hand_stall(&tape, FETCH_L1I, 9);
	hand_stall(&tape, FETCH_L2I, 250);
	hand_stall(&tape, FETCH_NOWHERE, 4);
	/* An instruction in the front end: the longest of its waits is charged. */
	fronted(&tape, FETCH_WAIT_TLB, 2);
	fronted(&tape, FETCH_WAIT_TLB | FETCH_WAIT_L1, 3);
	fronted(&tape, FETCH_WAIT_TLB | FETCH_WAIT_L1 | FETCH_WAIT_L2, 5);
	fronted(&tape, FETCH_WAIT_L1, 7);
	fronted(&tape, 0, 11);
	/* An instruction that did not wait, although fetch waits for a later one. */
	tape_add(&tape, (struct cycle){.repeat = 13,
				       .is_fronted = 1,
				       .fetch_stall = FETCH_L1I,
				       .dispatch_stall = DISPATCH_EMPTY});
	HAND_EXPECT(&tape, &count_power5, [COMPONENT_ITLB] = 30 + 2, [COMPONENT_L1I] = 9 + 3 + 7,
		    [COMPONENT_L2I] = 250 + 5);
	tape_release(&tape);
}

TEST(after_a_flush_it_is_the_branch_until_something_is_dispatched)
{
	struct tape tape = {0};

	kept(&tape, HEAD_WAITS, 3);
	tape_add(&tape, (struct cycle){.committed = 1, .fetch_stall = FETCH_NOWHERE});
	hand_event(&tape, EVENT_MISPREDICT, 1, 0);
	hand_stall(&tape, FETCH_NOWHERE, 2);
	hand_stall(&tape, FETCH_L1I, 9); /* the miss of the next instruction comes first */
	fronted(&tape, FETCH_WAIT_L1, 3);
	fronted(&tape, 0, 4);
	/* Commit precedes dispatch in a cycle: the window is still empty in this cycle. */
	tape_add(&tape, (struct cycle){.dispatched = 4, .is_fronted = 1, .rob_used = 4});
	fronted(&tape, 0, 20);
	HAND_EXPECT(&tape, &count_power5, [COMPONENT_BRANCH] = 2 + 4 + 1, [COMPONENT_L1I] = 9 + 3);
	tape_release(&tape);
}

/* In all of these cycles the next instruction has missed and has not been dispatched, including the
 * cycle in which it is delivered, whose record does not have it in front yet. */
TEST(the_cycle_of_delivery_belongs_to_the_miss)
{
	struct tape tape = {0};

	hand_stall(&tape, FETCH_L1I, 1);
	hand_event(&tape, EVENT_FETCH_MISS, 1, FETCH_MISS_L1 | FETCH_WAIT_L1);
	hand_stall(&tape, FETCH_L1I, 8);
	hand_fetch(&tape);
	fronted(&tape, FETCH_WAIT_L1, 4);
	HAND_EXPECT(&tape, &count_power5, [COMPONENT_L1I] = 9 + 1 + 4);
	tape_release(&tape);
}

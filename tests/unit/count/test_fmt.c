/* The frontend miss event table on hand-made records. The base is the remainder. */
#include "../test.h"
#include "hand.h"

TEST(stalls_before_a_branch_are_added_when_it_commits)
{
	struct tape tape = {0};

	hand_stall(&tape, FETCH_ITLB, 30);
	hand_stall(&tape, FETCH_L1I, 9);
	hand_branch_fetch(&tape, 1);
	hand_stall(&tape, FETCH_L2I, 250);
	hand_branch_fetch(&tape, 2);
	hand_branch_dispatch(&tape, 1);
	hand_branch_dispatch(&tape, 2);
	hand_commit(&tape);
	hand_event(&tape, EVENT_COMMIT, 1, COMMIT_BRANCH);
	HAND_EXPECT(&tape,
		    &count_fmt, [COMPONENT_ITLB] = 30, [COMPONENT_L1I] = 9, [COMPONENT_L2I] = 250);
	tape_release(&tape);
}

/* The stalls in the row of the next branch are discarded with the branches of a wrong path;
 * stalls after the resolution are not, even if no branch follows. */
TEST(stalls_on_a_wrong_path_are_discarded)
{
	struct tape tape = {0};

	hand_stall(&tape, FETCH_L1I, 3);
	hand_branch_fetch(&tape, 1);
	hand_stall(&tape, FETCH_L1I, 5);
	hand_branch_fetch(&tape, 2);
	hand_stall(&tape, FETCH_L1I, 7);
	hand_branch_dispatch(&tape, 1);	  /* 1 */
	hand_stall(&tape, FETCH_L2I, 11); /* 11 more */
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 1, 0); /* 1 cycle of refill */
	hand_stall(&tape, FETCH_L2I, 2);
	hand_fetch(&tape); /* 1 */
	hand_dispatch(&tape);
	hand_commit(&tape);
	hand_event(&tape, EVENT_COMMIT, 1, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_L1I] = 3, [COMPONENT_L2I] = 2,
		    [COMPONENT_BRANCH] = 1 + 11 + 1 + 1);
	/* The branch is in the window in all cycles but that of its commit; by then the right path
	 * has dispatched. */
	HAND_EXPECT(&tape, &count_fmt_published, [COMPONENT_L1I] = 3, [COMPONENT_L2I] = 2,
		    [COMPONENT_BRANCH] = 1 + 11 + 1 + 2 + 1 + 1);
	tape_release(&tape);
}

TEST(a_branch_resolves_commits_and_another_is_fetched_in_one_cycle)
{
	struct tape tape = {0};

	hand_branch_fetch(&tape, 31);
	hand_branch_dispatch(&tape, 31);
	hand_idle(&tape, 4);
	tape_add(&tape, (struct cycle){.committed = 1,
				       .fetched = 1,
				       .fed = 1,
				       .buffer_used = 1,
				       .squashed = 3,
				       .dispatch_stall = DISPATCH_EMPTY});
	hand_event(&tape, EVENT_MISPREDICT, 31, 0);
	hand_event(&tape, EVENT_COMMIT, 31, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	hand_event(&tape, EVENT_BRANCH_FETCH, 0, 0);
	hand_idle(&tape, 3);
	hand_branch_dispatch(&tape, 0);
	hand_idle(&tape, 100); /* not mispredicted: not counted */
	hand_commit(&tape);
	hand_event(&tape, EVENT_COMMIT, 0, COMMIT_BRANCH);
	hand_idle(&tape, 100);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_BRANCH] = 1 + 4 + 1 + 3);
	HAND_EXPECT(&tape, &count_fmt_published, [COMPONENT_BRANCH] = 1 + 4 + 1 + 3);
	tape_release(&tape);
}

/* A mispredicted branch on the wrong path of another resolves first and refills; when the older
 * one resolves, all these cycles belong to the older one. */
TEST(a_misprediction_on_a_wrong_path_counts_for_the_older_one)
{
	struct tape tape = {0};

	hand_branch_fetch(&tape, 1);
	hand_branch_fetch(&tape, 2);
	hand_branch_dispatch(&tape, 1); /* 1 */
	hand_branch_dispatch(&tape, 2); /* 2 */
	hand_idle(&tape, 10);		/* 12 */
	hand_idle(&tape, 1);		/* 13 */
	hand_event(&tape, EVENT_MISPREDICT, 2, 0);
	hand_stall(&tape, FETCH_L1I, 9); /* 22; the row is discarded */
	hand_branch_fetch(&tape, 3);	 /* 23 */
	hand_branch_dispatch(&tape, 3);	 /* 24 */
	hand_idle(&tape, 6);		 /* 30 */
	hand_idle(&tape, 1);		 /* 31 */
	hand_event(&tape, EVENT_MISPREDICT, 3, 0);
	hand_idle(&tape, 2); /* 33 */
	hand_idle(&tape, 1); /* 34 */
	hand_event(&tape, EVENT_MISPREDICT, 1, 0);
	hand_idle(&tape, 4); /* 38 */
	hand_commit(&tape);  /* 39: still refilling */
	hand_event(&tape, EVENT_COMMIT, 1, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	hand_idle(&tape, 1);	     /* 40 */
	hand_branch_fetch(&tape, 2); /* 41 */
	hand_branch_dispatch(&tape, 2);
	hand_idle(&tape, 50);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_BRANCH] = 41);
	HAND_EXPECT(&tape, &count_fmt_published, [COMPONENT_BRANCH] = 41);
	tape_release(&tape);
}

/* Two mispredictions, the second fetched after the first has resolved, both committed at the end:
 * exclusive counts separately what published counts twice. */
TEST(branches_that_wait_together_are_counted_twice_only_as_published)
{
	struct tape tape = {0};

	hand_branch_fetch(&tape, 1);
	hand_branch_dispatch(&tape, 1);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 1, 0);
	hand_branch_fetch(&tape, 2);
	hand_branch_dispatch(&tape, 2);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 2, 0);
	hand_idle(&tape, 2);
	hand_dispatch(&tape);
	hand_idle(&tape, 200);
	tape_add(&tape, (struct cycle){.committed = 2, .dispatched = 1});
	hand_event(&tape, EVENT_COMMIT, 1, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	hand_event(&tape, EVENT_COMMIT, 2, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	/* 1 + 1 + 1 for the first and 1 + 1 + 2 for the second. */
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_BRANCH] = 3 + 4);
	/* From dispatch to commit: 208 and 205, in 210 cycles. */
	HAND_EXPECT(&tape, &count_fmt_published, [COMPONENT_BRANCH] = 208 + 205);
	assert_int_equal(tape.cycles, 210);
	tape_release(&tape);
}

TEST(the_published_counter_counts_until_the_next_dispatch)
{
	struct tape tape = {0};

	hand_branch_fetch(&tape, 5);
	hand_branch_dispatch(&tape, 5);
	hand_commit(&tape);
	hand_event(&tape, EVENT_MISPREDICT, 5, 0);
	hand_event(&tape, EVENT_COMMIT, 5, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	hand_stall(&tape, FETCH_L1I, 9); /* published counts these twice */
	hand_fetch(&tape);
	hand_dispatch(&tape);
	hand_idle(&tape, 20);
	HAND_EXPECT(&tape,
		    &count_fmt_published, [COMPONENT_BRANCH] = 1 + 1 + 9 + 1, [COMPONENT_L1I] = 9);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_BRANCH] = 1 + 1 + 1, [COMPONENT_L1I] = 9);
	tape_release(&tape);
}

/* The global counter continues after the commit only until the right path has dispatched, and not
 * at all if it has dispatched before. */
TEST(the_published_counter_does_not_start_after_the_right_path)
{
	struct tape tape = {0};

	hand_branch_fetch(&tape, 5);
	hand_branch_dispatch(&tape, 5);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 5, 0);
	hand_idle(&tape, 3);
	hand_dispatch(&tape);
	hand_commit(&tape);
	hand_event(&tape, EVENT_COMMIT, 5, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	hand_idle(&tape, 50); /* the next miss, say: not the branch's */
	HAND_EXPECT(&tape, &count_fmt_published, [COMPONENT_BRANCH] = 1 + 1 + 3 + 1);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_BRANCH] = 1 + 1 + 3);
	tape_release(&tape);
}

TEST(a_full_cycle_is_charged_to_the_state_of_the_head)
{
	static const struct observer_kind *const kinds[] = {&count_fmt, &count_fmt_published,
							    &count_fmt_rob, &count_sfmt};
	struct tape tape = {0};

	hand_full(&tape, HEAD_DTLB, 2);
	hand_full(&tape, HEAD_L1D, 3);
	hand_full(&tape, HEAD_L2D, 5);
	hand_full(&tape, HEAD_UNIT, 7);
	hand_full(&tape, HEAD_WAITS, 11);
	hand_full(&tape, HEAD_EXECUTES, 13);
	hand_full(&tape, HEAD_MSHR, 17);
	hand_full(&tape, HEAD_DONE, 19);  /* complete */
	hand_full(&tape, HEAD_STORE, 23); /* complete, too */
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		HAND_EXPECT(&tape, kinds[i], [COMPONENT_DTLB] = 2, [COMPONENT_L1D] = 3,
			    [COMPONENT_L2D] = 5, [COMPONENT_RESOURCE] = 7 + 11 + 13 + 17);
	tape_release(&tape);
}

TEST(a_window_is_full_only_if_it_stops_dispatch)
{
	struct cycle full = {
		.dispatch_stall = DISPATCH_ROB, .head_state = HEAD_L2D, .rob_used = 15};
	struct tape tape = {0};

	tape_add(&tape, full);
	full.committed = 1;
	tape_add(&tape, full);
	full.committed = 0;
	full.dispatched = 1;
	tape_add(&tape, full);
	full.dispatched = 0;
	full.dispatch_stall = DISPATCH_EMPTY;
	tape_add(&tape, full);
	full.dispatch_stall = DISPATCH_SERIALISE;
	tape_add(&tape, full);
	full.dispatch_stall = DISPATCH_NONE;
	tape_add(&tape, full);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_L2D] = 1);
	full.dispatch_stall = DISPATCH_IQ;
	tape_add(&tape, full);
	full.dispatch_stall = DISPATCH_LSQ;
	tape_add(&tape, full);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_L2D] = 3);
	HAND_EXPECT(&tape, &count_fmt_published, [COMPONENT_L2D] = 3);
	/* Instructions that came before a queue was full, or the limit on branches was reached, may
	 * still be dispatched. */
	full.dispatched = 1;
	tape_add(&tape, full);
	full.dispatch_stall = DISPATCH_BRANCHES;
	tape_add(&tape, full);
	full.dispatch_stall = DISPATCH_NONE;
	tape_add(&tape, full);
	full.fetch_stall = FETCH_BRANCHES;
	tape_add(&tape, full);
	full.committed = 1;
	tape_add(&tape, full);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_L2D] = 6);
	HAND_EXPECT(&tape, &count_fmt_published, [COMPONENT_L2D] = 6);
	HAND_EXPECT(&tape, &count_fmt_rob, [COMPONENT_L2D] = 1);
	tape_release(&tape);
}

/* A reorder buffer without a free entry is full, whether or not an instruction has come so far that
 * it needs one. */
TEST(a_full_reorder_buffer_is_full_with_nothing_in_front_of_it)
{
	struct tape tape = {0};

	tape_add(&tape, (struct cycle){.repeat = 9,
				       .fetch_stall = FETCH_L1I,
				       .dispatch_stall = DISPATCH_EMPTY,
				       .head_state = HEAD_L2D,
				       .rob_used = 16});
	tape_add(&tape, (struct cycle){.repeat = 5,
				       .fetch_stall = FETCH_L1I,
				       .dispatch_stall = DISPATCH_EMPTY,
				       .head_state = HEAD_L2D,
				       .rob_used = 15});
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_L2D] = 9, [COMPONENT_L1I] = 5);
	HAND_EXPECT(&tape, &count_fmt_rob, [COMPONENT_L2D] = 9, [COMPONENT_L1I] = 5);
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_L2D] = 9, [COMPONENT_L1I] = 5);
	tape_release(&tape);
}

/* The machine's D-TLB miss takes 30 cycles. A load that missed there too waits 12 cycles for the
 * L1D and 40 for the L2 while the window is full: the first 30 of these 52 are the D-TLB's. */
TEST(a_load_that_missed_in_the_dtlb_is_charged_to_it_first)
{
	static const struct observer_kind *const kinds[] = {
		&count_fmt, &count_fmt_published, &count_fmt_rob, &count_sfmt, &count_afmt};
	const struct config config = hand_config();
	struct tape tape = {0};

	assert_int_equal(config.dtlb_miss, 30);
	hand_full(&tape, HEAD_WAITS, 3); /* for an operand: before the load's misses */
	hand_full(&tape, HEAD_L1D, 12);
	hand_full(&tape, HEAD_L2D, 40);
	hand_commit(&tape);
	hand_event(&tape, EVENT_COMMIT, 1, DATA_MISS_TLB | DATA_MISS_L1 | DATA_MISS_L2);
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		HAND_EXPECT(&tape, kinds[i], [COMPONENT_RESOURCE] = 3, [COMPONENT_DTLB] = 30,
			    [COMPONENT_L2D] = 52 - 30);
	/* The next, without such a miss, and one that waits less than that. */
	hand_full(&tape, HEAD_L2D, 40);
	hand_commit(&tape);
	hand_event(&tape, EVENT_COMMIT, 2, DATA_MISS_L1 | DATA_MISS_L2);
	hand_full(&tape, HEAD_DTLB, 4);
	hand_full(&tape, HEAD_L1D, 9);
	hand_commit(&tape);
	hand_event(&tape, EVENT_COMMIT, 3, DATA_MISS_TLB | DATA_MISS_L1);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_RESOURCE] = 3, [COMPONENT_DTLB] = 30 + 13,
		    [COMPONENT_L2D] = 52 - 30 + 40);
	/* The run ends before the commit tells: by phase. */
	hand_full(&tape, HEAD_L1D, 5);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_RESOURCE] = 3, [COMPONENT_DTLB] = 30 + 13,
		    [COMPONENT_L2D] = 52 - 30 + 40, [COMPONENT_L1D] = 5);
	tape_release(&tape);
}

TEST(counters_do_not_count_full_cycles)
{
	struct tape tape = {0};

	hand_branch_fetch(&tape, 1);
	hand_branch_dispatch(&tape, 1);
	hand_full(&tape, HEAD_L2D, 40);
	tape_add(&tape, (struct cycle){.repeat = 9,
				       .fetch_stall = FETCH_L1I,
				       .dispatch_stall = DISPATCH_ROB,
				       .head_state = HEAD_L2D,
				       .rob_used = 16});
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 1, 0);
	hand_full(&tape, HEAD_L2D, 6); /* a queue may be full: the branch did not empty it */
	hand_idle(&tape, 2);
	hand_dispatch(&tape);
	hand_commit(&tape);
	hand_event(&tape, EVENT_COMMIT, 1, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	/* 1, then 1 + 2 of refill; the stall was on the wrong path. */
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_BRANCH] = 4, [COMPONENT_L2D] = 40 + 9 + 6);
	tape_release(&tape);
	/* On the right path published counts both the stall and the full cycles. */
	tape_add(&tape, (struct cycle){.repeat = 9,
				       .fetch_stall = FETCH_L1I,
				       .dispatch_stall = DISPATCH_ROB,
				       .head_state = HEAD_L2D,
				       .rob_used = 16});
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_L2D] = 9);
	HAND_EXPECT(&tape, &count_fmt_published, [COMPONENT_L2D] = 9, [COMPONENT_L1I] = 9);
	tape_release(&tape);
}

TEST(only_an_empty_front_end_stalls)
{
	struct cycle stall = {.fetch_stall = FETCH_L1I, .dispatch_stall = DISPATCH_EMPTY};
	struct tape tape = {0};

	tape_add(&tape, stall);
	stall.buffer_used = 1;
	tape_add(&tape, stall);
	stall.fed = 1;
	tape_add(&tape, stall);
	hand_stall(&tape, FETCH_BUFFER, 1);
	hand_stall(&tape, FETCH_MISFETCH, 1);
	hand_stall(&tape, FETCH_BRANCHES, 1);
	hand_stall(&tape, FETCH_NOWHERE, 1);
	hand_stall(&tape, FETCH_SERIALISE, 1);
	hand_stall(&tape, FETCH_DONE, 1);
	hand_stall(&tape, FETCH_NONE, 1);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_L1I] = 1);
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_L1I] = 1);
	tape_release(&tape);
}

/* Local counters saturate at 4095. Global ones do not saturate. */
TEST(local_counters_saturate)
{
	struct tape tape = {0};

	hand_stall(&tape, FETCH_L1I, 4094);
	hand_branch_fetch(&tape, 1);
	hand_stall(&tape, FETCH_L1I, 4095);
	hand_branch_fetch(&tape, 2);
	hand_stall(&tape, FETCH_L1I, 4000);
	hand_stall(&tape, FETCH_L2I, 1000000);
	hand_stall(&tape, FETCH_L1I, 4000);
	hand_branch_fetch(&tape, 3);
	hand_stall(&tape, FETCH_ITLB, 1 << 20); /* its row is still open */
	hand_branch_dispatch(&tape, 1);
	hand_branch_dispatch(&tape, 2);
	hand_branch_dispatch(&tape, 3);
	tape_add(&tape, (struct cycle){.committed = 3});
	hand_event(&tape, EVENT_COMMIT, 1, COMMIT_BRANCH);
	hand_event(&tape, EVENT_COMMIT, 2, COMMIT_BRANCH);
	hand_event(&tape, EVENT_COMMIT, 3, COMMIT_BRANCH);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_L1I] = 4094 + 4095 + 4095, [COMPONENT_L2I] = 4095,
		    [COMPONENT_ITLB] = 4095);
	tape_release(&tape);

	hand_branch_fetch(&tape, 1);
	hand_branch_dispatch(&tape, 1);
	hand_idle(&tape, 4000);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 1, 0);
	hand_idle(&tape, 4000); /* refill, counted in the branch's own counter */
	hand_commit(&tape);
	hand_event(&tape, EVENT_COMMIT, 1, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	hand_idle(&tape, 6000); /* refill after its commit, counted in the global counter */
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_BRANCH] = 4095 + 1 + 6000);
	HAND_EXPECT(&tape, &count_fmt_published, [COMPONENT_BRANCH] = 4095 + 1 + 6000);
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_BRANCH] = 4095 + 1 + 6000);
	tape_release(&tape);

	hand_full(&tape, HEAD_L2D, 1 << 30);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_L2D] = 1 << 30);
	tape_release(&tape);
}

/* The table must work with every number of branches in flight that the ring has slots for, around
 * the ring several times. */
TEST(the_table_is_a_ring)
{
	struct tape tape = {0};
	uint32_t fetched = 0, dispatched = 0, committed = 0;

	for (uint32_t in_flight = 1; in_flight <= HAND_SLOTS; in_flight++) {
		for (; fetched < committed + in_flight; fetched++) {
			hand_stall(&tape, FETCH_L1I, 1);
			hand_branch_fetch(&tape, fetched % HAND_SLOTS);
		}
		for (; dispatched < fetched; dispatched++)
			hand_branch_dispatch(&tape, dispatched % HAND_SLOTS);
		for (; committed < fetched - in_flight / 2; committed++) {
			hand_commit(&tape);
			hand_event(&tape, EVENT_COMMIT, committed % HAND_SLOTS, COMMIT_BRANCH);
		}
	}
	assert_true(committed > 4 * HAND_SLOTS);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_L1I] = fetched);
	tape_release(&tape);
}

/* The shared table, its variants and afmt on hand-made records. */
#include "../test.h"
#include "count/sfmt.h"
#include "hand.h"

#define WAITED (FETCH_WAIT_L1 | FETCH_MISS_L1)

/* Adds a miss of so many cycles that delays the instruction of a slot until its delivery. */
static void miss(struct tape *tape, uint32_t slot, uint64_t cycles)
{
	hand_stall(tape, FETCH_L1I, 1);
	hand_event(tape, EVENT_FETCH_MISS, slot, WAITED);
	if (cycles > 1)
		hand_stall(tape, FETCH_L1I, cycles - 1);
	hand_fetch(tape);
}

static void commit(struct tape *tape, uint32_t slot, unsigned detail)
{
	hand_commit(tape);
	hand_event(tape, EVENT_COMMIT, slot, detail);
}

static struct sfmt_losses losses_of(const struct tape *tape, const struct observer_kind *kind)
{
	struct config config = hand_config();
	void *counter = tape_count(tape, false, kind, &config, HAND_SLOTS);
	struct sfmt_losses losses;

	sfmt_read_losses(counter, &losses);
	kind->destroy(counter);
	return losses;
}

static void assert_losses(const struct tape *tape, const struct observer_kind *kind, uint64_t older,
			  uint64_t younger, uint64_t wrong)
{
	struct sfmt_losses losses = losses_of(tape, kind);

	assert_int_equal(losses.older, older);
	assert_int_equal(losses.younger, younger);
	assert_int_equal(losses.wrong, wrong);
}

TEST(the_commit_of_a_delayed_instruction_adds_the_counters)
{
	struct tape tape = {0};

	hand_branch_fetch(&tape, 1);
	hand_branch_dispatch(&tape, 1);
	miss(&tape, 2, 9);
	hand_dispatch(&tape);
	/* The delayed instruction is younger than the branch, so its stalls are cleared. */
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 1, 0);
	commit(&tape, 1, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_BRANCH] = 1 + 9 + 1 + 1 + 1 + 1);
	tape_release(&tape);

	/* The delayed instruction is older: its 9 cycles have been added when the branch clears. */
	miss(&tape, 0, 9);
	hand_branch_fetch(&tape, 1);
	hand_dispatch(&tape);
	hand_branch_dispatch(&tape, 1);
	commit(&tape, 0, WAITED);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 1, 0);
	commit(&tape, 1, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_L1I] = 9, [COMPONENT_BRANCH] = 4);
	tape_release(&tape);
}

TEST(adding_clears_the_bits_of_all)
{
	struct tape tape = {0};

	miss(&tape, 1, 9);
	miss(&tape, 2, 5);
	hand_branch_fetch(&tape, 3);
	hand_dispatch(&tape);
	hand_dispatch(&tape);
	hand_branch_dispatch(&tape, 3);
	commit(&tape, 1, WAITED); /* 14 */
	hand_stall(&tape, FETCH_L1I, 7);
	commit(&tape, 2, WAITED); /* its bit is cleared: the 7 stay in the counters */
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 3, 0);
	commit(&tape, 3, COMMIT_BRANCH | COMMIT_MISPREDICTED); /* clears the 7 */
	HAND_EXPECT(&tape,
		    &count_sfmt, [COMPONENT_L1I] = 14, [COMPONENT_BRANCH] = 1 + 1 + 7 + 1 + 2);
	tape_release(&tape);
}

/* A group that ends in a wait for the second line of its next instruction: a miss that begins in
 * the cycle of a delivery does not mark the instruction that is delivered. */
TEST(a_miss_marks_the_next_to_be_delivered)
{
	struct tape tape = {0};

	hand_fetch(&tape);
	hand_event(&tape, EVENT_FETCH_MISS, 2, WAITED);
	hand_stall(&tape, FETCH_L1I, 8);
	hand_branch_fetch(&tape, 2);
	hand_dispatch(&tape);
	hand_branch_dispatch(&tape, 2);
	/* The instruction before it has the tag of an older wait, but no bit. */
	commit(&tape, 1, WAITED);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 2, 0);
	commit(&tape, 2, WAITED | COMMIT_BRANCH | COMMIT_MISPREDICTED);
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_L1I] = 8, [COMPONENT_BRANCH] = 2 + 2);
	/* Counters and bit are cleared at the resolution. */
	HAND_EXPECT(&tape, &count_sfmt_resolve, [COMPONENT_BRANCH] = 2 + 2);
	tape_release(&tape);
}

/* A miss that a misprediction has abandoned marks no instruction. */
TEST(an_abandoned_miss_leaves_no_bit)
{
	struct tape tape = {0};

	hand_branch_fetch(&tape, 1);
	hand_branch_dispatch(&tape, 1);
	hand_stall(&tape, FETCH_L1I, 1);
	hand_event(&tape, EVENT_FETCH_MISS, 2, WAITED);
	hand_stall(&tape, FETCH_L1I, 3);
	hand_fetch(&tape); /* redirected, and delivered in the same cycle: slot 2 again */
	hand_event(&tape, EVENT_MISPREDICT, 1, 0);
	hand_stall(&tape, FETCH_L1I, 6);
	hand_dispatch(&tape);
	commit(&tape, 1, COMMIT_BRANCH | COMMIT_MISPREDICTED); /* clears */
	hand_stall(&tape, FETCH_L1I, 5);
	commit(&tape, 2, 0);
	hand_idle(&tape, 1);
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_L1I] = 5, [COMPONENT_BRANCH] = 1 + 4 + 1);
	tape_release(&tape);
}

/* One mispredicted branch commits while the penalty of another, which has resolved and waits, is
 * in the table. By the letter of the rule it is cleared too. */
TEST(clearing_at_commit_clears_the_penalties_of_others)
{
	struct tape tape = {0};

	hand_branch_fetch(&tape, 1);
	hand_branch_dispatch(&tape, 1);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 1, 0);
	hand_branch_fetch(&tape, 2);
	hand_branch_dispatch(&tape, 2);
	hand_idle(&tape, 10);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 2, 0);
	hand_dispatch(&tape);
	commit(&tape, 1, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	commit(&tape, 2, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_BRANCH] = 3 + 12);
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_BRANCH] = 3);
	HAND_EXPECT(&tape, &count_afmt, [COMPONENT_BRANCH] = 3 + 12);
	HAND_EXPECT(&tape, &count_sfmt_resolve, [COMPONENT_BRANCH] = 3 + 12);
	HAND_EXPECT(&tape, &count_sfmt_counters, [COMPONENT_BRANCH] = 3 + 12);
	HAND_EXPECT(&tape, &count_sfmt_resolve_counters, [COMPONENT_BRANCH] = 3 + 12);
	tape_release(&tape);
}

/* The same while the other has not resolved: it counts again from there. */
TEST(a_penalty_that_is_cleared_counts_again)
{
	struct tape tape = {0};

	hand_branch_fetch(&tape, 1);
	hand_branch_dispatch(&tape, 1);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 1, 0);
	hand_branch_fetch(&tape, 2);
	hand_branch_dispatch(&tape, 2);
	hand_idle(&tape, 10);
	commit(&tape, 1, COMMIT_BRANCH | COMMIT_MISPREDICTED); /* 1 */
	hand_idle(&tape, 20);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 2, 0);
	hand_dispatch(&tape);
	commit(&tape, 2, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_BRANCH] = 3 + 1 + 20 + 1);
	HAND_EXPECT(&tape, &count_sfmt_counters, [COMPONENT_BRANCH] = 3 + 1 + 10 + 1 + 20 + 1);
	tape_release(&tape);
}

/* A miss, a misprediction, a miss; the delayed instruction commits last. */
TEST(variants_differ_in_what_they_clear)
{
	struct tape tape = {0};

	miss(&tape, 1, 9);
	hand_branch_fetch(&tape, 2);
	hand_dispatch(&tape);
	hand_branch_dispatch(&tape, 2);
	/* Stalls on the wrong path. */
	tape_add(&tape, (struct cycle){.repeat = 6,
				       .fetch_stall = FETCH_L1I,
				       .wrong_path = 1,
				       .dispatch_stall = DISPATCH_EMPTY});
	hand_stall(&tape, FETCH_L2I, 1);
	hand_event(&tape, EVENT_MISPREDICT, 2, 0);
	hand_event(&tape, EVENT_FETCH_MISS, 3, WAITED);
	hand_stall(&tape, FETCH_L2I, 4);
	hand_fetch(&tape);
	hand_dispatch(&tape);
	commit(&tape, 1, WAITED);
	commit(&tape, 2, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	commit(&tape, 3, WAITED);
	HAND_EXPECT(&tape, &count_fmt, [COMPONENT_L1I] = 9, [COMPONENT_L2I] = 5,
		    [COMPONENT_BRANCH] = 1 + 6 + 1);
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_L1I] = 9 + 6, [COMPONENT_L2I] = 5,
		    [COMPONENT_BRANCH] = 1 + 6 + 1);
	assert_losses(&tape, &count_sfmt, 0, 0, 6);
	HAND_EXPECT(&tape, &count_sfmt_counters, [COMPONENT_L1I] = 9 + 6, [COMPONENT_L2I] = 5,
		    [COMPONENT_BRANCH] = 1 + 6 + 1);
	HAND_EXPECT(&tape,
		    &count_sfmt_resolve, [COMPONENT_L2I] = 5, [COMPONENT_BRANCH] = 1 + 6 + 1);
	assert_losses(&tape, &count_sfmt_resolve, 9, 0, 0);
	HAND_EXPECT(
		&tape,
		&count_sfmt_resolve_counters, [COMPONENT_L2I] = 5, [COMPONENT_BRANCH] = 1 + 6 + 1);
	assert_losses(&tape, &count_sfmt_resolve_counters, 9, 0, 0);
	tape_release(&tape);

	/* No instruction before the branch was delayed: stalls after it are cleared at its
	 * commit. */
	hand_branch_fetch(&tape, 2);
	hand_branch_dispatch(&tape, 2);
	hand_stall(&tape, FETCH_L2I, 1);
	hand_event(&tape, EVENT_MISPREDICT, 2, 0);
	hand_event(&tape, EVENT_FETCH_MISS, 3, WAITED);
	hand_stall(&tape, FETCH_L2I, 4);
	hand_fetch(&tape);
	hand_dispatch(&tape);
	commit(&tape, 2, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	commit(&tape, 3, WAITED);
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_BRANCH] = 1 + 1);
	assert_losses(&tape, &count_sfmt, 0, 5, 0);
	HAND_EXPECT(&tape, &count_sfmt_counters, [COMPONENT_BRANCH] = 1 + 1);
	assert_losses(&tape, &count_sfmt_counters, 0, 5, 0);
	HAND_EXPECT(&tape, &count_sfmt_resolve, [COMPONENT_L2I] = 5, [COMPONENT_BRANCH] = 1 + 1);
	HAND_EXPECT(&tape,
		    &count_sfmt_resolve_counters, [COMPONENT_L2I] = 5, [COMPONENT_BRANCH] = 1 + 1);
	tape_release(&tape);
}

/* The stalls that a misprediction on a wrong path clears when it resolves were counted before that
 * branch was fetched. */
TEST(losses_by_a_branch_on_a_wrong_path_are_older)
{
	struct tape tape = {0};

	miss(&tape, 1, 9);
	hand_branch_fetch(&tape, 2);
	hand_branch_fetch(&tape, 3);
	hand_dispatch(&tape);
	hand_branch_dispatch(&tape, 2);
	hand_branch_dispatch(&tape, 3);
	hand_idle(&tape, 1);
	tape_event(&tape,
		   (struct cycle_event){.kind = EVENT_MISPREDICT, .slot = 3, .wrong_path = 1});
	assert_losses(&tape, &count_sfmt_resolve, 9, 0, 0);
	tape_release(&tape);
}

/* One branch resolves, right-path stalls follow, a second resolves, the first commits and clears:
 * the stalls came after the resolution of the branch that clears them. */
TEST(losses_are_older_or_younger_than_the_branch_that_clears)
{
	struct tape tape = {0};

	hand_branch_fetch(&tape, 1);
	hand_branch_dispatch(&tape, 1);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 1, 0);
	miss(&tape, 2, 9);
	hand_branch_fetch(&tape, 3);
	hand_dispatch(&tape);
	hand_branch_dispatch(&tape, 3);
	hand_idle(&tape, 1);
	hand_event(&tape, EVENT_MISPREDICT, 3, 0);
	commit(&tape, 1, COMMIT_BRANCH | COMMIT_MISPREDICTED);
	assert_losses(&tape, &count_sfmt, 0, 9, 0);
	tape_release(&tape);
}

TEST(shared_counters_saturate)
{
	struct tape tape = {0};

	miss(&tape, 1, 5000);
	hand_dispatch(&tape);
	commit(&tape, 1, WAITED);
	miss(&tape, 2, 4000);
	hand_dispatch(&tape);
	commit(&tape, 2, WAITED);
	hand_stall(&tape, FETCH_ITLB, 100000); /* its row is still open */
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_L1I] = 4095 + 4000, [COMPONENT_ITLB] = 4095);
	tape_release(&tape);
}

/* 4 wide, 16 entries: after a commit that leaves 5, the window would hold 9, 13 and 17, and a
 * miss at its head is charged from the fourth cycle on, whether dispatch delivers instructions or
 * not. */
TEST(afmt_detects_a_full_window_by_its_age)
{
	struct cycle starved = {.fetch_stall = FETCH_L1I,
				.dispatch_stall = DISPATCH_EMPTY,
				.head_state = HEAD_L2D,
				.rob_used = 5};
	struct tape tape = {0};

	tape_add(&tape, (struct cycle){.committed = 1, .rob_used = 5, .head_state = HEAD_L2D});
	starved.repeat = 10;
	tape_add(&tape, starved);
	HAND_EXPECT(&tape, &count_sfmt, [COMPONENT_L1I] = 10);
	HAND_EXPECT(&tape, &count_afmt, [COMPONENT_L1I] = 3, [COMPONENT_L2D] = 7);
	/* A head that waits for no miss is not charged, but the age increases. */
	tape_add(&tape, (struct cycle){.committed = 1, .rob_used = 5, .head_state = HEAD_WAITS});
	starved.head_state = HEAD_WAITS;
	starved.repeat = 5;
	tape_add(&tape, starved);
	starved.head_state = HEAD_DTLB;
	starved.repeat = 2;
	tape_add(&tape, starved);
	HAND_EXPECT(
		&tape,
		&count_afmt, [COMPONENT_L1I] = 3 + 5, [COMPONENT_L2D] = 7, [COMPONENT_DTLB] = 2);
	/* For a window that is really full the age does not matter. */
	tape_add(&tape, (struct cycle){.committed = 1, .rob_used = 0, .head_state = HEAD_WAITS});
	hand_full(&tape, HEAD_UNIT, 3);
	HAND_EXPECT(&tape, &count_afmt, [COMPONENT_L1I] = 3 + 5, [COMPONENT_L2D] = 7,
		    [COMPONENT_DTLB] = 2, [COMPONENT_RESOURCE] = 3);
	tape_release(&tape);
}

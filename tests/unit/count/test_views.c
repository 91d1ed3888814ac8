/*
 * topdown, stages and overlap on records written by hand, with what they must say worked out on
 * paper: for every reason why fetch or dispatch stops and every state of the oldest instruction.
 */
#include "../test.h"
#include "count/overlap.h"
#include "count/stages.h"
#include "count/topdown.h"
#include "hand.h"

/* In hand_config the window has 16 entries; 4 dispatch, 8 issue and 4 commit in a cycle at most. */

static void flush(struct tape *tape, enum cycle_event_kind kind, bool wrong_path)
{
	tape_event(tape, (struct cycle_event){.kind = (uint8_t)kind, .wrong_path = wrong_path});
}

/* topdown */

#define SLOTS(...)                      \
	(const uint64_t[TOPDOWN_COUNT]) \
	{                               \
		__VA_ARGS__             \
	}

static void expect_topdown(struct tape *tape, const uint64_t wanted[TOPDOWN_COUNT])
{
	struct config config = hand_config();
	uint64_t slots[TOPDOWN_COUNT];

	for (int singly = 0; singly < 2; singly++) {
		struct topdown *topdown =
			tape_count(tape, singly, &count_topdown, &config, HAND_SLOTS);
		struct err err;

		topdown_read(topdown, slots);
		for (unsigned i = 0; i < TOPDOWN_COUNT; i++)
			if (slots[i] != wanted[i])
				fail_msg("%s has %llu slots instead of %llu", topdown_slots[i].name,
					 (unsigned long long)slots[i],
					 (unsigned long long)wanted[i]);
		assert_true(count_topdown.check(topdown, tape->cycles, &err));
		assert_false(count_topdown.check(topdown, tape->cycles + 1, &err));
		free(topdown);
	}
	tape_release(tape);
}

/* 3 cycles of 4 slots, of which one is used in each. What is in the window at the end, 16, counts
 * as retiring; it was dispatched before, so 3 - 16 of the slots are taken back from those of wrong
 * paths: the tape begins with 13 instructions. */
TEST(a_full_window_is_memory_bound_or_core_bound)
{
	static const bool is_memory[] = {
		[HEAD_EMPTY] = false, [HEAD_DONE] = false,     [HEAD_STORE] = true,
		[HEAD_WAITS] = false, [HEAD_EXECUTES] = false, [HEAD_UNIT] = false,
		[HEAD_DTLB] = true,   [HEAD_L1D] = true,       [HEAD_L2D] = true,
		[HEAD_L3D] = true,    [HEAD_MSHR] = true,
	};
	static const uint8_t stalls[] = {DISPATCH_ROB, DISPATCH_IQ, DISPATCH_LSQ,
					 DISPATCH_SERIALISE, DISPATCH_BRANCHES};

	for (uint16_t head = 0; head < ARRAY_COUNT(is_memory); head++)
		for (size_t k = 0; k < ARRAY_COUNT(stalls); k++) {
			struct tape tape = {0};

			for (unsigned i = 0; i < 4; i++)
				tape_add(&tape, (struct cycle){.dispatched = i < 3 ? 4 : 1,
							       .dispatch_stall = DISPATCH_EMPTY,
							       .rob_used = 1});
			tape_add(&tape, (struct cycle){.repeat = 3,
						       .dispatched = 1,
						       .head_state = head,
						       .dispatch_stall = stalls[k],
						       .rob_used = 16});
			expect_topdown(&tape, is_memory[head] ? SLOTS([TOPDOWN_RETIRING] = 16,
								      [TOPDOWN_FETCH_BANDWIDTH] = 3,
								      [TOPDOWN_MEMORY_BOUND] = 9)
							      : SLOTS([TOPDOWN_RETIRING] = 16,
								      [TOPDOWN_FETCH_BANDWIDTH] = 3,
								      [TOPDOWN_CORE_BOUND] = 9));
		}
}

TEST(an_empty_front_end_is_latency_or_bandwidth)
{
	struct tape tape = {0};

	for (uint16_t head = HEAD_EMPTY; head <= HEAD_MSHR; head++) {
		/* Nothing in 5 cycles; then 1 of 4, whatever the oldest waits for; then all 4. */
		tape_add(&tape, (struct cycle){.repeat = 5,
					       .head_state = head,
					       .dispatch_stall = DISPATCH_EMPTY});
		tape_add(&tape, (struct cycle){.dispatched = 1,
					       .committed = 2,
					       .head_state = head,
					       .dispatch_stall = DISPATCH_EMPTY});
		tape_add(&tape, (struct cycle){.dispatched = 4, .committed = 3, .rob_used = 0});
		expect_topdown(&tape, SLOTS([TOPDOWN_RETIRING] = 5, [TOPDOWN_FETCH_LATENCY] = 20,
					    [TOPDOWN_FETCH_BANDWIDTH] = 3));
	}
}

/* 8 are dispatched, of which 3 retire and 1 stays: 4 were of a wrong path. After the flush, the
 * slots of 2 cycles are empty; the first instruction dispatched ends that. */
TEST(a_flush_is_bad_speculation_until_the_next_dispatch)
{
	static const struct {
		enum cycle_event_kind kind;
		enum topdown_slot slot;
	} flushes[] = {{EVENT_MISPREDICT, TOPDOWN_BRANCH_MISPREDICTS},
		       {EVENT_REPLAY, TOPDOWN_MACHINE_CLEARS}};

	for (size_t i = 0; i < ARRAY_COUNT(flushes); i++) {
		uint64_t wanted[TOPDOWN_COUNT] = {[TOPDOWN_RETIRING] = 4,
						  [TOPDOWN_BRANCH_MISPREDICTS] = 4,
						  [TOPDOWN_FETCH_BANDWIDTH] = 3,
						  [TOPDOWN_FETCH_LATENCY] = 4};
		struct tape tape = {0};

		tape_add(&tape, (struct cycle){.dispatched = 4});
		tape_add(&tape, (struct cycle){.dispatched = 3,
					       .dispatch_stall = DISPATCH_ROB,
					       .head_state = HEAD_L1D});
		wanted[TOPDOWN_MEMORY_BOUND] = 1;
		tape_add(&tape, (struct cycle){.committed = 3, .dispatch_stall = DISPATCH_EMPTY});
		flush(&tape, flushes[i].kind, false);
		tape_add(&tape, (struct cycle){.dispatch_stall = DISPATCH_ROB});
		wanted[flushes[i].slot] += 8;
		tape_add(&tape, (struct cycle){.dispatched = 1, .dispatch_stall = DISPATCH_EMPTY});
		tape_add(&tape, (struct cycle){.dispatch_stall = DISPATCH_EMPTY, .rob_used = 1});
		expect_topdown(&tape, wanted);
	}
}

/* 4 are dispatched and replayed: dispatched again, 2 in each of 2 cycles. A misprediction after a
 * replay is one. */
TEST(what_dispatches_again_is_a_machine_clear)
{
	struct tape tape = {0};

	tape_add(&tape, (struct cycle){.dispatched = 4});
	tape_add(&tape, (struct cycle){.dispatch_stall = DISPATCH_EMPTY});
	flush(&tape, EVENT_REPLAY, false);
	tape_add(&tape, (struct cycle){.repeat = 2,
				       .dispatched = 2,
				       .again_dispatched = 2,
				       .dispatch_stall = DISPATCH_EMPTY});
	tape_add(&tape, (struct cycle){.committed = 4, .dispatch_stall = DISPATCH_EMPTY});
	flush(&tape, EVENT_MISPREDICT, false);
	/* Of 8 dispatched, 4 retire and 4 were dispatched again: none was of a wrong path. */
	expect_topdown(&tape,
		       SLOTS([TOPDOWN_RETIRING] = 4, [TOPDOWN_MACHINE_CLEARS] = 4 + 4,
			     [TOPDOWN_FETCH_BANDWIDTH] = 4, [TOPDOWN_BRANCH_MISPREDICTS] = 4));
}

/* stages */

/* What the three stages charge a lost cycle to. */
struct stage_case {
	struct cycle record;
	enum component dispatch, issue, commit;
};

static void expect_stages(struct tape *tape, const struct config *config,
			  const struct stack wanted[STAGE_COUNT])
{
	for (int singly = 0; singly < 2; singly++) {
		struct stages *stages = tape_count(tape, singly, &count_stages, config, HAND_SLOTS);
		struct err err;

		for (enum stage_view view = STAGE_DISPATCH; view < STAGE_COUNT; view++) {
			struct stack got;

			stages_read(stages, view, &got);
			for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
				if (got.cycles[i] != wanted[view].cycles[i])
					fail_msg("%s: %s is %lld instead of %lld",
						 stage_view_name(view), component_rows[i].name,
						 (long long)got.cycles[i],
						 (long long)wanted[view].cycles[i]);
		}
		assert_true(count_stages.check(stages, tape->cycles, &err));
		assert_false(count_stages.check(stages, tape->cycles + 1, &err));
		free(stages);
	}
}

/* The record, for 2 cycles, is charged as the case says. */
static void expect_case(struct tape *tape, const struct stage_case *c)
{
	struct config config = hand_config();
	struct stack wanted[STAGE_COUNT] = {0};
	struct cycle record = c->record;

	record.repeat = 2;
	tape_add(tape, record);
	wanted[STAGE_DISPATCH].cycles[c->dispatch] += 2;
	wanted[STAGE_ISSUE].cycles[c->issue] += 2;
	wanted[STAGE_COMMIT].cycles[c->commit] += 2;
	expect_stages(tape, &config, wanted);
	tape_release(tape);
}

TEST(an_empty_front_end_is_charged_to_what_fetch_waits_for)
{
	static const enum component waits[] = {
		[FETCH_NONE] = COMPONENT_BASE,	     [FETCH_ITLB] = COMPONENT_ITLB,
		[FETCH_L1I] = COMPONENT_L1I,	     [FETCH_L2I] = COMPONENT_L2I,
		[FETCH_L3I] = COMPONENT_L3I,	     [FETCH_BUFFER] = COMPONENT_BASE,
		[FETCH_MISFETCH] = COMPONENT_BRANCH, [FETCH_TAKEN] = COMPONENT_BRANCH,
		[FETCH_BRANCHES] = COMPONENT_BASE,   [FETCH_NOWHERE] = COMPONENT_BASE,
		[FETCH_SERIALISE] = COMPONENT_BASE,  [FETCH_DONE] = COMPONENT_BASE,
	};

	for (uint16_t stall = 0; stall < ARRAY_COUNT(waits); stall++) {
		enum component c = waits[stall];
		/* A miss matters once feed has nothing left. */
		enum component fed = c == COMPONENT_BRANCH ? c : COMPONENT_BASE;
		struct tape tape = {0};
		struct cycle empty = {.fetch_stall = stall, .dispatch_stall = DISPATCH_EMPTY};
		struct cycle other = empty;

		expect_case(&tape, &(struct stage_case){empty, c, c, c});
		other.dispatch_stall = DISPATCH_NONE;
		expect_case(&tape, &(struct stage_case){other, c, c, c});
		other = empty;
		other.fed = 1;
		expect_case(&tape, &(struct stage_case){other, fed, fed, fed});
		other = empty;
		other.buffer_used = 1;
		expect_case(&tape, &(struct stage_case){other, fed, fed, fed});
		/* The window holds an instruction that misses: commit waits for it, and so does
		 * issue, unless all that issues is of a wrong path. */
		other = empty;
		other.head_state = HEAD_L2D;
		other.rob_used = other.iq_used = 3;
		expect_case(&tape, &(struct stage_case){other, c, COMPONENT_L2D, COMPONENT_L2D});
		other.issued = 1;
		expect_case(&tape, &(struct stage_case){other, c, c, COMPONENT_L2D});
		other.issued = other.iq_used = 0;
		expect_case(&tape, &(struct stage_case){other, c, c, COMPONENT_L2D});
	}
}

TEST(a_full_window_is_charged_to_what_the_oldest_waits_for)
{
	static const enum component states[] = {
		[HEAD_EMPTY] = COMPONENT_BASE,	   [HEAD_DONE] = COMPONENT_BASE,
		[HEAD_STORE] = COMPONENT_RESOURCE, [HEAD_WAITS] = COMPONENT_BASE,
		[HEAD_EXECUTES] = COMPONENT_BASE,  [HEAD_UNIT] = COMPONENT_RESOURCE,
		[HEAD_DTLB] = COMPONENT_DTLB,	   [HEAD_L1D] = COMPONENT_L1D,
		[HEAD_L2D] = COMPONENT_L2D,	   [HEAD_L3D] = COMPONENT_L3D,
		[HEAD_MSHR] = COMPONENT_RESOURCE,
	};
	static const enum component late[] = {
		[LATE_INT_ALU] = COMPONENT_RESOURCE,	[LATE_INT_MULDIV] = COMPONENT_RESOURCE,
		[LATE_MEMORY] = COMPONENT_RESOURCE,	[LATE_FP_ADD] = COMPONENT_RESOURCE,
		[LATE_FP_MULDIV] = COMPONENT_RESOURCE,	[LATE_WAIT] = COMPONENT_RESOURCE,
		[LATE_STORE_DTLB] = COMPONENT_DTLB,	[LATE_STORE_L1D] = COMPONENT_L1D,
		[LATE_STORE_L2D] = COMPONENT_L2D,	[LATE_STORE_L3D] = COMPONENT_L3D,
		[LATE_STORE_MSHR] = COMPONENT_RESOURCE,
	};
	static const uint8_t stalls[] = {DISPATCH_ROB,	 DISPATCH_IQ,	     DISPATCH_LSQ,
					 DISPATCH_ORDER, DISPATCH_SERIALISE, DISPATCH_BRANCHES};

	for (size_t k = 0; k < ARRAY_COUNT(stalls); k++) {
		struct tape tape = {0};
		struct cycle full = {.fetch_stall = FETCH_L2I,
				     .dispatch_stall = stalls[k],
				     .rob_used = 16,
				     .iq_used = 5};

		for (uint16_t head = HEAD_DONE; head < ARRAY_COUNT(states); head++) {
			enum component c = states[head];

			full.head_late = LATE_NONE;
			full.head_state = head;
			expect_case(&tape, &(struct stage_case){full, c, c, c});
			/* What made it late counts more than what it does. */
			for (uint16_t n = LATE_INT_ALU; n < ARRAY_COUNT(late); n++) {
				full.head_late = n;
				expect_case(&tape,
					    &(struct stage_case){full, late[n], late[n], late[n]});
			}
		}
		/* Nothing is left to commit: commit waits for the front end. */
		full.head_late = LATE_NONE;
		full.head_state = HEAD_EMPTY;
		expect_case(&tape, &(struct stage_case){full, COMPONENT_BASE, COMPONENT_BASE,
							COMPONENT_L2I});
	}
}

/* A cycle in which every stage passes as many as it can, with a branch that dispatches. */
static void add_branch(struct tape *tape, bool mispredicted, bool wrong_path)
{
	tape_add(tape, (struct cycle){.dispatched = 4,
				      .useful_dispatched = 4,
				      .issued = 4,
				      .useful_issued = 4,
				      .committed = 4});
	tape_event(tape, (struct cycle_event){.kind = EVENT_BRANCH_DISPATCH,
					      .mispredicted = mispredicted,
					      .wrong_path = wrong_path});
}

static void add_flush(struct tape *tape, enum cycle_event_kind kind, bool wrong_path)
{
	tape_add(tape, (struct cycle){.useful_issued = 4,
				      .issued = 4,
				      .committed = 4,
				      .dispatch_stall = DISPATCH_EMPTY});
	flush(tape, kind, wrong_path);
}

/* What dispatch charges 1000 empty cycles to that follow. */
static void expect_after(struct tape *tape, enum component component, const char *what)
{
	struct config config = hand_config();
	struct stack stack;

	tape_add(tape, (struct cycle){.repeat = 1000, .dispatch_stall = DISPATCH_EMPTY});
	struct stages *stages = tape_count(tape, false, &count_stages, &config, HAND_SLOTS);

	stages_read(stages, STAGE_DISPATCH, &stack);
	if (stack.cycles[component] < 1000)
		fail_msg("%s: only %lld of 1000 cycles are charged to %s", what,
			 (long long)stack.cycles[component], component_rows[component].name);
	free(stages);
	tape_release(tape);
}

TEST(branches_and_replays_are_followed)
{
	struct tape tape = {0};

	add_branch(&tape, false, false);
	expect_after(&tape, COMPONENT_BASE, "a branch rightly predicted");
	add_branch(&tape, true, true);
	expect_after(&tape, COMPONENT_BASE, "a mispredicted branch on a wrong path");
	add_branch(&tape, true, false);
	expect_after(&tape, COMPONENT_BRANCH, "a mispredicted branch");
	add_flush(&tape, EVENT_MISPREDICT, false);
	expect_after(&tape, COMPONENT_BRANCH, "the refill");
	add_flush(&tape, EVENT_MISPREDICT, true);
	expect_after(&tape, COMPONENT_BASE, "a misprediction on a wrong path");
	add_flush(&tape, EVENT_REPLAY, false);
	expect_after(&tape, COMPONENT_RESOURCE, "a replay");
	add_flush(&tape, EVENT_REPLAY, true);
	expect_after(&tape, COMPONENT_BASE, "a replay on a wrong path");
	/* A replay ends a wrong path and a refill, a misprediction a replay. */
	add_branch(&tape, true, false);
	add_flush(&tape, EVENT_REPLAY, false);
	expect_after(&tape, COMPONENT_RESOURCE, "a replay of an older load");
	add_flush(&tape, EVENT_MISPREDICT, false);
	add_flush(&tape, EVENT_REPLAY, false);
	expect_after(&tape, COMPONENT_RESOURCE, "a replay in a refill");
	add_flush(&tape, EVENT_REPLAY, false);
	add_flush(&tape, EVENT_MISPREDICT, false);
	expect_after(&tape, COMPONENT_BRANCH, "a misprediction after a replay");
	/* The first useful instruction ends either. */
	add_flush(&tape, EVENT_MISPREDICT, false);
	tape_add(&tape, (struct cycle){.dispatched = 1, .useful_dispatched = 1});
	expect_after(&tape, COMPONENT_BASE, "after the refill");
	add_flush(&tape, EVENT_REPLAY, false);
	tape_add(&tape, (struct cycle){.dispatched = 1, .useful_dispatched = 1});
	expect_after(&tape, COMPONENT_BASE, "after the replay");
	add_flush(&tape, EVENT_REPLAY, false);
	tape_add(&tape, (struct cycle){.dispatched = 1, .again_dispatched = 1});
	expect_after(&tape, COMPONENT_RESOURCE, "what is dispatched again does not end it");
}

/* On a wrong path a miss of fetch is the branch's; in the refill it is a miss. */
TEST(a_fetch_miss_behind_a_misprediction_is_the_branchs)
{
	struct config config = hand_config();

	for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
		struct stack stack;
		struct tape tape = {0};

		add_branch(&tape, is_wrong, false);
		if (!is_wrong)
			add_flush(&tape, EVENT_MISPREDICT, false);
		tape_add(&tape, (struct cycle){.repeat = 1000,
					       .fetch_stall = FETCH_L1I,
					       .dispatch_stall = DISPATCH_EMPTY});
		struct stages *stages =
			tape_count(&tape, false, &count_stages, &config, HAND_SLOTS);
		stages_read(stages, STAGE_DISPATCH, &stack);
		assert_int_equal(stack.cycles[COMPONENT_BRANCH], is_wrong ? 1000 : 1);
		assert_int_equal(stack.cycles[COMPONENT_L1I], is_wrong ? 0 : 1000);
		free(stages);
		tape_release(&tape);
	}
}

/* The narrowest of the three widths counts, whichever it is. Each stage passes 6 in the first cycle
 * and nothing in the others: of 3 per cycle, the first two cycles are useful. */
TEST(a_surplus_is_carried_to_the_next_cycle)
{
	for (unsigned narrow = 0; narrow < 3; narrow++) {
		struct config config = hand_config();
		struct tape tape = {0};
		struct stack wanted[STAGE_COUNT] = {0};

		config.dispatch_width = narrow == 0 ? 3 : 8;
		config.issue_width = narrow == 1 ? 3 : 7;
		config.commit_width = narrow == 2 ? 3 : 6;
		tape_add(&tape, (struct cycle){.dispatched = 6,
					       .useful_dispatched = 6,
					       .issued = 6,
					       .useful_issued = 6,
					       .committed = 6});
		tape_add(&tape, (struct cycle){.repeat = 4,
					       .fetch_stall = FETCH_ITLB,
					       .dispatch_stall = DISPATCH_EMPTY});
		for (unsigned i = 0; i < STAGE_COUNT; i++) {
			wanted[i].cycles[COMPONENT_BASE] = 2;
			wanted[i].cycles[COMPONENT_ITLB] = 3;
		}
		expect_stages(&tape, &config, wanted);
		tape_release(&tape);
	}
}

/* Each stage counts what passes it: 1, 2 and 3 of 4 in each of 4 cycles. */
TEST(each_stage_counts_its_own)
{
	struct config config = hand_config();
	struct stack wanted[STAGE_COUNT] = {0};
	struct tape tape = {0};

	tape_add(&tape, (struct cycle){.repeat = 4,
				       .dispatched = 3,
				       .useful_dispatched = 1,
				       .issued = 2,
				       .useful_issued = 2,
				       .committed = 3,
				       .iq_used = 1,
				       .rob_used = 16,
				       .head_state = HEAD_L1D,
				       .dispatch_stall = DISPATCH_LSQ});
	for (unsigned i = 0; i < STAGE_COUNT; i++) {
		wanted[i].cycles[COMPONENT_BASE] = i + 1;
		wanted[i].cycles[COMPONENT_L1D] = 3 - i;
	}
	expect_stages(&tape, &config, wanted);
	assert_string_equal(stage_view_name(STAGE_DISPATCH), "dispatch");
	assert_string_equal(stage_view_name(STAGE_ISSUE), "issue");
	assert_string_equal(stage_view_name(STAGE_COMMIT), "commit");
	tape_release(&tape);
}

/* overlap */

static void expect_overlap(struct tape *tape, unsigned levels, uint64_t cycles, uint64_t full)
{
	struct config config = hand_config();

	config.cache_levels = levels;
	struct overlap *overlap = tape_count(tape, false, &count_overlap, &config, HAND_SLOTS);

	assert_int_equal(overlap->cycles, cycles);
	assert_int_equal(overlap->full_cycles, full);
	free(overlap);
}

/* A miss in the last cache or the D-TLB at the head, while fetch waits or a branch is wrong. */
TEST(overlap_needs_a_penalty_on_both_sides)
{
	static const uint8_t last[] = {HEAD_EMPTY, HEAD_L1D, HEAD_L2D, HEAD_L3D};

	for (unsigned levels = 1; levels <= 3; levels++)
		for (uint16_t head = HEAD_EMPTY; head <= HEAD_MSHR; head++) {
			const bool is_long = head == last[levels] || head == HEAD_DTLB;
			struct cycle c = {.repeat = 5,
					  .head_state = head,
					  .rob_used = 3,
					  .fetch_stall = FETCH_L1I,
					  .dispatch_stall = DISPATCH_EMPTY};
			struct tape tape = {0};

			tape_add(&tape, c);
			expect_overlap(&tape, levels, is_long ? 5 : 0, 0);
			/* None of these is a penalty of fetch. */
			c.wrong_path = 1;
			tape_add(&tape, c);
			c.wrong_path = 0;
			c.fed = 1;
			tape_add(&tape, c);
			c.fed = 0;
			c.fetch_stall = FETCH_BUFFER;
			tape_add(&tape, c);
			expect_overlap(&tape, levels, is_long ? 5 : 0, 0);
			/* Nor is a cycle that commits. */
			c.fetch_stall = FETCH_L1I;
			c.committed = 1;
			tape_add(&tape, c);
			expect_overlap(&tape, levels, is_long ? 5 : 0, 0);
			/* A full window, and a branch that is wrong. */
			c.committed = 0;
			c.rob_used = 16;
			tape_add(&tape, c);
			expect_overlap(&tape, levels, is_long ? 10 : 0, is_long ? 5 : 0);
			c.rob_used = 3;
			c.fetch_stall = FETCH_BUFFER;
			c.repeat = 1;
			tape_add(&tape, c);
			tape_event(&tape, (struct cycle_event){.kind = EVENT_BRANCH_DISPATCH,
							       .mispredicted = 1});
			expect_overlap(&tape, levels, is_long ? 11 : 0, is_long ? 5 : 0);
			tape_add(&tape, c);
			flush(&tape, EVENT_MISPREDICT, false);
			expect_overlap(&tape, levels, is_long ? 12 : 0, is_long ? 5 : 0);
			tape_release(&tape);
		}
}

/* slots: every slot is charged once, in any grouping, and to the instruction that its rules
 * name. */
#include "../test.h"
#include "count/slots.h"
#include "hand.h"
#include "stream.h"

#define SEEDS	60
#define RECORDS 4000

static uint64_t sum_of(const uint64_t *slots)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum += slots[i];
	return sum;
}

static void assert_same_slots(const uint64_t *a, const uint64_t *b)
{
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		assert_int_equal(a[i], b[i]);
}

TEST(slots_add_up_by_instruction_and_thread)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint64_t by_row[CAUSE_COUNT] = {0}, by_thread[CAUSE_COUNT] = {0}, executed = 0;
		uint64_t committed = 0;
		struct config config;
		size_t count;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, RECORDS);
		void *counter = tape_count(&tape, false, &count_slots, &config, STREAM_SLOTS);
		const uint64_t *slots = slots_ledger(counter)->slots;
		assert_int_equal(slots_per_cycle(counter), config.dispatch_width);
		assert_int_equal(sum_of(slots), tape.cycles * config.dispatch_width);
		const struct ledger_row *rows = ledger_rows(slots_ledger(counter), &count);
		for (size_t i = 0; i < count; i++) {
			executed += rows[i].executed;
			for (unsigned k = 0; k < CAUSE_COUNT; k++)
				by_row[k] += rows[i].slots[k];
			for (size_t n = 0; n < i; n++)
				assert_int_not_equal(rows[n].pc, rows[i].pc);
		}
		assert_same_slots(by_row, slots);
		for (size_t i = 0; i < tape.count; i++)
			committed += tape.records[i].committed;
		assert_int_equal(executed, committed);
		const struct ledger_thread *threads = ledger_threads(slots_ledger(counter), &count);
		assert_int_equal(count, 2);
		for (size_t i = 0; i < count; i++)
			for (unsigned k = 0; k < CAUSE_COUNT; k++)
				by_thread[k] += threads[i].slots[k];
		assert_same_slots(by_thread, slots);
		/* A second request gives the same. */
		ledger_rows(slots_ledger(counter), &count);
		assert_int_equal(sum_of(slots_ledger(counter)->slots),
				 tape.cycles * config.dispatch_width);
		count_slots.destroy(counter);
		tape_release(&tape);
	}
}

/* What dispatches on the right path commits in that order: of the instructions dispatched, the
 * first so many have been executed, also at a second request. */
TEST(executed_is_what_has_committed)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint64_t executed[1024] = {0}, committed = 0, dispatched = 0;
		struct config config;
		size_t count;

		stream_config(&config, seed);
		/* The window is far from empty at the end of some of them. */
		struct tape tape = stream_make(seed, &config, 100 + (unsigned)seed * 13);
		void *counter = tape_count(&tape, false, &count_slots, &config, STREAM_SLOTS);
		for (size_t i = 0; i < tape.count; i++)
			committed += tape.records[i].committed;
		for (size_t i = 0; i < tape.pc_count && dispatched < committed; i++, dispatched++)
			executed[(tape.pcs[i] - 0x1000) / 4]++;
		for (int again = 0; again < 2; again++) {
			const struct ledger_row *rows = ledger_rows(slots_ledger(counter), &count);

			for (size_t i = 0; i < count; i++)
				if (rows[i].pc)
					assert_int_equal(rows[i].executed,
							 executed[(rows[i].pc - 0x1000) / 4]);
		}
		count_slots.destroy(counter);
		tape_release(&tape);
	}
}

/* A request in the middle of a run changes nothing; a stack has all cycles at any time. */
TEST(requests_in_between_change_nothing)
{
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct config config;
		struct stack stack;
		size_t count, other;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, 600);
		void *unread = tape_count(&tape, false, &count_slots, &config, STREAM_SLOTS);
		void *counter = count_slots.create(&config, STREAM_SLOTS);
		struct tape part = tape;
		uint64_t cycles = 0;

		for (size_t from = 0; from < tape.count; from += part.count) {
			part.records = tape.records + from;
			part.first_event = tape.first_event + from;
			part.first_pc = tape.first_pc + from;
			part.first_retired = tape.first_retired + from;
			part.first_wait = tape.first_wait + from;
			part.count = from + 23 < tape.count ? 23 : tape.count - from;
			for (size_t i = 0; i < part.count; i++)
				cycles += part.records[i].repeat;
			tape_play(&part, false, count_slots.cycle, counter);
			count_slots.read(counter, cycles, &stack);
			assert_int_equal(stack_sum(&stack), cycles);
			for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
				assert_true(stack.cycles[i] >= 0);
			slots_ledger(counter);
		}
		const struct ledger_row *rows = ledger_rows(slots_ledger(counter), &count);
		const struct ledger_row *others = ledger_rows(slots_ledger(unread), &other);
		for (size_t i = 0; i < count; i++)
			for (size_t k = 0; k < other; k++)
				if (others[k].pc == rows[i].pc)
					assert_int_equal(others[k].executed, rows[i].executed);
		/* By the causes that a stack has, they are the same slots. */
		struct stack whole;
		count_slots.read(unread, cycles, &stack);
		ledger_stack(slots_ledger(unread)->slots, &config,
			     (uint32_t)slots_per_cycle(unread), &whole);
		assert_memory_equal(&stack, &whole, sizeof(whole));
		count_slots.destroy(counter);
		count_slots.destroy(unread);
		tape_release(&tape);
	}
}

/* Plays the tape to a counter that makes intervals. */
static void *count_intervals(const struct tape *tape, const struct config *config,
			     uint64_t instructions)
{
	void *counter = count_slots.create(config, STREAM_SLOTS);

	slots_set_interval(counter, instructions);
	tape_play(tape, false, count_slots.cycle, counter);
	return counter;
}

/* Cuts the tape at its last commit; the next test is about what follows it. */
static void cut_at_last_commit(struct tape *tape)
{
	while (tape->count && !tape->records[tape->count - 1].committed)
		tape->cycles -= tape->records[--tape->count].repeat;
}

static void assert_intervals_add_up(const struct tape *tape, const struct config *config)
{
	void *plain = tape_count(tape, false, &count_slots, config, STREAM_SLOTS);
	void *counter = count_intervals(tape, config, 100);
	uint64_t by_interval[CAUSE_COUNT] = {0}, cycles = 0, instructions = 0, committed = 0;
	size_t count;

	/* Intervals do not change the other results. */
	assert_same_slots(slots_ledger(counter)->slots, slots_ledger(plain)->slots);
	const struct ledger_interval *intervals = ledger_intervals(slots_ledger(counter), &count);
	for (size_t i = 0; i < count; i++) {
		cycles += intervals[i].cycles;
		instructions += intervals[i].instructions;
		assert_int_equal(sum_of(intervals[i].slots),
				 intervals[i].cycles * config->dispatch_width);
		for (unsigned k = 0; k < CAUSE_COUNT; k++)
			by_interval[k] += intervals[i].slots[k];
		if (i < count - 1)
			assert_in_range(intervals[i].instructions, 100,
					100 + config->commit_width - 1);
	}
	for (size_t i = 0; i < tape->count; i++)
		committed += tape->records[i].committed;
	assert_int_equal(instructions, committed);
	assert_int_equal(cycles, tape->cycles);
	assert_same_slots(by_interval, slots_ledger(counter)->slots);
	count_slots.destroy(plain);
	count_slots.destroy(counter);
}

TEST(slots_add_up_by_interval)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct config config;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, RECORDS);
		cut_at_last_commit(&tape);
		assert_intervals_add_up(&tape, &config);
		tape_release(&tape);
	}
}

/* Cycles after the last commit belong to an interval, too, even if it commits
 * nothing. */
TEST(cycles_after_the_last_commit_are_in_an_interval)
{
	struct config config = hand_config();
	struct tape tape = {0};

	for (int i = 0; i < 25; i++)
		tape_add(&tape, (struct cycle){.committed = 4});
	hand_idle(&tape, 7);
	assert_intervals_add_up(&tape, &config);
	tape_release(&tape);
}

static void assert_charged(struct tape *tape, enum cause cause, uint64_t pc, uint64_t slots)
{
	struct config config = hand_config();
	void *counter = tape_count(tape, false, &count_slots, &config, HAND_SLOTS);
	uint64_t charged = 0;
	size_t count;
	const struct ledger_row *rows = ledger_rows(slots_ledger(counter), &count);

	for (size_t i = 0; i < count; i++)
		if (rows[i].pc == pc)
			charged += rows[i].slots[cause];
	if (charged != slots)
		fail_msg("%s of %#llx has %llu slots instead of %llu", cause_rows[cause].name,
			 (unsigned long long)pc, (unsigned long long)charged,
			 (unsigned long long)slots);
	assert_int_equal(sum_of(slots_ledger(counter)->slots), tape->cycles * 4);
	count_slots.destroy(counter);
}

TEST(a_full_window_is_charged_to_the_oldest_instruction)
{
	static const struct {
		uint8_t head, cause, excess;
	} rows[] = {{HEAD_DTLB, CAUSE_WALK, EXCESS_HEAD_WALK},
		    {HEAD_L1D, CAUSE_BANDWIDTH, EXCESS_HEAD_BANDWIDTH},
		    {HEAD_L2D, CAUSE_BANDWIDTH, EXCESS_HEAD_BANDWIDTH},
		    {HEAD_L2D, CAUSE_L2D, EXCESS_FETCH_BANDWIDTH | EXCESS_FETCH_WALK},
		    {HEAD_DONE, CAUSE_DEPENDENCE, 0},
		    {HEAD_WAITS, CAUSE_DEPENDENCE, 0},
		    {HEAD_EXECUTES, CAUSE_DEPENDENCE, 0},
		    {HEAD_STORE, CAUSE_STORE, 0},
		    {HEAD_UNIT, CAUSE_LATENCY, 0},
		    {HEAD_DTLB, CAUSE_DTLB, 0},
		    {HEAD_L1D, CAUSE_L1D, 0},
		    {HEAD_L2D, CAUSE_L2D, 0},
		    {HEAD_L3D, CAUSE_L3D, 0},
		    {HEAD_MSHR, CAUSE_MSHR, 0}};
	static const uint8_t stalls[] = {DISPATCH_ROB, DISPATCH_IQ, DISPATCH_LSQ,
					 DISPATCH_BRANCHES};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		for (size_t k = 0; k < ARRAY_COUNT(stalls); k++) {
			struct tape tape = {0};

			tape_add(&tape, (struct cycle){.repeat = 10,
						       .head_state = rows[i].head,
						       .excess = rows[i].excess,
						       .head_pc = 0x4000,
						       .dispatch_stall = stalls[k],
						       .rob_used = 16});
			/* Two of four slots are used: the other two are lost. */
			tape_add(&tape, (struct cycle){.dispatched = 2,
						       .useful_dispatched = 2,
						       .head_state = rows[i].head,
						       .excess = rows[i].excess,
						       .head_pc = 0x4000,
						       .dispatch_stall = stalls[k],
						       .rob_used = 16});
			tape_pc(&tape, 0x100);
			tape_pc(&tape, 0x104);
			assert_charged(&tape, (enum cause)rows[i].cause, 0x4000, 42);
			assert_charged(&tape, CAUSE_BASE, 0x100, 1);
			assert_charged(&tape, CAUSE_BASE, 0x104, 1);
			tape_release(&tape);
		}
}

/* Two instructions commit in cycle 0 and make room for two that arrive in cycle 2: the slots of
 * cycle 0 count as used, and those of cycle 2 are lost to what the oldest instruction then waits
 * for. The same if they are dispatched at once, behind a full reorder buffer. */
TEST(slots_behind_a_limit_on_branches_are_lost_as_behind_a_full_window)
{
	for (unsigned late = 0; late < 3; late += 2) {
		const uint16_t stall = late ? DISPATCH_BRANCHES : DISPATCH_ROB;
		struct tape tape = {0};

		for (unsigned i = 0; i < 4; i++) {
			tape_add(&tape, (struct cycle){.committed = i ? 0 : 2,
						       .dispatched = i == late ? 2 : 0,
						       .useful_dispatched = i == late ? 2 : 0,
						       .head_state = i < 2 ? HEAD_WAITS : HEAD_L2D,
						       .head_pc = 0x4000,
						       .dispatch_stall = stall,
						       .rob_used = 9});
			if (i == late) {
				tape_pc(&tape, 0x100);
				tape_pc(&tape, 0x104);
			}
		}
		assert_charged(&tape, CAUSE_DEPENDENCE, 0x4000, 2 + 4);
		assert_charged(&tape, CAUSE_L2D, 0x4000, 4 + 4);
		tape_release(&tape);
	}
}

/* What is owed is paid once dispatch has instructions again, unless the oldest is complete. */
TEST(slots_that_are_owed_are_lost_when_the_oldest_waits)
{
	struct tape tape = {0};

	tape_add(&tape, (struct cycle){.committed = 3,
				       .head_state = HEAD_WAITS,
				       .head_pc = 0x4000,
				       .dispatch_stall = DISPATCH_BRANCHES});
	for (unsigned i = 0; i < 3; i++) {
		tape_add(&tape, (struct cycle){.dispatched = 4,
					       .useful_dispatched = 4,
					       .head_state = i ? HEAD_L1D : HEAD_DONE,
					       .head_pc = 0x4000,
					       .rob_used = 9});
		for (unsigned n = 0; n < 4; n++)
			tape_pc(&tape, 0x100);
	}
	assert_charged(&tape, CAUSE_DEPENDENCE, 0x4000, 1);
	assert_charged(&tape, CAUSE_L1D, 0x4000, 3);
	assert_charged(&tape, CAUSE_BASE, 0x100, 4 + 1 + 4);
	tape_release(&tape);
}

/* The front end has 5 stages: instructions that could not be fed in 10 .. 12 are missing in 15 ..
 * 17. */
TEST(a_fetch_miss_is_charged_after_the_depth_of_the_front_end)
{
	struct tape tape = {0};

	hand_idle(&tape, 10);
	tape_add(&tape, (struct cycle){.repeat = 3,
				       .fetch_stall = FETCH_L1I,
				       .fetch_pc = 0x2000,
				       .dispatch_stall = DISPATCH_EMPTY});
	hand_idle(&tape, 20);
	assert_charged(&tape, CAUSE_L1I, 0x2000, 3 * 4);
	tape_release(&tape);
	/* A miss longer than the front end is deep also ends 5 cycles later. */
	tape_add(&tape, (struct cycle){.repeat = 300,
				       .fetch_stall = FETCH_L2I,
				       .fetch_pc = 0x2000,
				       .dispatch_stall = DISPATCH_EMPTY});
	assert_charged(&tape, CAUSE_L2I, 0x2000, (300 - 5) * 4);
	hand_idle(&tape, 20);
	assert_charged(&tape, CAUSE_L2I, 0x2000, 300 * 4);
	tape_release(&tape);
	/* A full window hides a miss. */
	tape_add(&tape, (struct cycle){.repeat = 3,
				       .fetch_stall = FETCH_L1I,
				       .fetch_pc = 0x2000,
				       .dispatch_stall = DISPATCH_EMPTY});
	hand_full(&tape, HEAD_L2D, 30);
	assert_charged(&tape, CAUSE_L1I, 0x2000, 0);
	tape_release(&tape);
}

static void mispredicted(struct tape *tape, enum cycle_event_kind kind)
{
	tape_event(tape,
		   (struct cycle_event){
			   .kind = (uint8_t)kind, .slot = 1, .mispredicted = 1, .pc = 0x3000});
}

TEST(a_wrong_path_and_its_refill_are_charged_to_the_branch)
{
	struct tape tape = {0};

	tape_add(&tape, (struct cycle){.dispatched = 4,
				       .useful_dispatched = 3,
				       .rob_used = 4,
				       .head_state = HEAD_WAITS});
	mispredicted(&tape, EVENT_BRANCH_DISPATCH);
	tape_pc(&tape, 0x100);
	tape_pc(&tape, 0x104);
	tape_pc(&tape, 0x3000);
	/* The branch: 1 slot; then 2 slots of the wrong path and 2 empty ones; then 4 empty
	 * ones. */
	tape_add(&tape, (struct cycle){.dispatched = 2,
				       .rob_used = 6,
				       .head_state = HEAD_WAITS,
				       .dispatch_stall = DISPATCH_EMPTY});
	tape_add(&tape, (struct cycle){.rob_used = 6,
				       .head_state = HEAD_WAITS,
				       .dispatch_stall = DISPATCH_EMPTY});
	/* After resolution: 3 cycles of refill, then 2 of a miss on the right path, then refill. */
	tape_add(&tape, (struct cycle){.repeat = 1, .dispatch_stall = DISPATCH_EMPTY});
	mispredicted(&tape, EVENT_MISPREDICT);
	tape_add(&tape, (struct cycle){.repeat = 2, .dispatch_stall = DISPATCH_EMPTY});
	tape_add(&tape, (struct cycle){.repeat = 2,
				       .dispatch_stall = DISPATCH_EMPTY,
				       .fetch_stall = FETCH_L1I,
				       .fetch_pc = 0x2000});
	tape_add(&tape, (struct cycle){.repeat = 4, .dispatch_stall = DISPATCH_EMPTY, .fed = 4});
	/* A short group does not end the refill, a full one does. */
	tape_add(&tape, (struct cycle){.dispatched = 1,
				       .useful_dispatched = 1,
				       .rob_used = 1,
				       .dispatch_stall = DISPATCH_EMPTY});
	tape_pc(&tape, 0x200);
	tape_add(&tape, (struct cycle){.dispatched = 4, .useful_dispatched = 4, .rob_used = 5});
	for (uint64_t pc = 0x204; pc < 0x214; pc += 4)
		tape_pc(&tape, pc);
	hand_idle(&tape, 10);
	assert_charged(&tape, CAUSE_BRANCH, 0x3000, 1 + 4 + 4 + 3 * 4 + 4 * 4 + 3);
	assert_charged(&tape, CAUSE_L1I, 0x2000, 2 * 4);
	tape_release(&tape);
}

/* A mispredicted branch in the last slot of a cycle; its wrong path is not dispatched. */
static void mispredict_at_last(struct tape *tape)
{
	tape_add(tape, (struct cycle){.dispatched = 4,
				      .useful_dispatched = 4,
				      .rob_used = 4,
				      .head_state = HEAD_WAITS,
				      .head_pc = 0x100});
	mispredicted(tape, EVENT_BRANCH_DISPATCH);
	for (uint64_t pc = 0x100; pc < 0x10c; pc += 4)
		tape_pc(tape, pc);
	tape_pc(tape, 0x3000);
}

static void starve(struct tape *tape, enum head_state head, unsigned committed, uint64_t cycles)
{
	tape_add(tape, (struct cycle){.repeat = cycles,
				      .committed = (uint16_t)committed,
				      .rob_used = 4,
				      .head_state = (uint16_t)head,
				      .head_pc = 0x100,
				      .fetch_stall = FETCH_NOWHERE,
				      .dispatch_stall = DISPATCH_EMPTY});
}

/* 4 of 16 entries are used: the right path would have dispatched 12 more instructions, and then
 * as many as commit. */
TEST(slots_unusable_by_the_right_path_are_not_charged_to_the_branch)
{
	struct tape tape = {0};

	mispredict_at_last(&tape);
	starve(&tape, HEAD_UNIT, 0, 10);
	assert_charged(&tape, CAUSE_BRANCH, 0x3000, 12);
	assert_charged(&tape, CAUSE_LATENCY, 0x100, 40 - 12);
	starve(&tape, HEAD_UNIT, 2, 1);
	starve(&tape, HEAD_UNIT, 0, 5);
	assert_charged(&tape, CAUSE_BRANCH, 0x3000, 12 + 2);
	assert_charged(&tape, CAUSE_LATENCY, 0x100, 40 - 12 + 2 + 20);
	tape_release(&tape);
}

TEST(a_long_miss_that_the_branch_waits_for_is_not_charged_to_it)
{
	struct tape tape = {0};

	mispredict_at_last(&tape);
	starve(&tape, HEAD_L2D, 0, 2);
	starve(&tape, HEAD_WAITS, 1, 1); /* the miss has ended */
	starve(&tape, HEAD_WAITS, 0, 1);
	mispredicted(&tape, EVENT_MISPREDICT);
	assert_charged(&tape, CAUSE_L2D, 0x100, 8);
	assert_charged(&tape, CAUSE_BRANCH, 0x3000, 4 + 4);
	tape_release(&tape);

	mispredict_at_last(&tape);
	starve(&tape, HEAD_L2D, 0, 2);
	starve(&tape, HEAD_L2D, 0, 1); /* the miss is still outstanding */
	mispredicted(&tape, EVENT_MISPREDICT);
	starve(&tape, HEAD_WAITS, 1, 1);
	assert_charged(&tape, CAUSE_L2D, 0x100, 0);
	assert_charged(&tape, CAUSE_BRANCH, 0x3000, 8 + 4 + 4);
	tape_release(&tape);
}

/* Whether the branch or the miss is to blame is open when the run is read. */
TEST(what_is_undecided_at_the_end_is_in_the_last_interval)
{
	const struct config config = hand_config();
	struct tape tape = {0};

	mispredict_at_last(&tape);
	starve(&tape, HEAD_L2D, 0, 3);
	assert_intervals_add_up(&tape, &config);
	tape_release(&tape);
}

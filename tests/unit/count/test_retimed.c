/* exact: what is charged adds up by instruction, thread and interval; and what a few instructions
 * are charged with is worked out on paper. */
#include "../test.h"
#include "count/retimed.h"
#include "count/retime.h"
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

static void add(uint64_t sums[CAUSE_COUNT], const uint64_t *slots)
{
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sums[i] += slots[i];
}

TEST(it_adds_up_in_any_grouping)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint64_t by_row[CAUSE_COUNT] = {0}, by_thread[CAUSE_COUNT] = {0};
		uint64_t by_interval[CAUSE_COUNT] = {0}, executed = 0, committed = 0, cycles = 0;
		struct config config;
		size_t count;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, RECORDS);
		void *exact = count_retimed.create(&config, STREAM_SLOTS);
		retimed_set_interval(exact, 100);
		tape_play(&tape, false, count_retimed.cycle, exact);
		struct ledger *ledger = retimed_ledger(exact);

		assert_int_equal(retimed_slots_per_cycle(exact), config.dispatch_width);
		assert_int_equal(sum_of(ledger->slots), tape.cycles * config.dispatch_width);
		const struct ledger_row *rows = ledger_rows(ledger, &count);
		for (size_t i = 0; i < count; i++) {
			executed += rows[i].executed;
			add(by_row, rows[i].slots);
		}
		for (size_t i = 0; i < tape.count; i++)
			committed += tape.records[i].committed;
		assert_int_equal(executed, committed);
		const struct ledger_thread *threads = ledger_threads(ledger, &count);
		assert_int_equal(count, 2);
		for (size_t i = 0; i < count; i++) {
			uint64_t its_cycles = 0;

			for (size_t k = 0; k < tape.count; k++)
				if (tape.records[k].thread == threads[i].id)
					its_cycles += tape.records[k].repeat;
			assert_int_equal(sum_of(threads[i].slots),
					 its_cycles * config.dispatch_width);
			add(by_thread, threads[i].slots);
		}
		const struct ledger_interval *intervals = ledger_intervals(ledger, &count);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(sum_of(intervals[i].slots),
					 intervals[i].cycles * config.dispatch_width);
			cycles += intervals[i].cycles;
			add(by_interval, intervals[i].slots);
		}
		assert_int_equal(cycles, tape.cycles);
		assert_memory_equal(by_row, ledger->slots, sizeof(by_row));
		assert_memory_equal(by_thread, ledger->slots, sizeof(by_thread));
		assert_memory_equal(by_interval, ledger->slots, sizeof(by_interval));
		/* A second request gives the same. */
		assert_int_equal(sum_of(retimed_ledger(exact)->slots),
				 tape.cycles * config.dispatch_width);
		count_retimed.destroy(exact);
		tape_release(&tape);
	}
}

static void assert_same_ledgers(struct ledger *a, struct ledger *b)
{
	size_t count, other;
	const struct ledger_row *rows = ledger_rows(a, &count);
	const struct ledger_row *others = ledger_rows(b, &other);

	/* Rows are made when they are first charged: a request charges some earlier. */
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < other; k++)
			if (others[k].pc == rows[i].pc) {
				assert_int_equal(others[k].executed, rows[i].executed);
				assert_memory_equal(others[k].slots, rows[i].slots,
						    sizeof(rows[i].slots));
			}
	assert_memory_equal(a->slots, b->slots, sizeof(a->slots));
}

/* A request in the middle of a run changes nothing. */
TEST(reading_changes_nothing)
{
	for (uint64_t seed = 0; seed < 12; seed++) {
		struct config config;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, 800);
		void *unread = tape_count(&tape, false, &count_retimed, &config, STREAM_SLOTS);
		void *read = count_retimed.create(&config, STREAM_SLOTS);
		struct tape part = tape;
		uint64_t cycles = 0;

		for (size_t from = 0; from < tape.count; from += part.count) {
			struct stack stack;

			part.records = tape.records + from;
			part.first_event = tape.first_event + from;
			part.first_pc = tape.first_pc + from;
			part.first_retired = tape.first_retired + from;
			part.first_wait = tape.first_wait + from;
			/* Also between records one by one, in which nothing may be decided yet. */
			const size_t most = seed % 2 ? 1 : 37;
			part.count = from + most < tape.count ? most : tape.count - from;
			for (size_t i = 0; i < part.count; i++)
				cycles += part.records[i].repeat;
			tape_play(&part, false, count_retimed.cycle, read);
			assert_int_equal(sum_of(retimed_ledger(read)->slots),
					 cycles * config.dispatch_width);
			count_retimed.read(read, 0, &stack);
			retimed_ledger(read);
		}
		assert_same_ledgers(retimed_ledger(unread), retimed_ledger(read));
		count_retimed.destroy(unread);
		count_retimed.destroy(read);
		tape_release(&tape);
	}
}

/* An instruction counts as executed where it has committed. */
TEST(executed_is_what_committed)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint64_t executed[1024] = {0};
		struct config config;
		size_t count;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, 1000);
		void *exact = tape_count(&tape, false, &count_retimed, &config, STREAM_SLOTS);
		for (size_t i = 0; i < tape.retired_count; i++)
			executed[(tape.retired[i].pc - 0x1000) / 4]++;
		const struct ledger_row *rows = ledger_rows(retimed_ledger(exact), &count);
		for (size_t i = 0; i < count; i++)
			if (rows[i].pc)
				assert_int_equal(rows[i].executed,
						 executed[(rows[i].pc - 0x1000) / 4]);
		count_retimed.destroy(exact);
		tape_release(&tape);
	}
}

/* On an in-order core exact is what slots says. */
TEST(in_order_exact_is_slots)
{
	struct config config;

	stream_config(&config, 4);
	struct tape tape = stream_make(4, &config, RECORDS);
	config.core_kind = CORE_INORDER;
	config.inorder_issue_width = config.dispatch_width;
	void *exact = count_retimed.create(&config, STREAM_SLOTS);
	void *slots = count_slots.create(&config, STREAM_SLOTS);
	retimed_set_interval(exact, 100);
	slots_set_interval(slots, 100);
	tape_play(&tape, false, count_retimed.cycle, exact);
	tape_play(&tape, false, count_slots.cycle, slots);
	struct stack a, b;
	size_t count, other;

	count_retimed.read(exact, tape.cycles, &a);
	count_slots.read(slots, tape.cycles, &b);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_int_equal(retimed_slots_per_cycle(exact), config.dispatch_width);
	assert_same_ledgers(retimed_ledger(exact), slots_ledger(slots));
	ledger_intervals(retimed_ledger(exact), &count);
	ledger_intervals(slots_ledger(slots), &other);
	assert_int_equal(count, other);
	assert_true(count > 2);
	count_retimed.destroy(exact);
	count_slots.destroy(slots);
	tape_release(&tape);
}

/* On paper: a machine of 4 slots a cycle and a window of 16. The first instruction is fetched in
 * cycle 1, dispatched in 6 and issued in 7; an operation of one cycle commits in 8, a load that
 * hits in 9. The run takes as long as the recurrence says, so that each component is charged what
 * it adds. */

struct charge {
	enum cause cause;
	uint64_t pc, cycles;
};

/* The run: one commit in each of its last cycles, and nothing before. */
static struct tape paper_tape(const struct config *config, const struct cycle_retired *insns,
			      const struct cycle_waits *waits, unsigned count, uint64_t *cycles)
{
	struct retime *retime = retime_create(config, 1);
	struct tape tape = {0};

	for (unsigned i = 0; i < count; i++)
		retime_step(retime, &insns[i], insns[i].has_waits ? &waits[i] : NULL);
	*cycles = retime_commits(retime)[0];
	retime_destroy(retime);
	tape_add(&tape, (struct cycle){.repeat = *cycles - count, .thread = 1});
	for (unsigned i = 0; i < count; i++) {
		tape_add(&tape, (struct cycle){.committed = 1, .thread = 1});
		tape_retire(&tape, insns[i], insns[i].has_waits ? &waits[i] : NULL);
	}
	return tape;
}

static uint64_t slots_of(struct ledger *ledger, enum cause cause, uint64_t pc)
{
	uint64_t slots = 0;
	size_t count;
	const struct ledger_row *rows = ledger_rows(ledger, &count);

	for (size_t i = 0; i < count; i++)
		slots += rows[i].pc == pc ? rows[i].slots[cause] : 0;
	return slots;
}

static void expect_charges(const struct config *config, const struct cycle_retired *insns,
			   const struct cycle_waits *waits, unsigned count,
			   const struct charge *charges, size_t charge_count, uint64_t cycles)
{
	uint64_t taken, sum = 0;
	struct tape tape = paper_tape(config, insns, waits, count, &taken);
	void *exact = tape_count(&tape, false, &count_retimed, config, HAND_SLOTS);
	struct ledger *ledger = retimed_ledger(exact);

	assert_int_equal(taken, cycles);
	for (size_t i = 0; i < charge_count; i++) {
		uint64_t slots = slots_of(ledger, charges[i].cause, charges[i].pc);

		if (slots != 4 * charges[i].cycles)
			fail_msg("%s of %#llx has %llu slots instead of %llu",
				 cause_rows[charges[i].cause].name,
				 (unsigned long long)charges[i].pc, (unsigned long long)slots,
				 4 * (unsigned long long)charges[i].cycles);
		sum += slots;
	}
	/* There is nothing else. */
	assert_int_equal(sum, 4 * cycles);
	count_retimed.destroy(exact);
	tape_release(&tape);
}

#define EXPECT(config, insns, waits, cycles, ...)                                  \
	do {                                                                       \
		static const struct charge charges_[] = {__VA_ARGS__};             \
		expect_charges(config, insns, waits, ARRAY_COUNT(insns), charges_, \
			       ARRAY_COUNT(charges_), cycles);                     \
	} while (0)

static struct config paper_config(void)
{
	struct config config = hand_config();

	config.tlb_miss = TLB_MISS_WALK;
	config.memory_line = 10;
	return config;
}

/* A load waits 30 for the D-TLB, 10 of them because its walk misses; 9 for the L2; 250 for memory,
 * 50 of them because it is busy. */
#define MISSING_LOAD                                                                    \
	{                                                                               \
		.pc = 0x100, .address = 0x8000, .rd = 5, .unit = UNIT_LOAD, .bytes = 4, \
		.accessed = 8, .marks = RETIRED_LOADS,                                  \
		.tags = DATA_MISS_TLB | DATA_MISS_L1 | DATA_MISS_L2, .has_waits = 1     \
	}
#define MISSING_LOAD_WAITS                                                 \
	{                                                                  \
		.data = {30, 9, 250, 0}, .data_walk = 10, .data_queue = 50 \
	}

TEST(a_load_is_charged_with_each_part_of_its_wait)
{
	static const struct cycle_retired load[] = {MISSING_LOAD};
	static const struct cycle_waits waits[] = {MISSING_LOAD_WAITS};
	struct config config = paper_config();

	EXPECT(&config, load, waits, 9 + 30 + 9 + 250, {CAUSE_BASE, 0x100, 9},
	       {CAUSE_L1D, 0x100, 9}, {CAUSE_L2D, 0x100, 200}, {CAUSE_DTLB, 0x100, 20},
	       {CAUSE_WALK, 0x100, 10}, {CAUSE_BANDWIDTH, 0x100, 50});
}

/* The run takes three times as long as the recurrence says, 298 cycles. While the load is open it
 * is charged with its parts; behind it, where the recurrence has nothing left, components share as
 * they have so far. Another thread begins there, so that the chunk ends. */
TEST(what_the_recurrence_leaves_over_is_shared)
{
	static const struct cycle_retired insns[] = {MISSING_LOAD,
						     {.pc = 0x104, .unit = UNIT_ALU, .bytes = 4}};
	static const struct cycle_waits waits = MISSING_LOAD_WAITS;
	static const struct charge charges[] = {
		{CAUSE_BASE, 0x100, 2 * 9},	 {CAUSE_BASE, 0x104, 9},
		{CAUSE_L1D, 0x100, 3 * 9},	 {CAUSE_L2D, 0x100, 3 * 200},
		{CAUSE_DTLB, 0x100, 3 * 20},	 {CAUSE_WALK, 0x100, 3 * 10},
		{CAUSE_BANDWIDTH, 0x100, 3 * 50}};
	const struct config config = paper_config();
	struct tape tape = {0};

	for (unsigned i = 0; i < 2; i++) {
		tape_add(&tape, (struct cycle){.repeat = (2 - i) * 298 - 1, .thread = i + 1});
		tape_add(&tape, (struct cycle){.committed = 1, .thread = i + 1});
		tape_retire(&tape, insns[i], i ? NULL : &waits);
	}
	void *exact = tape_count(&tape, false, &count_retimed, &config, HAND_SLOTS);
	for (size_t i = 0; i < ARRAY_COUNT(charges); i++)
		assert_int_equal(slots_of(retimed_ledger(exact), charges[i].cause, charges[i].pc),
				 4 * charges[i].cycles);
	count_retimed.destroy(exact);
	tape_release(&tape);
}

/* Fetch waits 30 for the I-TLB, 10 of them for the walk; 9 for the L2; 24 for memory, 4 of them
 * because it is busy. The instruction before it commits in 8. */
TEST(a_fetch_is_charged_with_each_part_of_its_wait)
{
	static const struct cycle_retired insns[] = {
		{.pc = 0x100, .unit = UNIT_ALU, .bytes = 4},
		{.pc = 0x200,
		 .unit = UNIT_ALU,
		 .bytes = 4,
		 .tags = FETCH_WAIT_TLB | FETCH_WAIT_L1 | FETCH_WAIT_L2,
		 .has_waits = 1}};
	static const struct cycle_waits waits[] = {
		{.unit = 0}, {.fetch = {30, 9, 24, 0}, .fetch_walk = 10, .fetch_queue = 4}};
	struct config config = paper_config();

	/* In another line: a cycle later in any case. */
	EXPECT(&config, insns, waits, 9 + 63, {CAUSE_BASE, 0x100, 8}, {CAUSE_BASE, 0x200, 1},
	       {CAUSE_L1I, 0x200, 9}, {CAUSE_L2I, 0x200, 20}, {CAUSE_ITLB, 0x200, 20},
	       {CAUSE_WALK, 0x200, 10}, {CAUSE_BANDWIDTH, 0x200, 4});
}

/* The branch resolves in 8; what follows is fetched then and commits in 15. Without the
 * misprediction both commit in 8. A misfetch is redirected 2 cycles after it was fed in 1: what
 * follows is fetched in 3 and commits in 10. */
TEST(what_follows_a_branch_is_charged_to_it)
{
	static const struct cycle_retired mispredicted[] = {
		{.pc = 0x100,
		 .unit = UNIT_BRANCH,
		 .bytes = 4,
		 .marks = RETIRED_BRANCH | RETIRED_MISPREDICTED},
		{.pc = 0x104, .unit = UNIT_ALU, .bytes = 4}};
	static const struct cycle_retired misfetched[] = {
		{.pc = 0x100,
		 .unit = UNIT_BRANCH,
		 .bytes = 4,
		 .marks = RETIRED_BRANCH | RETIRED_MISFETCHED},
		{.pc = 0x104, .unit = UNIT_ALU, .bytes = 4}};
	static const struct cycle_waits none[2];
	struct config config = paper_config();

	EXPECT(&config, mispredicted, none, 15, {CAUSE_BASE, 0x100, 8}, {CAUSE_BRANCH, 0x100, 7});
	EXPECT(&config, misfetched, none, 10, {CAUSE_BASE, 0x100, 8}, {CAUSE_BRANCH, 0x100, 2});
}

/* A load misses; `between` instructions later another waits 9 cycles for a line that was asked for
 * before. The first owns what the L1D adds until a window of 16 has committed after it. */
TEST(a_miss_is_owned_for_a_window)
{
	struct config config = paper_config();

	for (unsigned between = 14; between <= 17; between++) {
		/* 20 instructions come before both. */
		const unsigned load = 20, other = load + between + 1;
		struct cycle_retired insns[48];
		struct cycle_waits waits[48] = {0};
		uint64_t cycles;

		for (unsigned i = 0; i <= other; i++)
			insns[i] =
				(struct cycle_retired){.pc = 0x1000, .unit = UNIT_ALU, .bytes = 4};
		insns[load] = insns[other] = (struct cycle_retired){.pc = 0x100,
								    .address = 0x8000,
								    .rd = 5,
								    .unit = UNIT_LOAD,
								    .bytes = 4,
								    .accessed = 8,
								    .marks = RETIRED_LOADS,
								    .tags = DATA_MISS_L1,
								    .has_waits = 1};
		insns[other].pc = 0x2000;
		insns[other].address = 0x9000;
		insns[other].tags = 0;
		waits[load].data[1] = 20;
		waits[other].data[1] = 900;
		struct tape tape = paper_tape(&config, insns, waits, other + 1, &cycles);
		void *exact = tape_count(&tape, false, &count_retimed, &config, HAND_SLOTS);
		uint64_t first = slots_of(retimed_ledger(exact), CAUSE_L1D, 0x100);
		uint64_t second = slots_of(retimed_ledger(exact), CAUSE_L1D, 0x2000);

		if (between + 1 <= 16) {
			assert_true(first >= 4 * 900);
			assert_int_equal(second, 0);
		} else {
			assert_in_range(first, 1, 4 * 20);
			assert_true(second >= 4 * 880);
		}
		count_retimed.destroy(exact);
		tape_release(&tape);
	}
}

/* A store without room waits for the misses of those before it; it owns what they add. */
TEST(a_store_without_room_owns_what_it_waits_for)
{
	static const struct {
		unsigned phase;
		enum cause cause;
	} cases[] = {{0, CAUSE_DTLB}, {1, CAUSE_L1D}, {2, CAUSE_L2D}, {3, CAUSE_L2D}};
	struct config config = paper_config();

	config.store_buffer = 4;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct cycle_retired insns[] = {{.pc = 0x100,
						       .address = 0x8000,
						       .unit = UNIT_STORE,
						       .bytes = 4,
						       .accessed = 8,
						       .marks = RETIRED_STORES,
						       .has_waits = 1},
						      {.pc = 0x104, .unit = UNIT_ALU, .bytes = 4}};
		struct cycle_waits waits[2] = {0};
		const struct charge charges[] = {{CAUSE_BASE, 0x100, 8},
						 {cases[i].cause, 0x100, 40}};

		waits[0].store[cases[i].phase] = 40;
		expect_charges(&config, insns, waits, 2, charges, 2, 48);
	}
}

/* The window is full behind 0x4000 for 30 cycles: a quarter waits for an MSHR, the rest for memory.
 * What the L2 adds is shared so, and the waits for MSHRs are the oldest instruction's. */
TEST(causes_share_a_component_as_slots_do)
{
	static const struct cycle_retired load = {.pc = 0x100,
						  .address = 0x8000,
						  .rd = 5,
						  .unit = UNIT_LOAD,
						  .bytes = 4,
						  .accessed = 8,
						  .marks = RETIRED_LOADS,
						  .tags = DATA_MISS_L1 | DATA_MISS_L2,
						  .has_waits = 1};
	static const struct cycle_waits waits = {.data = {0, 8, 200, 0}};
	struct config config = paper_config();
	struct tape tape = {0};

	tape_add(&tape, (struct cycle){.repeat = 187, .dispatch_stall = DISPATCH_EMPTY, .fed = 1});
	for (unsigned i = 0; i < 2; i++)
		tape_add(&tape, (struct cycle){.repeat = i ? 22 : 7,
					       .dispatch_stall = DISPATCH_ROB,
					       .rob_used = 16,
					       .head_pc = 0x4000,
					       .head_state = i ? HEAD_L2D : HEAD_MSHR});
	tape_add(&tape, (struct cycle){.committed = 1,
				       .dispatch_stall = DISPATCH_ROB,
				       .rob_used = 16,
				       .head_pc = 0x4000,
				       .head_state = HEAD_L2D});
	tape_retire(&tape, load, &waits);
	/* 9 of base, 8 of the L1D, 200 of memory: of these 7/30 are 46 2/3, in slots 186 2/3. */
	assert_int_equal(tape.cycles, 9 + 8 + 200);
	void *exact = tape_count(&tape, false, &count_retimed, &config, HAND_SLOTS);
	struct ledger *ledger = retimed_ledger(exact);

	assert_int_equal(ledger->slots[CAUSE_BASE], 4 * 9);
	assert_int_equal(ledger->slots[CAUSE_L1D], 4 * 8);
	assert_int_equal(slots_of(ledger, CAUSE_MSHR, 0x4000), 186);
	assert_int_equal(slots_of(ledger, CAUSE_L2D, 0x100), 4 * 200 - 186);
	count_retimed.destroy(exact);
	tape_release(&tape);
}

/* Nothing has committed: the slots are charged as the slot rule says. */
TEST(without_a_commit_slots_decide)
{
	struct config config = paper_config();
	struct tape tape = {0};

	tape_add(&tape, (struct cycle){.repeat = 10,
				       .dispatch_stall = DISPATCH_ROB,
				       .rob_used = 16,
				       .head_pc = 0x4000,
				       .head_state = HEAD_UNIT});
	void *exact = tape_count(&tape, false, &count_retimed, &config, HAND_SLOTS);
	assert_int_equal(slots_of(retimed_ledger(exact), CAUSE_LATENCY, 0x4000), 40);
	count_retimed.destroy(exact);
	tape_release(&tape);
	/* Four slots were used before. */
	tape = (struct tape){0};
	tape_add(&tape, (struct cycle){.dispatched = 4,
				       .useful_dispatched = 4,
				       .head_pc = 0x4000,
				       .head_state = HEAD_WAITS});
	for (uint64_t pc = 0x4000; pc < 0x4010; pc += 4)
		tape_pc(&tape, pc);
	tape_add(&tape, (struct cycle){.repeat = 10,
				       .dispatch_stall = DISPATCH_ROB,
				       .rob_used = 16,
				       .head_pc = 0x4000,
				       .head_state = HEAD_UNIT});
	exact = tape_count(&tape, false, &count_retimed, &config, HAND_SLOTS);
	assert_int_equal(retimed_ledger(exact)->slots[CAUSE_LATENCY], 40);
	assert_int_equal(retimed_ledger(exact)->slots[CAUSE_BASE], 4);
	count_retimed.destroy(exact);
	/* And so many cycles that products of slots have more than 64 bits. */
	tape_add(&tape, (struct cycle){.repeat = UINT64_C(1) << 40,
				       .dispatch_stall = DISPATCH_ROB,
				       .rob_used = 16,
				       .head_pc = 0x4000,
				       .head_state = HEAD_UNIT});
	exact = tape_count(&tape, false, &count_retimed, &config, HAND_SLOTS);
	assert_int_equal(retimed_ledger(exact)->slots[CAUSE_LATENCY], 40 + (UINT64_C(4) << 40));
	assert_int_equal(retimed_ledger(exact)->slots[CAUSE_BASE], 4);
	count_retimed.destroy(exact);
	tape_release(&tape);
}

/* A new interval, in which nothing has committed and all slots are lost on a wrong path, behind a
 * long miss: until the branch is resolved nobody knows which of the two to charge, and it is the
 * base for the time being. */
TEST(what_is_not_decided_is_base_for_the_time_being)
{
	static const struct cycle_retired add = {
		.pc = 0x100, .rd = 5, .unit = UNIT_ALU, .bytes = 4};
	struct config config = paper_config();
	struct tape tape = {0};

	tape_add(&tape, (struct cycle){.dispatched = 4,
				       .useful_dispatched = 4,
				       .committed = 1,
				       .rob_used = 40,
				       .head_pc = 0x100,
				       .head_state = HEAD_DONE});
	for (uint64_t pc = 0x100; pc < 0x110; pc += 4)
		tape_pc(&tape, pc);
	tape_event(&tape, (struct cycle_event){
				  .kind = EVENT_BRANCH_DISPATCH, .mispredicted = 1, .pc = 0x10c});
	tape_retire(&tape, add, NULL);
	tape_add(&tape, (struct cycle){.repeat = 5,
				       .dispatched = 4,
				       .wrong_path = 1,
				       .head_pc = 0x104,
				       .rob_used = 40,
				       .head_state = HEAD_L2D});
	void *exact = count_retimed.create(&config, HAND_SLOTS);
	retimed_set_interval(exact, 1);
	tape_play(&tape, false, count_retimed.cycle, exact);
	assert_int_equal(retimed_ledger(exact)->slots[CAUSE_BASE], 4 * 6);
	assert_int_equal(sum_of(retimed_ledger(exact)->slots), 4 * 6);
	count_retimed.destroy(exact);
	tape_release(&tape);
}

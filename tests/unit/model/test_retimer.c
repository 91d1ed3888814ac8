/*
 * The recurrence on traces whose cycles are worked out on paper. The machine: all widths 4, five
 * stages in the front end, lines of 32 bytes, so that a group has at most four instructions and two
 * groups are of one line; a load that hits takes 2 cycles, one that misses 2 + 9 + 250 = 261.
 *
 * An instruction that is fetched in cycle 0 dispatches in 5, issues in 6, is complete in 7 after an
 * operation of one cycle and commits then, so a program of it alone takes 8 cycles.
 */
#include "../test.h"
#include "base/array.h"
#include "model/retimer.h"

#define MOST 64

struct program {
	struct config config;
	struct trace_op ops[MOST];
	struct trace_step steps[MOST];
	unsigned count;
};

static struct program simple(void)
{
	struct program p = {.count = 0};
	struct config *c = &p.config;

	config_default(c);
	c->fetch_width = c->decode_width = c->dispatch_width = c->issue_width = c->commit_width = 4;
	c->fetch_buffer = 32;
	c->frontend_depth = 5;
	c->rob_size = c->issue_queue_size = 64;
	c->lsq_size = 32;
	c->max_branches = UNLIMITED;
	c->store_buffer = UNLIMITED;
	c->disambiguation = DISAMBIGUATION_CONSERVATIVE;
	c->int_alu_count = 4;
	c->int_muldiv_count = 1;
	c->int_mul_latency = 3;
	c->int_div_latency = 20;
	c->memory_ports = 2;
	c->memory_latency = 250;
	c->memory_line = 0;
	c->l1i_line = c->l1d_line = 32;
	c->l1d_latency = 2;
	c->l2_latency = 9;
	c->l1d_mshrs = c->l2_mshrs = UNLIMITED;
	c->l1i_prefetch = c->l1d_prefetch = c->l2_prefetch = 0;
	c->ideal_l1i = c->ideal_itlb = c->ideal_dtlb = c->ideal_branch = true;
	return p;
}

static struct trace_op *add(struct program *p, unsigned unit, uint8_t from, uint8_t to)
{
	struct trace_op *op = &p->ops[p->count];

	*op = (struct trace_op){.pc = 0x1000 + 4 * p->count,
				.bytes = 4,
				.unit = (uint8_t)unit,
				.sources = {from},
				.destinations = {to},
				.address_sources = 1};
	p->steps[p->count] = (struct trace_step){op, 0, op->pc + 4};
	p->count++;
	return op;
}

static void add_many(struct program *p, unsigned count, unsigned unit)
{
	while (count--)
		add(p, unit, 0, 0);
}

static struct trace_op *add_access(struct program *p, bool stores, uint64_t address, uint8_t from,
				   uint8_t to)
{
	struct trace_op *op = add(p, stores ? UNIT_STORE : UNIT_LOAD, from, to);

	op->is_store = stores;
	op->is_load = !stores;
	op->access_bytes = 8;
	p->steps[p->count - 1].address = address;
	return op;
}

/* The program goes on at the address of its next instruction, which is elsewhere. */
static void add_jump(struct program *p, unsigned unit, enum control control)
{
	add(p, unit, 0, 0)->control = (uint8_t)control;
	p->steps[p->count - 1].next_pc = 0x2000;
}

static uint64_t cycles_of(struct program *p)
{
	struct err err;
	struct retimer *r = retimer_create(&p->config, &err);
	uint64_t cycles;

	assert_non_null(r);
	assert_int_equal(retimer_cycles(r), 0);
	for (unsigned i = 0; i < p->count; i++) {
		if (i && p->steps[i - 1].next_pc == 0x2000)
			p->ops[i].pc = 0x2000;
		p->steps[i].op = &p->ops[i]; /* programs are copied */
	}
	retimer_add(r, p->steps, p->count);
	cycles = retimer_cycles(r);
	retimer_destroy(r);
	return cycles;
}

TEST(widths_and_chains_take_what_was_worked_out)
{
	struct program one = simple(), chain = simple(), wide = simple(), narrow = simple();

	add_many(&one, 1, UNIT_ALU);
	assert_int_equal(cycles_of(&one), 8);
	/* They issue in 6 to 15, the last is complete in 16. */
	for (unsigned i = 0; i < 10; i++)
		add(&chain, UNIT_ALU, 1, 1);
	assert_int_equal(cycles_of(&chain), 17);
	/* Groups of four are fetched in 0 to 3; the last commits in 10. */
	add_many(&wide, 16, UNIT_ALU);
	assert_int_equal(cycles_of(&wide), 11);
	/* One unit: they issue in 6 to 21. */
	add_many(&narrow, 16, UNIT_ALU);
	narrow.config.int_alu_count = 1;
	assert_int_equal(cycles_of(&narrow), 23);
}

TEST(a_divider_is_kept_and_a_multiplier_is_not)
{
	struct program divides = simple(), multiplies = simple();

	/* The second issues in 26 and is complete in 46. */
	add_many(&divides, 2, UNIT_DIV);
	assert_int_equal(cycles_of(&divides), 47);
	/* The second issues in 7 and is complete in 10. */
	add_many(&multiplies, 2, UNIT_MUL);
	assert_int_equal(cycles_of(&multiplies), 11);
}

TEST(fetch_waits_for_the_right_path)
{
	struct program right = simple(), wrong, jump;

	add_jump(&right, UNIT_BRANCH, CONTROL_CONDITIONAL);
	add_many(&right, 1, UNIT_ALU);
	wrong = right;
	/* The next group is fetched in 1. */
	assert_int_equal(cycles_of(&right), 9);
	/* The branch resolves in 7, in which its successor is fetched. */
	wrong.config.ideal_branch = false;
	wrong.config.predictor_kind = PREDICTOR_STATIC_NOT_TAKEN;
	assert_int_equal(cycles_of(&wrong), 15);
	/* Decode knows where a jump goes: fetch goes on in 2. */
	jump = simple();
	jump.config = wrong.config;
	add_jump(&jump, UNIT_JUMP, CONTROL_JUMP);
	add_many(&jump, 1, UNIT_ALU);
	assert_int_equal(cycles_of(&jump), 10);
}

TEST(a_limit_of_branches_holds_fetch)
{
	struct program p = simple();

	/* One in flight: each branch is fetched when the one before commits, in 0, 7, 14. */
	for (unsigned i = 0; i < 3; i++)
		add(&p, UNIT_BRANCH, 0, 0)->control = CONTROL_CONDITIONAL;
	p.config.max_branches = 1;
	assert_int_equal(cycles_of(&p), 22);
}

static struct program misses(unsigned count, unsigned apart_bytes, uint8_t from, uint8_t to)
{
	struct program p = simple();

	for (unsigned i = 0; i < count; i++)
		add_access(&p, false, 0x100000 + (uint64_t)apart_bytes * i, from, to);
	return p;
}

TEST(misses_overlap_as_far_as_mshrs_and_operands_allow)
{
	struct program three = misses(3, 4096, 0, 1), chain = misses(2, 4096, 1, 1);
	struct program same = misses(2, 8, 0, 1);

	/* Two ports: they issue in 6, 6 and 7. */
	assert_int_equal(cycles_of(&three), 7 + 261 + 1);
	three.config.l1d_mshrs = 1;
	assert_int_equal(cycles_of(&three), 6 + 3 * 261 + 1);
	three.config.l1d_mshrs = 2;
	assert_int_equal(cycles_of(&three), 6 + 2 * 261 + 1);
	three.config.l1d_mshrs = UNLIMITED;
	three.config.l2_mshrs = 1;
	assert_int_equal(cycles_of(&three), 6 + 3 * 261 + 1);
	assert_int_equal(cycles_of(&chain), 6 + 2 * 261 + 1);
	/* A pending hit needs no MSHR and waits for the line. */
	same.config.l1d_mshrs = 1;
	assert_int_equal(cycles_of(&same), 6 + 261 + 1);
}

TEST(a_younger_load_that_comes_first_asks_for_the_line)
{
	struct program p = misses(1, 0, 0, 1);

	/* The second load depends on the first, which is there in 267. The third, of the second's
	 * line, issues in 6: what it needs is there in 267 too, and not with the second's. */
	add_access(&p, false, 0x200000, 1, 2);
	add_access(&p, false, 0x200008, 0, 3);
	add(&p, UNIT_DIV, 3, 4);
	p.config.int_div_latency = 300;
	/* 267 + 300, and not 528 + 300. */
	assert_int_equal(cycles_of(&p), 568);
}

TEST(loads_read_stores_that_are_not_written)
{
	struct program covered = simple(), partial, other = simple();

	/* The store has its address in 7, in which the load issues: 2 cycles. */
	add_access(&covered, true, 0x100000, 0, 0);
	partial = covered;
	add_access(&covered, false, 0x100000, 0, 1);
	assert_int_equal(cycles_of(&covered), 10);
	/* The store commits in 7 and is written from 8 to 269; then the load hits. */
	add_access(&partial, false, 0x100004, 0, 1);
	assert_int_equal(cycles_of(&partial), 269 + 2 + 1);
	/* An older store to the same granule is found behind a younger one that is not read. */
	add_access(&other, true, 0x100000, 0, 0)->access_bytes = 4;
	add_access(&other, true, 0x100004, 0, 0)->access_bytes = 4;
	add_access(&other, false, 0x100000, 0, 1)->access_bytes = 4;
	assert_int_equal(cycles_of(&other), 10);
}

TEST(loads_wait_for_addresses_or_are_replayed)
{
	struct program p = simple(), predicts;

	/* The divider has the store's address in 26, so the store issues then and the load, of
	 * other bytes, in 27; it misses. */
	add(&p, UNIT_DIV, 0, 1);
	add_access(&p, true, 0x100000, 1, 0);
	predicts = p;
	add_access(&p, false, 0x200000, 0, 2);
	assert_int_equal(cycles_of(&p), 27 + 261 + 1);
	p.config.disambiguation = DISAMBIGUATION_PERFECT;
	assert_int_equal(cycles_of(&p), 6 + 261 + 1);
	/* A load of the same bytes starts too early: it is fetched again in 27, issues in 33 and
	 * has what the store has. */
	add_access(&predicts, false, 0x100000, 0, 2);
	predicts.config.disambiguation = DISAMBIGUATION_PREDICT;
	predicts.config.store_sets_entries = 64;
	predicts.config.store_sets_sets = 16;
	predicts.config.store_sets_clear = UNLIMITED;
	assert_int_equal(cycles_of(&predicts), 33 + 2 + 1);
	predicts.config.disambiguation = DISAMBIGUATION_PERFECT;
	assert_int_equal(cycles_of(&predicts), 27 + 2 + 1);
}

TEST(queues_are_as_long_as_they_are)
{
	struct program window = misses(1, 0, 0, 1), queue = simple(), buffer = simple();

	/* The load commits in 267 with three after it, and four more dispatch then, which commit in
	 * 269; the last dispatches in 269. */
	add_many(&window, 8, UNIT_ALU);
	window.config.rob_size = 4;
	assert_int_equal(cycles_of(&window), 272);
	/* Of a chain behind a division all but the first two wait in the queue of two: the third
	 * dispatches in 26, when the second issues, which is complete in 27. */
	add(&queue, UNIT_DIV, 0, 1);
	for (unsigned i = 0; i < 3; i++)
		add(&queue, UNIT_ALU, 1, 2);
	assert_int_equal(cycles_of(&queue), 28);
	queue.config.issue_queue_size = 2;
	/* The division leaves the queue in 6, the third enters then; the fourth in 26. */
	assert_int_equal(cycles_of(&queue), 26 + 1 + 1 + 1);
	/* The first is written from 8 to 269; only then the second commits. */
	add_access(&buffer, true, 0x100000, 0, 0);
	add_access(&buffer, true, 0x200000, 0, 0);
	assert_int_equal(cycles_of(&buffer), 8);
	buffer.config.store_buffer = 1;
	assert_int_equal(cycles_of(&buffer), 270);
}

TEST(serialising_instructions_are_alone)
{
	struct program p = simple();

	/* The fence dispatches when the division has committed, in 26, commits in 28, and the last
	 * dispatches then. */
	add_many(&p, 1, UNIT_DIV);
	add_many(&p, 1, UNIT_FENCE);
	add_many(&p, 1, UNIT_ALU);
	assert_int_equal(cycles_of(&p), 31);
}

TEST(more_in_flight_than_can_be_timed_are_refused)
{
	struct program p = simple();
	struct err err;

	p.config.decode_width = 16;
	p.config.l1i_latency = 1000;
	assert_null(retimer_create(&p.config, &err));
	/* 64 in the window, 1004 stages of 16, a buffer of 32 and a group of 4. */
	assert_string_equal(err.text, "16164 instructions in flight cannot be timed, only 8192: "
				      "make the window or the front end smaller");
}

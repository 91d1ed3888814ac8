/*
 * Memory by itself: times worked out by hand, and against its twin under requests that arrive in
 * bursts and out of order.
 */
#include "../test.h"
#include "base/rng.h"
#include "mem/main_memory.h"
#include "twin_memory.h"

static const struct main_memory_parameters channel = {.latency_cycles = 250, .line_cycles = 8};
static const struct main_memory_parameters dram = {
	.latency_cycles = 100,
	.banks = 4,
	.row_bytes = 1024,
	.row_hit_cycles = 20,
	.row_closed_cycles = 50,
	.row_conflict_cycles = 70,
};

static struct main_memory_answer ask(struct main_memory *memory, uint64_t at, uint64_t address)
{
	struct main_memory_answer answer;

	main_memory_request(memory, 0, at, address, true, &answer);
	return answer;
}

TEST(a_line_waits_for_those_before_it)
{
	struct main_memory memory;

	main_memory_init(&memory, &channel);
	for (unsigned n = 0; n < 10; n++) {
		struct main_memory_answer answer = ask(&memory, 1000, n * 64);

		assert_int_equal(answer.done_at, 1000 + 250 + n * 8);
		assert_int_equal(answer.queue_cycles, n * 8);
	}
	/* The channel is free before cycle 1000; a stretch of 8 cycles is needed. */
	assert_int_equal(ask(&memory, 992, 0).done_at, 992 + 250);
	assert_int_equal(ask(&memory, 983, 0).done_at, 983 + 250);
	assert_int_equal(ask(&memory, 984, 0).queue_cycles, 1080 - 984);
	main_memory_release(&memory);
}

TEST(what_does_not_occupy_neither_waits_nor_makes_wait)
{
	struct main_memory memory;
	struct main_memory_answer answer;

	main_memory_init(&memory, &channel);
	ask(&memory, 0, 0);
	main_memory_request(&memory, 0, 0, 64, false, &answer);
	assert_int_equal(answer.done_at, 250);
	assert_int_equal(answer.queue_cycles, 0);
	assert_int_equal(ask(&memory, 0, 128).done_at, 258);
	main_memory_release(&memory);
}

TEST(rows_are_closed_hit_or_in_conflict)
{
	struct main_memory memory;
	struct main_memory_answer answer;

	main_memory_init(&memory, &dram);
	answer = ask(&memory, 0, 0);
	assert_int_equal(answer.row, ROW_CLOSED);
	assert_int_equal(answer.done_at, 150);
	answer = ask(&memory, 1000, 1023);
	assert_int_equal(answer.row, ROW_HIT);
	assert_int_equal(answer.done_at, 1120);
	answer = ask(&memory, 2000, 1024); /* the next bank */
	assert_int_equal(answer.row, ROW_CLOSED);
	answer = ask(&memory, 3000, 4096); /* the next row of the first bank */
	assert_int_equal(answer.row, ROW_CONFLICT);
	assert_int_equal(answer.done_at, 3170);
	answer = ask(&memory, 3000, 0); /* the bank opens a row for 70 - 20 cycles before */
	assert_int_equal(answer.row, ROW_CONFLICT);
	assert_int_equal(answer.queue_cycles, 50);
	assert_int_equal(answer.done_at, 3220);
	answer = ask(&memory, 3000,
		     64); /* and for 50 more; a row hit takes none of the bank's time */
	assert_int_equal(answer.row, ROW_HIT);
	assert_int_equal(answer.queue_cycles, 100);
	answer = ask(&memory, 3000, 1024);
	assert_int_equal(answer.row, ROW_HIT);
	assert_int_equal(answer.queue_cycles, 0);
	main_memory_release(&memory);
}

TEST(a_row_that_is_closed_after_use_is_always_closed)
{
	struct main_memory_parameters p = dram;
	struct main_memory memory;

	p.closes_rows = true;
	main_memory_init(&memory, &p);
	for (unsigned n = 0; n < 5; n++)
		assert_int_equal(ask(&memory, n * 1000, n % 2 * 4096).row, ROW_CLOSED);
	main_memory_release(&memory);
}

TEST(every_request_is_that_of_the_twin)
{
	for (uint64_t machine = 0; machine < 60; machine++) {
		struct rng rng = {machine};
		struct main_memory_parameters p = {
			.latency_cycles = (uint32_t)rng_below(&rng, 50),
			.line_cycles = (uint32_t)rng_below(&rng, 20),
			.banks = machine % 3 ? 1u << rng_below(&rng, 4) : 0,
			.row_bytes = 64u << rng_below(&rng, 4),
			.row_hit_cycles = (uint32_t)rng_below(&rng, 5),
			.row_closed_cycles = 5 + (uint32_t)rng_below(&rng, 10),
			.row_conflict_cycles = 15 + (uint32_t)rng_below(&rng, 20),
		};
		struct main_memory memory;
		struct twin_memory twin;
		uint64_t now = 0;

		main_memory_init(&memory, &p);
		twin_memory_init(&twin, &p);
		for (unsigned step = 0; step < 1500; step++) {
			/* Bursts of twenty, with time in between to catch up. */
			uint64_t at = now + rng_below(&rng, rng_below(&rng, 4) ? 20 : 600);
			uint64_t address = rng_below(&rng, 8192), queue;
			bool occupies = rng_below(&rng, 8);
			struct main_memory_answer answer;
			int row;

			main_memory_request(&memory, now, at, address, occupies, &answer);
			assert_int_equal(answer.done_at,
					 twin_memory_request(&twin, now, at, address, occupies,
							     &queue, &row));
			assert_int_equal(answer.queue_cycles, queue);
			assert_int_equal((int)answer.row - ROW_HIT, row);
			assert_true(occupies || !queue);
			now += step % 20 ? rng_below(&rng, 3) : 700;
		}
		main_memory_release(&memory);
		twin_memory_release(&twin);
	}
}

TEST(impossible_memories_are_refused)
{
	struct main_memory_parameters p = dram;
	struct err err = {.text = ""};

	assert_true(main_memory_check(&p, &err));
	p.banks = 3;
	p.row_bytes = 1024;
	assert_false(main_memory_check(&p, &err));
	assert_string_equal(err.text,
			    "3 banks with rows of 1024 bytes: both must be powers of two");
	p = dram;
	p.row_bytes = 1000;
	assert_false(main_memory_check(&p, &err));
	/* A memory without banks has no rows. */
	p.banks = 0;
	assert_true(main_memory_check(&p, &err));
	p = dram;
	p.row_closed_cycles = 50;
	p.row_hit_cycles = 50;
	p.row_conflict_cycles = 50;
	assert_true(main_memory_check(&p, &err));
	p.row_hit_cycles = 51;
	assert_false(main_memory_check(&p, &err));
	assert_string_equal(err.text,
			    "a row hit of 51, a closed row of 50 and a row conflict of 50 "
			    "cycles are not in ascending order");
	p.row_hit_cycles = 48;
	p.row_conflict_cycles = 49;
	assert_false(main_memory_check(&p, &err));
}

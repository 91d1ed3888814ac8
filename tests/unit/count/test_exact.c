/* exact: what is charged adds up by instruction, thread and interval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "count/exact.h"
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

static void it_adds_up_in_any_grouping(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint64_t by_row[CAUSE_COUNT] = {0}, by_thread[CAUSE_COUNT] = {0};
		uint64_t by_interval[CAUSE_COUNT] = {0}, executed = 0, committed = 0, cycles = 0;
		struct config config;
		size_t count;

		stream_config(&config, seed);
		struct tape tape = stream_make(seed, &config, RECORDS);
		void *exact = count_exact.create(&config, STREAM_SLOTS);
		exact_set_interval(exact, 100);
		tape_play(&tape, false, count_exact.cycle, exact);
		struct ledger *ledger = exact_ledger(exact);

		assert_int_equal(exact_slots_per_cycle(exact), config.dispatch_width);
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
		for (size_t i = 0; i < count; i++)
			add(by_thread, threads[i].slots);
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
		assert_int_equal(sum_of(exact_ledger(exact)->slots),
				 tape.cycles * config.dispatch_width);
		count_exact.destroy(exact);
		tape_release(&tape);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_adds_up_in_any_grouping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

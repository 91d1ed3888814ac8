#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/array.h"
#include "signal/signal.h"

static void names_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < signal_count(); i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(signal_rows[i].name, signal_rows[k].name);
}

static void every_signal_is_found_by_its_name(void **state)
{
	(void)state;
	assert_true(signal_count() > 0);
	for (size_t i = 0; i < signal_count(); i++)
		assert_ptr_equal(signal_find(signal_rows[i].name), &signal_rows[i]);
}

static void what_is_no_name_is_not_found(void **state)
{
	static const char *const none[] = {"", "cycle", "cycles ", "Cycles", "head", "head.", "%s"};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(none); i++)
		assert_null(signal_find(none[i]));
}

static void every_row_is_complete(void **state)
{
	(void)state;
	for (size_t i = 0; i < signal_count(); i++) {
		const struct signal_row *row = &signal_rows[i];

		assert_non_null(row->value);
		assert_true(strlen(row->meaning) >= 10);
		assert_true(strcmp(row->unit, "cycles") == 0 ||
			    strcmp(row->unit, "instructions") == 0 ||
			    strcmp(row->unit, "entries") == 0);
		assert_true(row->source == SIGNAL_HW || row->source == SIGNAL_ORACLE);
		assert_true(strlen(signal_category_name(row->category)) > 0);
	}
}

/* Names are typed on command lines and carried in packets. */
static void names_are_dotted_lower_case(void **state)
{
	(void)state;
	for (size_t i = 0; i < signal_count(); i++) {
		const char *name = signal_rows[i].name;
		size_t bytes = strlen(name);

		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._"), bytes);
		assert_true(name[0] >= 'a' && name[0] <= 'z');
		assert_true(name[bytes - 1] != '.' && !strstr(name, ".."));
	}
}

static void signals_that_know_the_path_are_oracles(void **state)
{
	(void)state;
	for (size_t i = 0; i < signal_count(); i++)
		if (strstr(signal_rows[i].name, "useful") || strstr(signal_rows[i].name, "wrong"))
			assert_int_equal(signal_rows[i].source, SIGNAL_ORACLE);
}

static uint64_t value_of(size_t i, const struct cycle *cycle)
{
	return signal_rows[i].value(cycle);
}

/* Whatever its name: a signal that answers to an oracle field of the record is an
 * oracle, and one marked oracle answers to some. */
static void only_oracles_see_oracle_fields(void **state)
{
	static const struct cycle base = {
		.repeat = 1,
		.fetched = 4,
		.fed = 4,
		.dispatched = 4,
		.issued = 4,
		.committed = 4,
		.rob_used = 9,
	};

	(void)state;
	for (size_t i = 0; i < signal_count(); i++) {
		struct cycle changed[4] = {base, base, base, base};
		bool sees = false;

		changed[0].useful_fetched = 3;
		changed[1].useful_dispatched = 3;
		changed[2].useful_issued = 3;
		changed[3].wrong_path = 1;
		for (size_t k = 0; k < ARRAY_COUNT(changed); k++)
			sees |= value_of(i, &changed[k]) != value_of(i, &base);
		assert_int_equal(sees, signal_rows[i].source == SIGNAL_ORACLE);
	}
}

/* In one cycle a signal counted in cycles is 0 or 1. */
static void cycles_are_counted_once(void **state)
{
	(void)state;
	for (uint8_t stall = FETCH_NONE; stall <= FETCH_DONE; stall++)
		for (uint8_t full = DISPATCH_NONE; full <= DISPATCH_SERIALISE; full++)
			for (uint8_t head = HEAD_EMPTY; head <= HEAD_MSHR; head++) {
				const struct cycle cycle = {
					.repeat = 7,
					.fetched = 8,
					.committed = 4,
					.rob_used = 128,
					.fetch_stall = stall,
					.dispatch_stall = full,
					.head_state = head,
				};

				for (size_t i = 0; i < signal_count(); i++)
					if (strcmp(signal_rows[i].unit, "cycles") == 0)
						assert_in_range(value_of(i, &cycle), 0, 1);
			}
}

/* A reason why fetch or dispatch stood still, or what the head does, belongs to one
 * signal at most. */
static void reasons_exclude_each_other(void **state)
{
	static const char *const groups[] = {"fetch.", "dispatch.", "head."};

	(void)state;
	for (size_t g = 0; g < ARRAY_COUNT(groups); g++)
		for (uint8_t reason = 0; reason <= FETCH_DONE; reason++) {
			const struct cycle cycle = {
				.repeat = 1,
				.fetch_stall = g == 0 ? reason : FETCH_NONE,
				.dispatch_stall = g == 1 ? reason : DISPATCH_NONE,
				.head_state = g == 2 ? reason : HEAD_EMPTY,
			};
			uint64_t sum = 0;

			for (size_t i = 0; i < signal_count(); i++)
				if (strncmp(signal_rows[i].name, groups[g], strlen(groups[g])) == 0)
					sum += value_of(i, &cycle);
			assert_in_range(sum, 0, 1);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_unique),
		cmocka_unit_test(every_signal_is_found_by_its_name),
		cmocka_unit_test(what_is_no_name_is_not_found),
		cmocka_unit_test(every_row_is_complete),
		cmocka_unit_test(names_are_dotted_lower_case),
		cmocka_unit_test(signals_that_know_the_path_are_oracles),
		cmocka_unit_test(only_oracles_see_oracle_fields),
		cmocka_unit_test(cycles_are_counted_once),
		cmocka_unit_test(reasons_exclude_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

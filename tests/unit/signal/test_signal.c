#include "../test.h"
#include "base/array.h"
#include "signal/signal.h"
#include "value/counted.h"
#include "value/unit.h"

TEST(names_are_unique)
{
	for (size_t i = 0; i < signal_count(); i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(signal_rows[i].name, signal_rows[k].name);
}

TEST(every_signal_is_found_by_its_name)
{
	assert_true(signal_count() > 0);
	for (size_t i = 0; i < signal_count(); i++)
		assert_ptr_equal(signal_find(signal_rows[i].name), &signal_rows[i]);
}

TEST(an_unknown_name_is_not_found)
{
	static const char *const none[] = {"", "cycle", "cycles ", "Cycles", "head", "head.", "%s"};

	for (size_t i = 0; i < ARRAY_COUNT(none); i++)
		assert_null(signal_find(none[i]));
}

TEST(every_row_is_complete)
{
	for (size_t i = 0; i < signal_count(); i++) {
		const struct signal_row *row = &signal_rows[i];

		assert_non_null(unit_find(row->unit));
		assert_true(row->value || row->amount);
		assert_true(!!row->amount == (row->owner == SIGNAL_OF_EVENT));
		assert_true(!!row->amount == !!row->events);
		assert_true(row->events < EVENT_BIT(EVENT_KINDS));
		assert_true(strlen(row->meaning) >= 10);
		assert_true(row->source == SIGNAL_HW || row->source == SIGNAL_ORACLE);
		assert_true(strlen(signal_category_name(row->category)) > 0);
		assert_true(strlen(signal_owner_name(row->owner)) > 0);
	}
}

/* Every value of a result has a signal, in the same unit, whose running total it is. */
TEST(every_counted_value_has_its_signal)
{
	for (const struct counted_row *row = counted_rows; row->name; row++) {
		const struct signal_row *signal = signal_find(row->signal);

		if (!signal)
			fail_msg("%s: there is no signal %s", row->name, row->signal);
		assert_non_null(signal->total);
		assert_string_equal(row->unit, signal->unit);
	}
}

/* Names are typed on command lines and sent in packets. */
TEST(names_are_dotted_lower_case)
{
	for (size_t i = 0; i < signal_count(); i++) {
		const char *name = signal_rows[i].name;
		size_t bytes = strlen(name);

		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._"), bytes);
		assert_true(name[0] >= 'a' && name[0] <= 'z');
		assert_true(name[bytes - 1] != '.' && !strstr(name, ".."));
	}
}

TEST(signals_that_know_the_path_are_oracles)
{
	for (size_t i = 0; i < signal_count(); i++)
		if ((strstr(signal_rows[i].name, "useful") &&
		     signal_rows[i].category != SIGNAL_PREFETCH) ||
		    strstr(signal_rows[i].name, "wrong"))
			assert_int_equal(signal_rows[i].source, SIGNAL_ORACLE);
}

static uint64_t value_of(size_t i, const struct cycle *cycle)
{
	return signal_rows[i].value ? signal_rows[i].value(cycle) : 0;
}

/* Whether the signal's value changes when only oracle fields of the record change. */
static bool depends_on_oracle_fields(size_t i)
{
	static const struct cycle base = {
		.repeat = 1,
		.fetched = 4,
		.fed = 4,
		.dispatched = 4,
		.issued = 4,
		.committed = 4,
		.rob_used = 9,
		.width = 4,
	};
	struct cycle changed[6] = {base, base, base, base, base, base};
	bool sees = false;

	changed[0].useful_fetched = 3;
	changed[1].useful_dispatched = 3;
	changed[2].useful_issued = 3;
	changed[3].wrong_path = 1;
	changed[5].again_dispatched = 1;
	for (size_t k = 0; k < ARRAY_COUNT(changed); k++)
		sees |= value_of(i, &changed[k]) != value_of(i, &base);
	for (unsigned late = LATE_NONE; late <= LATE_STORE_MSHR; late++) {
		changed[4].head_late = (uint16_t)late;
		sees |= value_of(i, &changed[4]) != value_of(i, &base);
	}
	return sees;
}

/* The same for events, of every kind, class and detail that it counts. */
static bool depends_on_oracle_fields_of_events(size_t i)
{
	const struct signal_row *row = &signal_rows[i];
	bool sees = false;

	for (unsigned kind = 0; row->amount && kind < EVENT_KINDS; kind++)
		for (unsigned class = 0; row->events & EVENT_BIT(kind) && class < CLASS_COUNT;
		     class ++)
			for (unsigned bit = 0; bit < 16 + MEMORY_EVENT_COUNT; bit++) {
				struct cycle_event e = {
					.kind = (uint8_t)kind,
					.insn_class = (uint8_t) class,
					.detail = (uint16_t)(bit < 16 ? 1u << bit : bit - 16),
					.amount = 3,
				};
				uint64_t before = row->amount(&e);

				e.wrong_path = e.mispredicted = 1;
				sees |= row->amount(&e) != before;
			}
	return sees;
}

/* A signal that depends on an oracle field of the record must be marked oracle, and one marked
 * oracle must depend on one. */
TEST(only_oracles_depend_on_oracle_fields)
{
	for (size_t i = 0; i < signal_count(); i++) {
		bool sees = depends_on_oracle_fields(i) || depends_on_oracle_fields_of_events(i);

		if (sees != (signal_rows[i].source == SIGNAL_ORACLE))
			fail_msg("%s %s an oracle", signal_rows[i].name,
				 sees ? "is marked hw but is" : "is marked oracle but is not");
	}
}

/* A lost slot has exactly one reason. */
static void assert_lost_slots_add_up(const struct cycle *cycle)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < signal_count(); i++)
		if (strncmp(signal_rows[i].name, "lost.", 5) == 0 &&
		    signal_rows[i].source == SIGNAL_HW)
			sum += value_of(i, cycle);
	if (cycle->dispatch_stall != DISPATCH_NONE)
		assert_int_equal(sum, signal_find("lost")->value(cycle));
}

/* In one cycle a signal counted in cycles is 0 or 1. */
TEST(cycles_are_counted_once)
{
	for (uint8_t stall = FETCH_NONE; stall <= FETCH_DONE; stall++)
		for (uint8_t full = DISPATCH_NONE; full <= DISPATCH_BRANCHES; full++)
			for (uint8_t head = HEAD_EMPTY; head <= HEAD_MSHR; head++) {
				const struct cycle cycle = {
					.repeat = 7,
					.fetched = 8,
					.committed = 4,
					.rob_used = 128,
					.width = 4,
					.fetch_stall = stall,
					.dispatch_stall = full,
					.head_state = head,
				};

				for (size_t i = 0; i < signal_count(); i++)
					if (strcmp(signal_rows[i].unit, "cycles") == 0)
						assert_in_range(value_of(i, &cycle), 0, 1);
				assert_lost_slots_add_up(&cycle);
			}
}

/* For each reason why fetch or dispatch stopped, and for each head state, at most one signal
 * counts. */
TEST(reasons_exclude_each_other)
{
	static const char *const groups[] = {"fetch.", "dispatch.", "head."};

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

static const struct cycle_event events[] = {
	{.kind = EVENT_COMMIT, .insn_class = CLASS_CONDITIONAL, .detail = COMMIT_BRANCH, .pc = 100},
	{.kind = EVENT_COMMIT,
	 .insn_class = CLASS_CONDITIONAL,
	 .detail = COMMIT_BRANCH | COMMIT_TAKEN | COMMIT_MISPREDICTED,
	 .pc = 104},
	{.kind = EVENT_COMMIT_PLAIN, .insn_class = CLASS_LOAD, .pc = 108},
	{.kind = EVENT_LOAD_ACCESS,
	 .detail = MEMORY_EVENT(cache[CACHE_L1D][SIDE_DATA].misses),
	 .amount = 1,
	 .pc = 108},
	{.kind = EVENT_LOAD_ACCESS,
	 .detail = MEMORY_EVENT(plain[ACCESS_LOAD]),
	 .amount = 1,
	 .pc = 112},
	{.kind = EVENT_STORE_ACCESS,
	 .wrong_path = 1,
	 .detail = MEMORY_EVENT(mshr[CACHE_L2].cycles),
	 .amount = 250,
	 .pc = 116},
};

static const struct cycle with_events = {
	.repeat = 1,
	.committed = 3,
	.fetch_stall = FETCH_L1I,
	.head_state = HEAD_L2D,
	.width = 4,
	.head_pc = 108,
	.fetch_pc = 200,
	.events = events,
	.event_count = ARRAY_COUNT(events),
	.event_kinds = EVENT_BIT(EVENT_COMMIT) | EVENT_BIT(EVENT_COMMIT_PLAIN) |
		       EVENT_BIT(EVENT_LOAD_ACCESS) | EVENT_BIT(EVENT_STORE_ACCESS),
};

/* Computed by hand from the six events above. */
TEST(counts_belong_to_their_instruction)
{
	static const struct {
		const char *name;
		uint64_t low, high, sum;
	} cases[] = {
		{"committed", 0, UINT64_MAX, 3},
		{"committed", 104, 108, 1},
		{"committed.load", 0, UINT64_MAX, 1},
		{"committed.load", 0, 108, 0},
		{"branches", 100, 104, 1},
		{"branches", 100, 105, 2},
		{"branches.conditional.not_taken", 0, UINT64_MAX, 1},
		{"branches.mispredicted", 0, 104, 0},
		{"branches.mispredicted", 104, 105, 1},
		{"l1d.misses", 108, 109, 1},
		{"l1d.misses", 109, UINT64_MAX, 0},
		{"l1d.accesses", 108, 113, 2},
		{"l1d.hits", 112, 113, 1},
		{"l1d.loads", 0, UINT64_MAX, 2},
		{"l1d.stores", 0, UINT64_MAX, 0},
		{"dtlb.hits", 0, UINT64_MAX, 1},
		{"mshr.l2.cycles", 116, 117, 250},
		{"fetch.l1i", 200, 201, 1},
		{"fetch.l1i", 0, 200, 0},
		{"head.l2d", 108, 109, 1},
		{"head.l2d", 200, 201, 0},
		{"lost", 108, 109, 4},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		uint64_t sum = signal_sum_in(signal_find(cases[i].name), &with_events, cases[i].low,
					     cases[i].high);

		if (sum != cases[i].sum)
			fail_msg("%s in %llu..%llu is %llu instead of %llu", cases[i].name,
				 (unsigned long long)cases[i].low,
				 (unsigned long long)cases[i].high, (unsigned long long)sum,
				 (unsigned long long)cases[i].sum);
	}
}

/* With an empty window, counts of the oldest instruction belong to the next one to be fetched. */
TEST(an_empty_window_belongs_to_fetch)
{
	const struct cycle empty = {.repeat = 5, .fetch_pc = 40, .width = 4};

	assert_int_equal(signal_sum_in(signal_find("cycles"), &empty, 40, 41), 5);
	assert_int_equal(signal_sum_in(signal_find("cycles"), &empty, 0, 40), 0);
	assert_int_equal(signal_sum(signal_find("slots"), &empty), 20);
}

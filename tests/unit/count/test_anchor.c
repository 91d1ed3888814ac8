/* anchor: whatever was charged and whatever is measured, every sum is right; what agrees stays as
 * it is; and shares that are worked out on paper. */
#include "../test.h"
#include "base/rng.h"
#include "count/anchor.h"

static uint64_t sum_of(const uint64_t *slots)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum += slots[i];
	return sum;
}

/* Charges random slots; some instructions, causes and threads have none. */
static void charge_at_random(struct ledger *ledger, struct rng *rng)
{
	const unsigned pcs = 1 + (unsigned)rng_below(rng, 40);

	ledger_init(ledger);
	ledger->interval = rng_below(rng, 3) ? 50 : 0;
	ledger_set_thread(ledger, 1);
	for (unsigned i = 0; i < 300; i++) {
		const uint64_t slots =
			rng_below(rng, 4) ? rng_below(rng, 9) : rng_below(rng, 100000);

		ledger_charge(ledger, (enum cause)rng_below(rng, 1 + rng_below(rng, CAUSE_COUNT)),
			      0x1000 + 2 * rng_below(rng, pcs), slots);
		if (!rng_below(rng, 50))
			ledger_set_thread(ledger, (uint32_t)rng_below(rng, 3));
		if (ledger_advance(ledger, 1 + rng_below(rng, 5), rng_below(rng, 4)))
			ledger_end_interval(ledger);
	}
}

/* Every cause in one group of at most five, which have all slots in some way. */
static size_t measure_at_random(struct rng *rng, uint64_t all, struct anchor_group *groups)
{
	const size_t count = 1 + rng_below(rng, 5);
	uint64_t left = all;

	for (size_t i = 0; i < count; i++)
		groups[i] = (struct anchor_group){0};
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		groups[i < count ? i : rng_below(rng, count)].causes |= UINT64_C(1) << i;
	for (size_t i = 0; i < count; i++) {
		groups[i].slots = i + 1 == count ? left : rng_below(rng, left + 1);
		left -= groups[i].slots;
	}
	return count;
}

static uint64_t of_group(const uint64_t *slots, const struct anchor_group *group)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum += group->causes >> i & 1 ? slots[i] : 0;
	return sum;
}

TEST(every_sum_is_right)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct rng rng = {seed};
		struct ledger from, to;
		struct anchor_group groups[5];
		uint64_t columns[CAUSE_COUNT] = {0};
		size_t rows, same, threads, intervals;

		charge_at_random(&from, &rng);
		const size_t count = measure_at_random(&rng, sum_of(from.slots), groups);
		anchor_ledger(&from, groups, count, &to);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(of_group(to.slots, &groups[i]), groups[i].slots);
		const struct ledger_row *old = ledger_rows(&from, &same);
		const struct ledger_row *new = ledger_rows(&to, &rows);
		assert_int_equal(rows, same);
		for (size_t i = 0; i < rows; i++) {
			assert_int_equal(new[i].pc, old[i].pc);
			assert_int_equal(sum_of(new[i].slots), sum_of(old[i].slots));
			for (unsigned k = 0; k < CAUSE_COUNT; k++)
				columns[k] += new[i].slots[k];
		}
		assert_memory_equal(columns, to.slots, sizeof(columns));
		const struct ledger_thread *was = ledger_threads(&from, &same);
		const struct ledger_thread *is = ledger_threads(&to, &threads);
		assert_int_equal(threads, same);
		for (size_t i = 0; i < threads; i++) {
			assert_int_equal(is[i].id, was[i].id);
			assert_int_equal(sum_of(is[i].slots), sum_of(was[i].slots));
			for (unsigned k = 0; k < CAUSE_COUNT; k++)
				columns[k] -= is[i].slots[k];
		}
		for (unsigned k = 0; k < CAUSE_COUNT; k++)
			assert_int_equal(columns[k], 0);
		const struct ledger_interval *before = ledger_intervals(&from, &same);
		const struct ledger_interval *after = ledger_intervals(&to, &intervals);
		assert_int_equal(intervals, same);
		for (size_t i = 0; i < intervals; i++) {
			assert_int_equal(after[i].cycles, before[i].cycles);
			assert_int_equal(sum_of(after[i].slots), sum_of(before[i].slots));
		}
		ledger_release(&to);
		ledger_release(&from);
	}
}

TEST(what_agrees_stays)
{
	struct rng rng = {7};
	struct ledger from, to;
	struct anchor_group groups[CAUSE_COUNT];
	size_t count, same;

	charge_at_random(&from, &rng);
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		groups[i] = (struct anchor_group){UINT64_C(1) << i, from.slots[i]};
	anchor_ledger(&from, groups, CAUSE_COUNT, &to);
	const struct ledger_row *old = ledger_rows(&from, &same), *new = ledger_rows(&to, &count);
	for (size_t i = 0; i < count; i++)
		for (unsigned k = 0; k < CAUSE_COUNT; k++)
			assert_true(llabs((long long)(new[i].slots[k] - old[i].slots[k])) <=
				    1 + (long long)(sum_of(old[i].slots) / 1000));
	ledger_release(&to);
	ledger_release(&from);
}

/* Two instructions of 100 slots: one charged with 60 of branch, the other with 20. Of 40 of branch
 * each has what its odds, 3/2 and 1/4, give if both are divided by the same number:
 * 100 * 1.5 / (1.5 + x) + 100 * 0.25 / (0.25 + x) = 40 for x = 3.107, so 32.6 and 7.4. */
TEST(two_instructions)
{
	const struct anchor_group groups[] = {
		{UINT64_C(1) << CAUSE_BRANCH, 40},
		{(UINT64_C(1) << CAUSE_COUNT) - 1 - (UINT64_C(1) << CAUSE_BRANCH), 160},
	};
	struct ledger from, to;
	size_t count;

	ledger_init(&from);
	ledger_set_thread(&from, 1);
	ledger_charge(&from, CAUSE_BRANCH, 0x100, 60);
	ledger_charge(&from, CAUSE_BASE, 0x100, 40);
	ledger_charge(&from, CAUSE_BRANCH, 0x200, 20);
	ledger_charge(&from, CAUSE_BASE, 0x200, 80);
	anchor_ledger(&from, groups, 2, &to);
	const struct ledger_row *rows = ledger_rows(&to, &count);
	assert_int_equal(count, 2);
	assert_int_equal(rows[0].slots[CAUSE_BRANCH] + rows[1].slots[CAUSE_BRANCH], 40);
	assert_in_range(rows[0].slots[CAUSE_BRANCH], 32, 33);
	assert_int_equal(to.slots[CAUSE_BASE], 160);
	ledger_release(&to);
	ledger_release(&from);
}

/* What nobody was charged with is everybody's. */
TEST(a_cause_without_slots)
{
	const struct anchor_group groups[] = {
		{UINT64_C(1) << CAUSE_LATENCY, 1000},
		{(UINT64_C(1) << CAUSE_COUNT) - 1 - (UINT64_C(1) << CAUSE_LATENCY), 3000},
	};
	struct ledger from, to;
	size_t count;

	ledger_init(&from);
	ledger_set_thread(&from, 1);
	ledger_charge(&from, CAUSE_BASE, 0x100, 1000);
	ledger_charge(&from, CAUSE_BASE, 0x200, 3000);
	anchor_ledger(&from, groups, 2, &to);
	const struct ledger_row *rows = ledger_rows(&to, &count);
	assert_in_range(rows[0].slots[CAUSE_LATENCY], 249, 251);
	assert_in_range(rows[1].slots[CAUSE_LATENCY], 749, 751);
	ledger_release(&to);
	ledger_release(&from);
}

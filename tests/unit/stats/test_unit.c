/* What trials find of a signal holds for random events and records. */
#include "../test.h"
#include "base/rng.h"
#include "stats/unit.h"

#define TRIALS 2000

static struct cycle_event random_event(struct rng *rng, unsigned kind)
{
	bool is_access = kind >= EVENT_FETCH_ACCESS;

	return (struct cycle_event){
		.kind = (uint8_t)kind,
		.wrong_path = (uint8_t)rng_below(rng, 2),
		.mispredicted = (uint8_t)rng_below(rng, 2),
		.again = (uint8_t)rng_below(rng, 2),
		.insn_class = (uint8_t)rng_below(rng, CLASS_COUNT),
		.detail = (uint16_t)rng_below(rng, is_access ? MEMORY_EVENT_COUNT : 65536),
		.slot = (uint32_t)rng_below(rng, 512),
		.amount = (uint32_t)rng_below(rng, 1000),
		.pc = rng_below(rng, 1 << 20),
	};
}

TEST(a_unit_signal_adds_1_for_every_event_of_the_kind)
{
	struct rng rng = {1};
	unsigned units = 0;

	for (size_t i = 0; i < signal_count(); i++)
		for (unsigned kind = 0; kind < EVENT_KINDS; kind++) {
			const struct signal_row *signal = &signal_rows[i];

			if (!(signal->events & EVENT_BIT(kind)) || !unit_of_events(signal, kind))
				continue;
			units++;
			for (int k = 0; k < TRIALS; k++) {
				struct cycle_event e = random_event(&rng, kind);

				assert_int_equal(signal->amount(&e), 1);
			}
		}
	/* committed (two kinds), fetched, dispatched, issued, squashed at least. */
	assert_true(units >= 6);
	assert_true(unit_of_events(signal_find("committed"), EVENT_COMMIT_PLAIN));
	assert_false(unit_of_events(signal_find("branches.mispredicted"), EVENT_COMMIT));
}

TEST(a_commit_without_the_bits_needed_has_no_amount)
{
	struct rng rng = {3};
	unsigned without = 0;

	for (size_t i = 0; i < signal_count(); i++) {
		const struct signal_row *signal = &signal_rows[i];
		const unsigned needs = unit_needs_commits(signal);

		assert_int_equal(!needs, !(signal->events & EVENT_BIT(EVENT_COMMIT)));
		for (int k = 0; needs && k < TRIALS; k++) {
			struct cycle_event e = random_event(&rng, EVENT_COMMIT);

			/* Half of the events have few bits. */
			e.detail &= k % 2 ? UINT16_MAX : (uint16_t)rng_below(&rng, 1 << 16);
			/* A plain commit, without any, is another kind. */
			e.detail = e.detail ? e.detail : COMMIT_TAKEN;
			without += !(e.detail & needs);
			if (!(e.detail & needs))
				assert_int_equal(signal->amount(&e), 0);
		}
	}
	assert_true(without > TRIALS);
	assert_int_equal(unit_needs_commits(signal_find("branches.mispredicted")),
			 COMMIT_MISPREDICTED);
	assert_int_equal(unit_needs_commits(signal_find("committed.load")), UINT16_MAX);
	assert_int_equal(unit_needs_commits(signal_find("miss.l1d.committed")), DATA_MISS_L1);
}

TEST(committed_alone_is_1_for_every_commit)
{
	for (size_t i = 0; i < signal_count(); i++)
		if (signal_rows[i].owner == SIGNAL_OF_EVENT)
			assert_int_equal(unit_of_commits(&signal_rows[i]),
					 &signal_rows[i] == signal_find("committed"));
}

TEST(only_cycles_are_1_in_every_cycle)
{
	for (size_t i = 0; i < signal_count(); i++)
		if (signal_rows[i].value)
			assert_int_equal(unit_of_cycles(&signal_rows[i]),
					 &signal_rows[i] == signal_find("cycles"));
}

TEST(what_a_filter_drops_has_no_amount)
{
	struct rng rng = {2};
	unsigned dropped = 0, kept = 0;

	for (size_t i = 0; i < signal_count(); i++) {
		const struct signal_row *signal = &signal_rows[i];
		struct unit_filter filter = {0};

		unit_filter_add(&filter, signal);
		for (int k = 0; signal->amount && k < TRIALS; k++) {
			unsigned kind = EVENT_FETCH_ACCESS +
					(unsigned)rng_below(&rng, EVENT_KINDS - EVENT_FETCH_ACCESS);
			struct cycle_event e = random_event(&rng, kind);
			bool drops = unit_filter_drops(&filter, &e);

			dropped += drops;
			kept += !drops;
			if (drops && signal->events & EVENT_BIT(kind))
				assert_int_equal(signal->amount(&e), 0);
		}
	}
	assert_true(dropped > 0 && kept > 0);
}

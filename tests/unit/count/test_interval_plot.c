/* Interval plots: which events are clean, and what is recorded around them. */
#include "../test.h"
#include "base/rng.h"
#include "plot_bench.h"

TEST(an_l1i_miss_alone_is_found)
{
	struct bench bench = bench_open(0);

	give(&bench, flowing(), 100);
	give_l1i_miss(&bench);
	give(&bench, flowing(), 100);
	struct interval_view view = look(&bench, INTERVAL_L1I);
	assert_int_equal(view.found, 1);
	assert_int_equal(view.first_cycle, 100);
	assert_int_equal(view.first_pc, 0x1234);
	for (unsigned i = 0; i < view.length; i++) {
		int cycle = (int)i - (int)view.before;
		bool stands = cycle >= 6 && cycle < 10;

		assert_int_equal(view.example[i].useful_issued, stands ? 0 : 3);
		assert_int_equal(view.example[i].dispatched, stands ? 0 : 4);
		assert_int_equal(view.example[i].committed, stands ? 0 : 4);
		assert_int_equal(view.example[i].rob_used, stands ? 9 : 50);
		assert_int_equal(view.example[i].marks, cycle == 0 ? INTERVAL_FETCH_MISS : 0);
		assert_int_equal(view.sums[i].useful_issued, stands ? 0 : 3);
		assert_int_equal(view.sums[i].rob_used, stands ? 9 : 50);
	}
	bench_close(&bench);
}

TEST(a_miss_the_fetch_buffer_hides_is_not_shown)
{
	struct bench bench = bench_open(0);

	give(&bench, flowing(), 100);
	give_event(&bench, flowing(), l1i_miss);
	give(&bench, flowing(), 100);
	assert_int_equal(found(&bench, INTERVAL_L1I), 0);
	bench_close(&bench);
}

/* Any other event nearby, before or after, makes an event not clean. */
TEST(a_disturbed_miss_is_not_clean)
{
	const struct cycle_event disturbing[] = {
		l1i_miss,
		load_miss,
		dispatch,
		resolve,
		{.kind = EVENT_FETCH_MISS, .detail = FETCH_MISS_L1 | FETCH_MISS_L2},
		{.kind = EVENT_FETCH_MISS, .detail = FETCH_MISS_TLB},
		{.kind = EVENT_LOAD_MISS, .detail = DATA_MISS_TLB},
	};

	for (size_t i = 0; i < sizeof(disturbing) / sizeof(disturbing[0]); i++)
		for (unsigned after = 0; after < 2; after++) {
			struct bench bench = bench_open(0);

			give(&bench, flowing(), 100);
			if (!after)
				give_event(&bench, flowing(), disturbing[i]);
			give_l1i_miss(&bench);
			if (after)
				give_event(&bench, flowing(), disturbing[i]);
			give(&bench, flowing(), 100);
			assert_int_equal(found(&bench, INTERVAL_L1I), 0);
			bench_close(&bench);
		}
}

TEST(wrong_paths_are_ignored)
{
	struct bench bench = bench_open(0);
	struct cycle_event wrong = l1i_miss;

	wrong.wrong_path = 1;
	give(&bench, flowing(), 100);
	give_event(&bench, flowing(), wrong);
	give_l1i_miss(&bench);
	give(&bench, flowing(), 100);
	assert_int_equal(found(&bench, INTERVAL_L1I), 1);
	bench_close(&bench);
}

TEST(the_warm_up_and_the_end_are_left_out)
{
	struct bench bench = bench_open(150);

	give(&bench, flowing(), 100);
	give_l1i_miss(&bench);
	give(&bench, flowing(), 100);
	assert_int_equal(found(&bench, INTERVAL_L1I), 0);
	give_l1i_miss(&bench);
	give(&bench, flowing(), 50);
	assert_int_equal(found(&bench, INTERVAL_L1I), 0);
	give(&bench, flowing(), 1);
	assert_int_equal(found(&bench, INTERVAL_L1I), 1);
	assert_int_equal(look(&bench, INTERVAL_L1I).first_cycle, 210);
	bench_close(&bench);
}

TEST(all_clean_events_are_added_up)
{
	struct bench bench = bench_open(0);

	give(&bench, flowing(), 100);
	give_l1i_miss(&bench);
	give(&bench, flowing(), 100);
	give_event(&bench, flowing(), l1i_miss);
	give(&bench, stopped(), 9);
	give(&bench, flowing(), 100);
	struct interval_view view = look(&bench, INTERVAL_L1I);
	assert_int_equal(view.found, 2);
	/* Two cycles later the first still issues and the second does not. */
	assert_int_equal(view.sums[view.before + 2].useful_issued, 3);
	assert_int_equal(view.example[view.before + 2].useful_issued, 3);
	assert_int_equal(view.sums[view.before + 7].useful_issued, 0);
	assert_int_equal(view.sums[view.before - 1].useful_issued, 6);
	bench_close(&bench);
}

TEST(a_misprediction_counts_from_its_dispatch)
{
	struct bench bench = bench_open(0);

	give(&bench, flowing(), 100);
	give_branch(&bench, 12);
	give(&bench, flowing(), 100);
	struct interval_view view = look(&bench, INTERVAL_BRANCH);
	assert_int_equal(view.found, 1);
	assert_int_equal(view.first_pc, 0x9abc);
	assert_int_equal(view.example[view.before].marks, INTERVAL_DISPATCH);
	assert_int_equal(view.example[view.before + 12].marks, INTERVAL_RESOLVE);
	assert_int_equal(view.example[view.before + 13].useful_issued, 0);
	/* A branch that resolves only after the view's end is not clean. */
	give(&bench, flowing(), 100);
	give_branch(&bench, 80);
	give(&bench, flowing(), 100);
	assert_int_equal(found(&bench, INTERVAL_BRANCH), 1);
	bench_close(&bench);
}

TEST(long_misses_are_alone_or_overlap)
{
	for (unsigned overlaps = 0; overlaps < 2; overlaps++) {
		struct bench bench = bench_open(0);

		give(&bench, flowing(), 100);
		give_long(&bench, overlaps);
		assert_int_equal(found(&bench, INTERVAL_LONG), !overlaps);
		assert_int_equal(found(&bench, INTERVAL_OVERLAP), overlaps);
		bench_close(&bench);
	}
}

TEST(two_in_one_cycle_are_not_alone)
{
	const struct cycle_event both[] = {load_miss, load_miss};
	struct cycle cycle = flowing(), waits = blocked();
	struct bench bench = bench_open(0);

	cycle.events = both;
	cycle.event_count = 2;
	waits.repeat = MEMORY - 5;
	give(&bench, flowing(), 100);
	give(&bench, cycle, 1);
	give(&bench, waits, 1);
	give(&bench, flowing(), 400);
	assert_int_equal(found(&bench, INTERVAL_LONG), 0);
	bench_close(&bench);
}

TEST(a_long_miss_must_fill_the_window)
{
	struct bench bench = bench_open(0);

	give(&bench, flowing(), 100);
	give_event(&bench, flowing(), load_miss);
	give(&bench, flowing(), 600);
	assert_int_equal(found(&bench, INTERVAL_LONG), 0);
	bench_close(&bench);
}

TEST(a_stretch_has_every_kind_of_event)
{
	struct bench bench = bench_open(0);

	give(&bench, flowing(), 100);
	give_l1i_miss(&bench);
	give(&bench, flowing(), 40);
	give_branch(&bench, 12);
	give(&bench, flowing(), 40);
	give_long(&bench, false);
	assert_int_equal(found(&bench, INTERVAL_STRETCH), 1);
	assert_int_equal(look(&bench, INTERVAL_STRETCH).first_cycle, 100);
	bench_close(&bench);
	bench = bench_open(0);
	give(&bench, flowing(), 100);
	give_l1i_miss(&bench);
	give(&bench, flowing(), 40);
	give_branch(&bench, 12);
	give(&bench, flowing(), 800);
	assert_int_equal(found(&bench, INTERVAL_STRETCH), 0);
	bench_close(&bench);
}

static void assert_same(const struct bench *a, const struct bench *b)
{
	for (unsigned i = 0; i < INTERVAL_KINDS; i++) {
		struct interval_view x = look(a, i), y = look(b, i);

		assert_int_equal(x.found, y.found);
		if (!x.found)
			continue;
		assert_int_equal(x.first_cycle, y.first_cycle);
		assert_memory_equal(x.example, y.example, x.length * sizeof(*x.example));
		assert_memory_equal(x.sums, y.sums, x.length * sizeof(*x.sums));
	}
}

TEST(skipped_cycles_count_like_single_ones)
{
	struct bench whole = bench_open(0), single = bench_open(0);
	struct rng rng = {7};
	uint64_t clean = 0;

	for (unsigned i = 0; i < 4000; i++) {
		unsigned what = (unsigned)(rng_next(&rng) % 10);
		struct cycle cycle = what < 6 ? flowing() : what < 8 ? stopped() : blocked();
		uint64_t longest = what == 9 ? MEMORY : 1 + rng_next(&rng) % 60;

		if (what == 0 || what == 1 || what == 2 || what == 3) {
			const struct cycle_event events[] = {l1i_miss, load_miss, dispatch,
							     resolve};

			give_event(&whole, flowing(), events[what]);
			give_event(&single, flowing(), events[what]);
		}
		if (i % 1000 == 999)
			longest = 5000;
		cycle.repeat = longest;
		give(&whole, cycle, 1);
		cycle.repeat = 1;
		give(&single, cycle, longest);
	}
	assert_same(&whole, &single);
	for (unsigned i = 0; i < INTERVAL_KINDS; i++)
		clean += found(&whole, i);
	assert_true(clean > 50);
	bench_close(&whole);
	bench_close(&single);
}

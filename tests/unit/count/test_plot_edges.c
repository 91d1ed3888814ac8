/* Interval plots at their limits: from which cycle to which an event disturbs another, and what is
 * shown. */
#include "../test.h"
#include "base/array.h"
#include "count/count.h"
#include "plot_bench.h"

/* Cycles by number, each with at most one event. */
#define LINE_CYCLES 1400
#define ZERO	    500

static struct cycle line[LINE_CYCLES];
static struct cycle_event line_events[LINE_CYCLES];

static void line_begin(void)
{
	for (size_t i = 0; i < LINE_CYCLES; i++)
		line[i] = flowing();
}

static void line_set(int cycle, struct cycle_event event)
{
	line_events[ZERO + cycle] = event;
	line[ZERO + cycle].events = &line_events[ZERO + cycle];
	line[ZERO + cycle].event_count = 1;
}

/* The number of clean events of the kind in all cycles. */
static uint64_t line_found(enum interval_kind kind)
{
	struct bench bench = bench_open(0);

	for (size_t i = 0; i < LINE_CYCLES; i++)
		give(&bench, line[i], 1);
	uint64_t result = found(&bench, kind);
	bench_close(&bench);
	return result;
}

static const struct cycle_event tlb_miss = {.kind = EVENT_LOAD_MISS, .detail = DATA_MISS_TLB};

/* An event of another kind at each of these cycles before or after one that would be clean: from
 * `first` to `last` it disturbs. */
static void check_disturbed(enum interval_kind kind, void (*make)(void), int first, int last)
{
	static const int offsets[] = {-32, -31, -30, -17, -16, -15, -14, -1,  0,   1,	2,  22,
				      23,  24,	25,  29,  30,  31,  32,	 249, 250, 251, 252};

	for (size_t i = 0; i < ARRAY_COUNT(offsets); i++) {
		if (!offsets[i])
			continue; /* its own event is there */
		line_begin();
		make();
		line_set(offsets[i], tlb_miss);
		bool is_clean = offsets[i] < first || offsets[i] > last;
		if (line_found(kind) != is_clean)
			fail_msg("kind %d, an event at cycle %d", (int)kind, offsets[i]);
	}
}

static void make_l1i(void)
{
	line_set(0, l1i_miss);
	line[ZERO + 30] = stopped();
}

static void make_branch(void)
{
	line_set(0, dispatch);
	line_set(8, resolve);
}

static void make_long(void)
{
	line_set(0, load_miss);
	for (int i = 40; i < 200; i++)
		line[ZERO + i] = blocked();
}

TEST(clean_events_have_quiet_around_them)
{
	/* 15 cycles before and 30 after. */
	check_disturbed(INTERVAL_L1I, make_l1i, -15, 30);
	/* 15 before its dispatch and 15 after it is resolved. */
	check_disturbed(INTERVAL_BRANCH, make_branch, -15, 23);
	/* 30 before, and until the data arrives. */
	check_disturbed(INTERVAL_LONG, make_long, -30, 250);
}

/* Dispatch must stop within 30 cycles: nothing is dispatched, on whatever path. */
TEST(an_l1i_miss_must_stop_dispatch)
{
	static const struct {
		int cycle;
		bool is_clean;
	} rows[] = {{-1, false}, {0, false}, {1, true}, {30, true}, {31, false}};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		line_begin();
		line[ZERO + rows[i].cycle] = stopped();
		line_set(0, l1i_miss);
		assert_int_equal(line_found(INTERVAL_L1I), rows[i].is_clean);
	}
	line_begin();
	line_set(0, l1i_miss);
	line[ZERO + 5].useful_dispatched = 0;
	assert_int_equal(line_found(INTERVAL_L1I), 0);
}

TEST(a_branch_is_resolved_in_time)
{
	static const struct {
		int resolved;
		bool is_clean;
	} rows[] = {{1, true},	 {2, true},   {44, true}, {45, true},
		    {46, false}, {59, false}, {60, false}};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		line_begin();
		line_set(0, dispatch);
		line_set(rows[i].resolved, resolve);
		assert_int_equal(line_found(INTERVAL_BRANCH), rows[i].is_clean);
	}
	/* A window that is full, or waits for a long miss, disturbs; in the cycle of its dispatch
	 * too. */
	for (int cycle = 0; cycle <= 8; cycle += 4) {
		line_begin();
		make_branch();
		line[ZERO + cycle].head_state = HEAD_L2D;
		assert_int_equal(line_found(INTERVAL_BRANCH), 0);
		line_begin();
		make_branch();
		line[ZERO + cycle].dispatch_stall = DISPATCH_ROB;
		line[ZERO + cycle].rob_used = 128;
		line[ZERO + cycle].head_state = HEAD_WAITS;
		line[ZERO + cycle].dispatched = line[ZERO + cycle].committed = 0;
		assert_int_equal(line_found(INTERVAL_BRANCH), 0);
	}
}

/* Another long miss: soon after it both overlap; later, until 30 cycles after the data has come, or
 * up to 30 cycles before, neither is clean alone. */
TEST(other_long_misses_overlap_or_disturb)
{
	static const struct {
		int cycle;
		uint64_t alone, overlapping;
	} rows[] = {
		{1, 0, 1},   {100, 0, 1}, {101, 0, 0}, {279, 0, 0},
		{280, 0, 0}, {281, 1, 0}, {-30, 0, 1}, {-31, 1, 1},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		line_begin();
		make_long();
		line_set(rows[i].cycle, load_miss);
		if (line_found(INTERVAL_LONG) != rows[i].alone ||
		    line_found(INTERVAL_OVERLAP) != rows[i].overlapping)
			fail_msg("another at cycle %d: %d alone, %d overlap", rows[i].cycle,
				 (int)line_found(INTERVAL_LONG), (int)line_found(INTERVAL_OVERLAP));
	}
	/* Nor one for which the window waits before, up to 30 cycles. */
	line_begin();
	make_long();
	line[ZERO - 30].head_state = HEAD_L2D;
	assert_int_equal(line_found(INTERVAL_LONG), 0);
	line[ZERO - 30] = flowing();
	line[ZERO - 31].head_state = HEAD_L2D;
	assert_int_equal(line_found(INTERVAL_LONG), 1);
	/* It waits, and is full, until the data comes at the latest. */
	for (int cycle = 250; cycle <= 251; cycle++) {
		line_begin();
		line_set(0, load_miss);
		line[ZERO + cycle] = blocked();
		assert_int_equal(line_found(INTERVAL_LONG), cycle == 250);
		line[ZERO + cycle].dispatch_stall = DISPATCH_NONE;
		line[ZERO + cycle].rob_used = 127;
		assert_int_equal(line_found(INTERVAL_LONG), 0);
	}
}

/* All kinds of events in 560 cycles, from the first on. */
static void make_stretch(int last)
{
	line_begin();
	line_set(0, l1i_miss);
	line_set(50, dispatch);
	line_set(60, resolve);
	line[ZERO + 100] = blocked();
	line_set(last, load_miss);
}

TEST(a_stretch_has_its_limits)
{
	make_stretch(560);
	assert_int_equal(line_found(INTERVAL_STRETCH), 1);
	make_stretch(561);
	assert_int_equal(line_found(INTERVAL_STRETCH), 0);
	/* Quiet for 15 cycles before. */
	make_stretch(200);
	line[ZERO - 16].head_state = HEAD_L2D;
	assert_int_equal(line_found(INTERVAL_STRETCH), 1);
	line[ZERO - 15].head_state = HEAD_L2D;
	assert_int_equal(line_found(INTERVAL_STRETCH), 0);
	/* No miss is outstanding in the last 30 cycles. */
	make_stretch(200);
	line[ZERO + 529].head_state = HEAD_L2D;
	assert_int_equal(line_found(INTERVAL_STRETCH), 1);
	line[ZERO + 530].head_state = HEAD_L2D;
	assert_int_equal(line_found(INTERVAL_STRETCH), 0);
	make_stretch(200);
	line[ZERO + 560].head_state = HEAD_L2D;
	assert_int_equal(line_found(INTERVAL_STRETCH), 0);
	/* 12 events at most: 3 and 9 more. */
	make_stretch(200);
	for (int i = 0; i < 9; i++)
		line_set(210 + i, dispatch);
	assert_int_equal(line_found(INTERVAL_STRETCH), 1);
	line_set(230, dispatch);
	assert_int_equal(line_found(INTERVAL_STRETCH), 0);
	/* Something is issued in 2 of 5 cycles: in 224 of 560. */
	make_stretch(200);
	int busy = 0;
	for (int i = 0; i <= 560; i++)
		if (line[ZERO + i].useful_issued && ++busy > 224)
			line[ZERO + i].useful_issued = 0;
	assert_int_equal(line_found(INTERVAL_STRETCH), 1);
	line[ZERO].useful_issued = 0;
	assert_int_equal(line_found(INTERVAL_STRETCH), 0);
}

/* What is an event of which kind, by the levels of cache; of a wrong path none is. */
TEST(events_are_of_a_kind)
{
	static const struct {
		unsigned levels;
		struct cycle_event event;
		unsigned marks;
	} rows[] = {
		{2, {.kind = EVENT_FETCH_MISS, .detail = FETCH_MISS_L1}, INTERVAL_FETCH_MISS},
		{2,
		 {.kind = EVENT_FETCH_MISS, .detail = FETCH_MISS_L1 | FETCH_MISS_L2},
		 INTERVAL_OTHER},
		{3, {.kind = EVENT_FETCH_MISS, .detail = FETCH_MISS_L3}, INTERVAL_OTHER},
		{2, {.kind = EVENT_FETCH_MISS, .detail = FETCH_MISS_TLB}, INTERVAL_OTHER},
		{2, {.kind = EVENT_FETCH_MISS, .detail = FETCH_WAIT_L1}, 0},
		{1, {.kind = EVENT_LOAD_MISS, .detail = DATA_MISS_L1}, INTERVAL_LOAD_MISS},
		{2, {.kind = EVENT_LOAD_MISS, .detail = DATA_MISS_L1}, 0},
		{2, {.kind = EVENT_LOAD_MISS, .detail = DATA_MISS_L2}, INTERVAL_LOAD_MISS},
		{3, {.kind = EVENT_LOAD_MISS, .detail = DATA_MISS_L2}, 0},
		{3, {.kind = EVENT_LOAD_MISS, .detail = DATA_MISS_L3}, INTERVAL_LOAD_MISS},
		{2, {.kind = EVENT_LOAD_MISS, .detail = DATA_MISS_TLB}, INTERVAL_OTHER},
		{2,
		 {.kind = EVENT_LOAD_MISS, .detail = DATA_MISS_TLB | DATA_MISS_L2},
		 INTERVAL_OTHER | INTERVAL_LOAD_MISS},
		{2, {.kind = EVENT_BRANCH_DISPATCH, .mispredicted = 1}, INTERVAL_DISPATCH},
		{2, {.kind = EVENT_BRANCH_DISPATCH}, 0},
		{2, {.kind = EVENT_MISPREDICT}, INTERVAL_RESOLVE},
		{2, {.kind = EVENT_STORE_MISS, .detail = DATA_MISS_L2}, 0},
		{2, {.kind = EVENT_MISPREDICT, .wrong_path = 1}, 0},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct config config;
		struct bench bench;

		config_reset(&config);
		config.cache_levels = rows[i].levels;
		bench = (struct bench){interval_plot_create(&config, 0), 0};
		give(&bench, flowing(), 100);
		give_event(&bench, flowing(), dispatch);
		/* It is beyond what disturbs, but in view. */
		give(&bench, flowing(), 7);
		give_event(&bench, flowing(), resolve);
		give(&bench, flowing(), 40);
		give_event(&bench, flowing(), rows[i].event);
		give(&bench, flowing(), 100);
		struct interval_view view = look(&bench, INTERVAL_BRANCH);
		assert_true(view.found >= 1);
		assert_int_equal(view.example[view.before + 49].marks, rows[i].marks);
		bench_close(&bench);
	}
	/* Several in a cycle; the pc is that of the first that is a miss or a mispredicted branch.
	 */
	const struct cycle_event several[] = {
		{.kind = EVENT_MISPREDICT, .pc = 1},
		{.kind = EVENT_FETCH_MISS, .detail = FETCH_MISS_L1, .pc = 2},
		{.kind = EVENT_LOAD_MISS, .detail = DATA_MISS_TLB | DATA_MISS_L2, .pc = 3},
		{.kind = EVENT_LOAD_MISS, .detail = DATA_MISS_L2, .pc = 4},
	};
	struct cycle both = flowing();
	struct bench shown = bench_open(0);
	both.events = several;
	both.event_count = ARRAY_COUNT(several);
	give(&shown, flowing(), 100);
	give_branch(&shown, 8);
	give(&shown, flowing(), 40);
	give(&shown, both, 1);
	give(&shown, flowing(), 100);
	struct interval_view whole = look(&shown, INTERVAL_BRANCH);
	assert_int_equal(whole.example[whole.before + 54].marks,
			 INTERVAL_RESOLVE | INTERVAL_FETCH_MISS | INTERVAL_OTHER |
				 INTERVAL_LOAD_MISS | INTERVAL_MORE_LOADS);
	assert_int_equal(whole.example[whole.before + 54].pc, 2);
	bench_close(&shown);
	/* Draining, the D-TLB, a full window, a long miss. */
	static const struct {
		struct cycle cycle;
		unsigned marks;
	} states[] = {
		{{.repeat = 1, .fetch_stall = FETCH_SERIALISE}, INTERVAL_OTHER},
		{{.repeat = 1, .dispatch_stall = DISPATCH_SERIALISE}, INTERVAL_OTHER},
		{{.repeat = 1, .head_state = HEAD_DTLB}, INTERVAL_OTHER},
		{{.repeat = 1, .head_state = HEAD_L1D}, 0},
		{{.repeat = 1, .head_state = HEAD_L2D}, INTERVAL_BLOCKED},
		{{.repeat = 1, .head_state = HEAD_L2D, .fetch_stall = FETCH_SERIALISE},
		 INTERVAL_BLOCKED},
		{{.repeat = 1, .dispatch_stall = DISPATCH_ROB, .head_state = HEAD_WAITS},
		 INTERVAL_FULL},
		{{.repeat = 1, .rob_used = 128, .head_state = HEAD_WAITS}, INTERVAL_FULL},
		{{.repeat = 1, .rob_used = 127, .head_state = HEAD_WAITS}, 0},
		{{.repeat = 1, .dispatch_stall = DISPATCH_LSQ, .head_state = HEAD_WAITS},
		 INTERVAL_FULL},
	};
	for (size_t i = 0; i < ARRAY_COUNT(states); i++) {
		struct bench bench = bench_open(0);

		give(&bench, flowing(), 100);
		give_branch(&bench, 8);
		give(&bench, flowing(), 40);
		give(&bench, states[i].cycle, 1);
		give(&bench, flowing(), 100);
		struct interval_view view = look(&bench, INTERVAL_BRANCH);
		assert_int_equal(view.found, 1);
		assert_int_equal(view.example[view.before + 54].marks, states[i].marks);
		bench_close(&bench);
	}
}

static void check_series(const json_t *view, const char *part, const char *name, unsigned at,
			 double before, double here)
{
	const json_t *list = json_object_get(json_object_get(view, part), name);

	if (json_number_value(json_array_get(list, at - 1)) != before ||
	    json_number_value(json_array_get(list, at)) != here)
		fail_msg("%s of %s", name, part);
}

/* Two long misses, the second with other numbers: the example is the first, the means are of both.
 */
TEST(views_become_json)
{
	struct config config;
	struct bench bench;
	json_t *result = json_object();

	config_reset(&config);
	config.memory_latency = MEMORY;
	bench = (struct bench){count_plots.create(&config, 0), 0};
	/* The warm-up: an event before its end is none. */
	give(&bench, flowing(), 100);
	give_branch(&bench, 8);
	struct cycle cold = flowing();
	cold.repeat = 100000;
	give(&bench, cold, 1);
	const uint64_t first = bench.now;
	for (int i = 0; i < 2; i++) {
		struct cycle numbers = {.repeat = 1,
					.useful_issued = (uint16_t)(11 + 2 * i),
					.dispatched = (uint16_t)(21 + 4 * i),
					.useful_dispatched = (uint16_t)(31 + 6 * i),
					.committed = (uint16_t)(41 + 8 * i),
					.rob_used = (uint16_t)(51 + 10 * i),
					.head_state = HEAD_DONE};

		give_event(&bench, numbers, load_miss);
		give(&bench, flowing(), 10);
		struct cycle waits = blocked();
		waits.rob_used = 127;
		waits.dispatch_stall = DISPATCH_NONE;
		give(&bench, waits, 3); /* it waits, and is not full yet */
		give(&bench, blocked(), 20);
		give(&bench, flowing(), 500);
	}
	count_plots.describe(&count_plots, bench.plot, result);
	const json_t *plots = json_object_get(result, "plots");
	assert_int_equal(json_object_size(plots), 1);
	const json_t *view = json_object_get(plots, "long");
	assert_int_equal(json_integer_value(json_object_get(view, "found")), 2);
	assert_int_equal(json_integer_value(json_object_get(view, "before")), 30);
	assert_int_equal(json_integer_value(json_object_get(view, "first_cycle")), first);
	assert_string_equal(json_string_value(json_object_get(view, "pc")), "0x5678");
	const json_t *example = json_object_get(view, "example");
	/* 30 before, 250 + 70 after, and the event's own. */
	assert_int_equal(json_array_size(json_object_get(example, "committed")), 351);
	assert_int_equal(json_object_size(example), 6);
	assert_int_equal(json_object_size(json_object_get(view, "mean")), 5);
	check_series(view, "example", "useful_issued", 30, 3, 11);
	check_series(view, "example", "dispatched", 30, 4, 21);
	check_series(view, "example", "useful_dispatched", 30, 4, 31);
	check_series(view, "example", "committed", 30, 4, 41);
	check_series(view, "example", "rob_used", 30, 50, 51);
	check_series(view, "mean", "useful_issued", 30, 3, 12);
	check_series(view, "mean", "dispatched", 30, 4, 23);
	check_series(view, "mean", "useful_dispatched", 30, 4, 34);
	check_series(view, "mean", "committed", 30, 4, 45);
	check_series(view, "mean", "rob_used", 30, 50, 56);
	char *events = json_dumps(json_object_get(example, "events"), JSON_COMPACT);
	assert_string_equal(events,
			    "[{\"cycle\":0,\"what\":\"long\"},{\"cycle\":14,\"what\":\"full\"},"
			    "{\"cycle\":34,\"what\":\"data\"}]");
	free(events);
	json_decref(result);
	count_plots.destroy(bench.plot);
	/* A window that is full before it waits; the other kinds. */
	result = json_object();
	bench = bench_open(0);
	give(&bench, flowing(), 100);
	give_l1i_miss(&bench);
	give(&bench, flowing(), 40);
	give_branch(&bench, 12);
	give(&bench, flowing(), 40);
	struct cycle full = blocked();
	full.head_state = HEAD_WAITS;
	give(&bench, full, 2);
	give_long(&bench, true);
	count_plots.describe(&count_plots, bench.plot, result);
	plots = json_object_get(result, "plots");
	assert_int_equal(json_object_size(plots), 4); /* no long miss is alone */
	events = json_dumps(
		json_object_get(json_object_get(json_object_get(plots, "stretch"), "example"),
				"events"),
		JSON_COMPACT);
	/* 10 and 40 cycles of the first, 12 + 6 and 40 of the second, 2 full: 110. */
	assert_string_equal(
		events, "[{\"cycle\":0,\"what\":\"l1i\"},{\"cycle\":50,\"what\":\"branch\"},"
			"{\"cycle\":62,\"what\":\"resolved\"},{\"cycle\":110,\"what\":\"long\"},"
			"{\"cycle\":121,\"what\":\"long\"},{\"cycle\":122,\"what\":\"full\"},"
			"{\"cycle\":357,\"what\":\"data\"}]");
	free(events);
	assert_non_null(json_object_get(plots, "l1i"));
	assert_non_null(json_object_get(plots, "branch"));
	assert_non_null(json_object_get(plots, "overlap"));
	json_decref(result);
	bench_close(&bench);
	interval_plot_destroy(NULL);
}

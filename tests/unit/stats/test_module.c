/* The statistics module against a slow twin that counts every counter in every single cycle, and
 * the edge cases of its timer and its counters, worked out by hand. */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "stats/module.h"

#define INTERVALS_MOST 4096
#define COUNTERS_MOST  12
#define PCS	       64
#define EVENTS_MOST    6
#define RECORDS	       400
#define THREADS	       3

struct taken {
	uint64_t start, cycles, dispatched, number;
	uint32_t epoch;
	bool is_last, is_final;
	uint64_t values[COUNTERS_MOST];
};

struct tape {
	struct taken intervals[INTERVALS_MOST];
	size_t count;
};

static void take(void *context, const struct stats_interval *interval)
{
	struct tape *tape = context;
	struct taken *taken = &tape->intervals[tape->count++];

	assert_true(tape->count < INTERVALS_MOST && interval->count <= COUNTERS_MOST);
	*taken = (struct taken){
		interval->start, interval->cycles,	     interval->dispatched, interval->number,
		interval->epoch, interval->is_last_of_epoch, interval->is_final,   {0}};
	memcpy(taken->values, interval->values, interval->count * sizeof(uint64_t));
}

static struct stats_selection cycles_always(void)
{
	return (struct stats_selection){signal_find("cycles"), STATS_ALWAYS, 0};
}

/* A module that counts one signal everywhere. */
static struct stats_module *simple(struct tape *tape, const char *signal, uint32_t period,
				   unsigned width)
{
	const struct stats_selection one = {signal_find(signal), STATS_ALWAYS, 0};
	const struct stats_settings settings = {
		.period_cycles = period, .width_bits = width, .counters = &one, .counter_count = 1};

	memset(tape, 0, sizeof(*tape));
	assert_true(stats_settings_check(&settings, NULL));
	return stats_create(&settings, take, NULL, tape);
}

static void commit(struct stats_module *m, uint16_t amount, uint64_t repeat)
{
	struct cycle cycle = {.repeat = repeat, .committed = amount};

	stats_cycle(m, &cycle);
}

TEST(events_of_the_cycle_in_which_the_timer_is_0_remain)
{
	struct tape tape;
	struct stats_module *m = simple(&tape, "committed", 3, 32);

	for (int i = 0; i < 3; i++)
		commit(m, 1, 1);
	assert_int_equal(tape.count, 0);
	commit(m, 4, 1); /* cycle 3: the timer is 0 */
	assert_int_equal(tape.count, 1);
	assert_int_equal(tape.intervals[0].values[0], 3);
	assert_int_equal(tape.intervals[0].dispatched, 3);
	stats_end(m);
	assert_int_equal(tape.intervals[1].values[0], 4);
	stats_destroy(m);
}

TEST(the_timer_runs_on_after_the_end)
{
	struct tape tape;
	struct stats_module *m = simple(&tape, "cycles", 10, 32);

	commit(m, 0, 14);
	stats_end(m);
	assert_int_equal(tape.count, 2);
	assert_int_equal(tape.intervals[1].start, 10);
	assert_int_equal(tape.intervals[1].cycles, 4);
	assert_int_equal(tape.intervals[1].values[0], 4);
	assert_int_equal(tape.intervals[1].dispatched, 20);
	assert_true(tape.intervals[1].is_final && tape.intervals[1].is_last);
	commit(m, 0, 100); /* frozen */
	stats_end(m);
	assert_int_equal(tape.count, 2);
	stats_destroy(m);
}

TEST(a_program_that_ends_with_an_interval_has_no_empty_one)
{
	struct tape tape;
	struct stats_module *m = simple(&tape, "cycles", 10, 32);

	commit(m, 0, 20);
	stats_end(m);
	assert_int_equal(tape.count, 2);
	assert_int_equal(tape.intervals[1].cycles, 10);
	assert_int_equal(tape.intervals[1].dispatched, 20);
	assert_true(tape.intervals[1].is_final);
	stats_destroy(m);
}

TEST(a_record_of_many_cycles_is_divided)
{
	struct tape tape;
	struct stats_module *m = simple(&tape, "rob.used", 7, 32);
	struct cycle cycle = {.repeat = 20, .rob_used = 5};

	stats_cycle(m, &cycle);
	stats_end(m);
	assert_int_equal(tape.count, 3);
	assert_int_equal(tape.intervals[0].values[0], 35);
	assert_int_equal(tape.intervals[1].values[0], 35);
	assert_int_equal(tape.intervals[2].values[0], 30);
	stats_destroy(m);
}

TEST(a_period_of_one_cycle_hands_out_every_cycle)
{
	struct tape tape;
	struct stats_module *m = simple(&tape, "committed", 1, 32);

	for (uint16_t i = 0; i < 5; i++)
		commit(m, i, 1);
	stats_end(m);
	assert_int_equal(tape.count, 5);
	for (uint16_t i = 0; i < 5; i++)
		assert_int_equal(tape.intervals[i].values[0], i);
	stats_destroy(m);
}

TEST(counters_stop_at_all_ones)
{
	struct tape tape;
	struct stats_module *m = simple(&tape, "committed", 100, 3);

	commit(m, 4, 1);
	commit(m, 4, 1); /* 8 would wrap to 0 */
	commit(m, 4, 98);
	commit(m, 6, 1);
	stats_end(m);
	assert_int_equal(tape.intervals[0].values[0], 7);
	assert_int_equal(tape.intervals[1].values[0], 6);
	stats_destroy(m);
}

TEST(the_widest_counter_does_not_wrap)
{
	struct tape tape;
	struct stats_module *m = simple(&tape, "rob.used", UINT32_MAX, STATS_WIDTH_MOST);
	struct cycle cycle = {.repeat = UINT32_MAX, .rob_used = UINT16_MAX};

	stats_cycle(m, &cycle);
	stats_end(m);
	assert_true(tape.intervals[0].values[0] == (uint64_t)UINT32_MAX * UINT16_MAX);
	stats_destroy(m);
}

TEST(settings_that_cannot_be_are_refused)
{
	static const struct stats_range wrong = {8, 7};
	struct stats_selection one = cycles_always();
	const struct stats_settings good = {
		.period_cycles = 1, .width_bits = 1, .counters = &one, .counter_count = 1};
	struct stats_settings bad = good;
	struct err err;

	assert_true(stats_settings_check(&good, &err));
	bad.period_cycles = 0;
	assert_false(stats_settings_check(&bad, &err));
	assert_non_null(strstr(err.text, "period of 0"));
	bad = good;
	bad.width_bits = 64;
	assert_false(stats_settings_check(&bad, &err));
	bad.width_bits = 0;
	assert_false(stats_settings_check(&bad, &err));
	bad = good;
	bad.ranges = &wrong;
	bad.range_count = 1;
	assert_false(stats_settings_check(&bad, &err));
	one.range = 0;
	assert_false(stats_settings_check(&good, &err));
}

/* The twin: what each counter has in each cycle, straight from the table of signals. */
struct twin {
	const struct stats_settings *settings;
	uint64_t now, start, values[COUNTERS_MOST];
	struct tape *tape;
	uint32_t epoch;
	uint64_t number;
};

static void twin_dispatch(struct twin *t, uint64_t dispatched, bool is_last, bool is_final)
{
	struct taken *taken = &t->tape->intervals[t->tape->count++];

	*taken = (struct taken){t->start, t->now - t->start, dispatched, t->number++,
				t->epoch, is_last,	     is_final,	 {0}};
	memcpy(taken->values, t->values, sizeof(t->values));
	memset(t->values, 0, sizeof(t->values));
	t->start = t->now;
}

static void twin_cycle(struct twin *t, const struct cycle *c, const struct stats_settings *change,
		       uint64_t change_at)
{
	bool is_due = change && t->now == change_at;

	if (t->now > t->start && (is_due || t->now - t->start == t->settings->period_cycles))
		twin_dispatch(t, t->now, is_due, false);
	if (is_due) {
		t->settings = change;
		t->epoch++;
		t->number = 0;
	}
	for (size_t i = 0; i < t->settings->counter_count; i++) {
		const struct stats_selection *s = &t->settings->counters[i];
		const struct stats_range *range =
			s->range == STATS_ALWAYS ? NULL : &t->settings->ranges[s->range];
		uint64_t most = (UINT64_C(1) << t->settings->width_bits) - 1;

		if (s->thread && s->thread != c->thread)
			continue;
		uint64_t sum = range ? signal_sum_in(s->signal, c, range->low, range->high + 1)
				     : signal_sum(s->signal, c);

		t->values[i] = t->values[i] + sum > most ? most : t->values[i] + sum;
	}
	t->now++;
}

static void random_settings(struct rng *rng, struct stats_settings *settings,
			    struct stats_range *ranges, struct stats_selection *counters)
{
	*settings = (struct stats_settings){
		.period_cycles = 1 + (uint32_t)rng_below(rng, 40),
		.width_bits = 1 + (unsigned)rng_below(rng, 16),
		.ranges = ranges,
		.range_count = 1 + rng_below(rng, 6),
		.counters = counters,
		.counter_count = 1 + rng_below(rng, COUNTERS_MOST - 1),
	};
	for (size_t i = 0; i < settings->range_count; i++) {
		ranges[i].low = rng_below(rng, PCS);
		ranges[i].high = ranges[i].low + rng_below(rng, PCS);
	}
	for (size_t i = 0; i < settings->counter_count; i++) {
		counters[i].signal = &signal_rows[rng_below(rng, signal_count())];
		counters[i].range = rng_below(rng, 4)
					    ? (uint32_t)rng_below(rng, settings->range_count)
					    : STATS_ALWAYS;
		counters[i].thread =
			rng_below(rng, 2) ? 1000 + (uint32_t)rng_below(rng, THREADS) : 0;
	}
}

/* Values and events of a signal agree, as those of a core do, only for signals over state: STEP
 * signals everywhere use the value, so the random record has both at random. */
static void random_record(struct rng *rng, struct cycle *c, struct cycle_event *events)
{
	*c = (struct cycle){
		.repeat = 1,
		.fetched = (uint16_t)rng_below(rng, 5),
		.dispatched = (uint16_t)rng_below(rng, 5),
		.issued = (uint16_t)rng_below(rng, 5),
		.committed = (uint16_t)rng_below(rng, 5),
		.fetch_stall = (uint16_t)rng_below(rng, FETCH_DONE + 1),
		.dispatch_stall = (uint16_t)rng_below(rng, DISPATCH_BRANCHES + 1),
		.head_state = (uint16_t)rng_below(rng, HEAD_MSHR + 1),
		.rob_used = (uint16_t)rng_below(rng, 100),
		.width = 4,
		.head_pc = rng_below(rng, PCS),
		.fetch_pc = rng_below(rng, PCS),
		.events = events,
	};
	if (rng_below(rng, 3) == 0) {
		c->repeat = 1 + rng_below(rng, 100);
		return;
	}
	c->event_count = (uint32_t)rng_below(rng, EVENTS_MOST);
	for (uint32_t i = 0; i < c->event_count; i++) {
		uint8_t kind = (uint8_t)rng_below(rng, EVENT_KINDS);

		events[i] = (struct cycle_event){
			.kind = kind,
			.wrong_path = (uint8_t)rng_below(rng, 2),
			.insn_class = (uint8_t)rng_below(rng, CLASS_COUNT),
			.detail = (uint16_t)rng_below(
				rng, kind >= EVENT_FETCH_ACCESS ? MEMORY_EVENT_COUNT : 65536),
			.amount = (uint32_t)rng_below(rng, 100),
			.pc = rng_below(rng, PCS),
		};
		c->event_kinds |= EVENT_BIT(events[i].kind);
	}
}

/* Lists what commits, as a core does that is asked for it. */
static void list_committed(struct cycle *c, uint64_t pcs[EVENTS_MOST])
{
	c->committed = 0;
	c->committed_pcs = pcs;
	for (uint32_t i = 0; i < c->event_count; i++)
		if (EVENT_BIT(c->events[i].kind) & EVENTS_OF_COMMIT)
			pcs[c->committed++] = c->events[i].pc;
}

/* Counters of which none is asked in every cycle, as most are. */
static void make_simple(struct rng *rng, const struct stats_settings *settings,
			struct stats_selection *counters)
{
	static const char *const signals[] = {"committed", "cycles", "l1d.misses", "loads",
					      "branches.mispredicted"};

	for (size_t i = 0; i < settings->counter_count; i++) {
		counters[i].signal = signal_find(signals[rng_below(rng, ARRAY_COUNT(signals))]);
		counters[i].range = (uint32_t)rng_below(rng, settings->range_count);
	}
}

TEST(it_counts_as_its_twin)
{
	static struct tape fast, slow;
	struct rng rng = {14};

	for (unsigned round = 0; round < 300; round++) {
		struct stats_range ranges[2][8];
		struct stats_selection counters[2][COUNTERS_MOST];
		struct stats_settings settings[2];
		struct cycle_event events[EVENTS_MOST];
		uint64_t pcs[EVENTS_MOST];
		uint64_t change_at = 1 + rng_below(&rng, 5000);
		uint32_t thread = 0;

		random_settings(&rng, &settings[0], ranges[0], counters[0]);
		random_settings(&rng, &settings[1], ranges[1], counters[1]);
		for (unsigned i = 0; i < 2 && round % 3 == 2; i++)
			make_simple(&rng, &settings[i], counters[i]);
		fast.count = slow.count = 0;
		struct stats_module *m = stats_create(&settings[0], take, NULL, &fast);
		struct twin twin = {.settings = &settings[0], .tape = &slow};
		stats_change(m, &settings[1], change_at);
		for (unsigned i = 0; i < RECORDS && fast.count < INTERVALS_MOST / 4; i++) {
			struct cycle cycle;

			random_record(&rng, &cycle, events);
			if (round % 3)
				list_committed(&cycle, pcs);
			if (rng_below(&rng, 8) == 0)
				thread = 1000 + (uint32_t)rng_below(&rng, THREADS + 1);
			cycle.thread = thread;
			stats_cycle(m, &cycle);
			uint64_t repeat = cycle.repeat;
			cycle.repeat = 1;
			while (repeat--)
				twin_cycle(&twin, &cycle, &settings[1], change_at);
		}
		uint64_t period = twin.settings->period_cycles;
		stats_end(m);
		twin_dispatch(&twin, twin.start + period, true, true);
		assert_int_equal(fast.count, slow.count);
		for (size_t i = 0; i < fast.count; i++)
			assert_memory_equal(&fast.intervals[i], &slow.intervals[i],
					    sizeof(struct taken));
		stats_destroy(m);
	}
}

struct polled {
	struct tape tape;
	struct stats_module *module;
	struct stats_settings settings;
	int polls;
};

static void change_at_first_poll(void *context)
{
	struct polled *p = context;

	if (p->polls++ == 0)
		stats_change(p->module, &p->settings, 0);
}

static void polled_take(void *context, const struct stats_interval *interval)
{
	take(&((struct polled *)context)->tape, interval);
}

TEST(a_change_at_0_takes_effect_at_the_end_of_the_interval)
{
	static struct polled p;
	const struct stats_selection one = cycles_always();

	p.settings = (struct stats_settings){
		.period_cycles = 10, .width_bits = 32, .counters = &one, .counter_count = 1};
	p.module = stats_create(&p.settings, polled_take, change_at_first_poll, &p);
	p.settings.period_cycles = 4;
	commit(p.module, 0, 19);
	stats_end(p.module);
	assert_int_equal(p.tape.count, 4);
	assert_int_equal(p.tape.intervals[0].cycles, 10);
	assert_true(p.tape.intervals[0].is_last && !p.tape.intervals[0].is_final);
	assert_int_equal(p.tape.intervals[1].epoch, 1);
	assert_int_equal(p.tape.intervals[1].cycles, 4);
	assert_int_equal(p.tape.intervals[3].cycles, 1);
	assert_int_equal(p.tape.intervals[3].dispatched, 22);
	stats_destroy(p.module);
}

/* Two changes for the same cycle: the earlier one has no cycle, and no interval. */
TEST(a_change_before_the_first_cycle_waits_for_the_end_of_the_interval)
{
	struct tape tape;
	struct stats_module *m = simple(&tape, "cycles", 10, 32);
	const struct stats_selection one = cycles_always();
	const struct stats_settings settings = {
		.period_cycles = 4, .width_bits = 32, .counters = &one, .counter_count = 1};

	stats_change(m, &settings, 0);
	stats_change(m, &settings, 0);
	commit(m, 0, 12);
	stats_end(m);
	assert_int_equal(tape.count, 2);
	assert_int_equal(tape.intervals[0].cycles, 10);
	assert_int_equal(tape.intervals[0].epoch, 0);
	assert_int_equal(tape.intervals[1].cycles, 2);
	assert_int_equal(tape.intervals[1].epoch, 2);
	stats_destroy(m);
}

/* One for a cycle that never comes keeps none from coming before it. */
TEST(changes_take_effect_in_the_order_of_their_cycles)
{
	struct tape tape;
	struct stats_module *m = simple(&tape, "cycles", 10, 32);
	const struct stats_selection one = cycles_always();
	struct stats_settings settings = {
		.period_cycles = 4, .width_bits = 32, .counters = &one, .counter_count = 1};

	assert_int_equal(stats_waiting(m), 0);
	assert_int_equal(stats_last_change(m), 0);
	assert_int_equal(stats_change(m, &settings, UINT64_MAX), 1);
	settings.period_cycles = 3;
	assert_int_equal(stats_change(m, &settings, 20), 1);
	settings.period_cycles = 100;
	assert_int_equal(stats_change(m, &settings, 20), 2);
	settings.period_cycles = 2;
	assert_int_equal(stats_change(m, &settings, 14), 1);
	assert_int_equal(stats_waiting(m), 4);
	assert_int_equal(stats_last_change(m), UINT64_MAX);
	stats_drop_last_change(m);
	assert_int_equal(stats_last_change(m), 20);
	commit(m, 0, 25);
	stats_end(m);
	/* 0-9, 10-13, three of two cycles, 20-24. */
	assert_int_equal(tape.count, 6);
	assert_int_equal(tape.intervals[1].cycles, 4);
	assert_int_equal(tape.intervals[2].epoch, 1);
	assert_int_equal(tape.intervals[2].cycles, 2);
	assert_int_equal(tape.intervals[5].epoch, 3);
	assert_int_equal(tape.intervals[5].cycles, 5);
	stats_destroy(m);
}

/* Ranges one within the other, all of which every counter is in, and threads besides. */
TEST(ranges_overlap_only_so_much)
{
	enum { RANGES = 1024, COUNTERS = 4096 };
	static struct stats_range ranges[RANGES];
	static struct stats_selection counters[COUNTERS];
	struct stats_settings settings = {.period_cycles = 1,
					  .width_bits = 32,
					  .ranges = ranges,
					  .range_count = RANGES,
					  .counters = counters};
	struct err err;

	for (uint32_t i = 0; i < RANGES; i++)
		ranges[i] = (struct stats_range){i, 2 * RANGES - i};
	for (uint32_t i = 0; i < COUNTERS; i++)
		counters[i] = (struct stats_selection){signal_find("committed"), i % RANGES, 0};
	settings.counter_count = 1024;
	assert_true(stats_settings_check(&settings, &err));
	settings.counter_count = COUNTERS;
	assert_false(stats_settings_check(&settings, &err));
	assert_string_equal(err.text, "these ranges overlap too much for so many counters and "
				      "threads: ask for less");
	/* Side by side they do not. */
	for (uint32_t i = 0; i < RANGES; i++)
		ranges[i] = (struct stats_range){8 * i, 8 * i + 7};
	assert_true(stats_settings_check(&settings, &err));
}

TEST(bits_grow_as_a_sum_not_as_a_product)
{
	/* Timer and period; two registers of two addresses; two counters with 1 and 2 bits of
	 * selection. */
	assert_int_equal(stats_bits(2, 2, 2, 32), 64 + 2 * 128 + 2 * (32 + 1 + 2));
	assert_int_equal(stats_naive_bits(2, 2, 32), 64 + 2 * 128 + 4 * 32);
	assert_true(stats_bits(64, 64, 64, 32) < stats_naive_bits(64, 64, 32) / 8);
}

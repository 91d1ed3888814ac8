/* What a run makes of the statistics module's intervals: frames for the parent, totals, derived
 * values, the result; all from intervals that are made up. */
#include "../replace.h"
#include "../json.h"
#include "base/array.h"
#include "job/stat.h"
#include "stats/module.h"

#define FRAMES_MOST 16
#define RANGE	    "0x100-0x1ff"

static struct {
	struct job_stat *stat;
	/* What the module was given, and the events of all settings. */
	struct stats_module *module;
	stats_sink *sink;
	void *sink_context;
	size_t counter_count;
	struct stats_wants wants;
	struct observer observer;
	struct event_needs needs;
	struct {
		uint64_t at;
		uint32_t period_cycles;
		size_t counter_count;
	} changes[4];
	size_t change_count;
	struct stats_interval last; /* what stats_end hands out; count 0: nothing */
	uint64_t *frames[FRAMES_MOST];
	size_t sizes[FRAMES_MOST], frame_count;
} seen;

static void attach(struct simulation *simulation, struct observer observer)
{
	assert_null(simulation);
	seen.observer = observer;
}
REPLACE(simulation_attach, attach);

static void need(struct simulation *simulation, const struct event_needs *needs)
{
	assert_null(simulation);
	seen.needs = *needs;
}
REPLACE(simulation_need_events, need);

REPLACED(stats_create);

static struct stats_module *create(const struct stats_settings *settings, stats_sink *sink,
				   stats_poll *poll, void *context)
{
	seen.module = __real_stats_create(settings, sink, poll, context);
	seen.sink = sink;
	seen.sink_context = context;
	seen.counter_count = settings->counter_count;
	stats_add_wants(&seen.wants, settings);
	return seen.module;
}
REPLACE(stats_create, create);

static uint32_t change(struct stats_module *module, const struct stats_settings *settings,
		       uint64_t at)
{
	assert_ptr_equal(module, seen.module);
	seen.changes[seen.change_count].at = at;
	seen.changes[seen.change_count].period_cycles = settings->period_cycles;
	seen.changes[seen.change_count++].counter_count = settings->counter_count;
	stats_add_wants(&seen.wants, settings);
	return (uint32_t)seen.change_count;
}
REPLACE(stats_change, change);

static void end(struct stats_module *module)
{
	assert_ptr_equal(module, seen.module);
	if (seen.last.count)
		seen.sink(seen.sink_context, &seen.last);
}
REPLACE(stats_end, end);

static unsigned times_read;

static const struct lines *read_lines(struct debug *debug)
{
	(void)debug;
	times_read++;
	return NULL;
}
REPLACE(debug_lines, read_lines);

static void keep_frame(void *context, const void *bytes, size_t size)
{
	assert_ptr_equal(context, &seen);
	assert_true(seen.frame_count < FRAMES_MOST);
	seen.frames[seen.frame_count] = malloc(size);
	memcpy(seen.frames[seen.frame_count], bytes, size);
	seen.sizes[seen.frame_count++] = size;
}

static struct stat_frame frame_of(size_t i)
{
	struct stat_frame frame;

	assert_true(i < seen.frame_count);
	assert_true(stat_frame_read(&frame, seen.frames[i], seen.sizes[i]));
	return frame;
}

/* Cycles everywhere and what commits in a range; from cycle 5000 on, waits for the I-TLB. */
static void make_request(struct stats_request *request)
{
	*request = (struct stats_request){
		.width_bits = 20, .counters_most = 9, .ranges_most = 3, .is_watched = true};
	request->first.period_cycles = 1000;
	stats_wish_add(&request->first, "cycles");
	stats_wish_add(&request->first, "committed@" RANGE);
	request->changes = calloc(1, sizeof(*request->changes));
	request->change_count = 1;
	request->changes[0] = (struct stats_wish){.at = 5000, .period_cycles = 64};
	stats_wish_add(&request->changes[0], "fetch.itlb");
	stats_request_add_formula(request, "ipc = committed / cycles", NULL);
	stats_request_add_formula(request, "twice =  2 * cycles", "0x1*");
}

static void begin(const struct stats_request *request)
{
	static struct process process = {.bias = 0};
	struct err err;

	memset(&seen, 0, sizeof(seen));
	seen.stat = job_stat_begin(request, &process, NULL, keep_frame, &seen, &err);
	assert_non_null(seen.stat);
}

static void forget_frames(void)
{
	for (size_t i = 0; i < seen.frame_count; i++)
		free(seen.frames[i]);
	seen.frame_count = 0;
}

static void finish(struct stats_request *request)
{
	job_stat_end(seen.stat);
	job_stat_end(NULL);
	forget_frames();
	stats_mailbox_destroy(request->mailbox);
	stats_request_release(request);
}

/* The pairs of the first epoch: those asked for, then what the formulas need. */
static const char *const first_pairs[] = {"cycles", "committed@" RANGE, "committed",
					  "cycles@" RANGE};
static const char *const second_pairs[] = {"fetch.itlb", "committed", "cycles"};

/* Hands over an interval with these counts: each pair has one counter, in their order. */
static void give(struct stats_interval interval, const uint64_t *counts)
{
	interval.values = counts;
	interval.count = interval.epoch ? seen.changes[0].counter_count : seen.counter_count;
	interval.most = (1U << 20) - 1;
	seen.sink(seen.sink_context, &interval);
}

static const uint64_t counts[3][4] = {{1000, 300, 700, 400}, {990, 1048575, 0, 0}, {7, 21, 64, 0}};
static const struct stats_interval intervals[] = {
	{.start = 0, .cycles = 1000, .dispatched = 1001, .number = 0, .epoch = 0},
	{.start = 1000,
	 .cycles = 4000,
	 .dispatched = 5002,
	 .number = 1,
	 .epoch = 0,
	 .is_last_of_epoch = true},
	{.start = 5000,
	 .cycles = 64,
	 .dispatched = 5065,
	 .number = 3,
	 .epoch = 1,
	 .is_final = true},
};

static void assert_names(const struct stat_frame *frame, const char *const *names, size_t count)
{
	const char *at = frame->text;

	assert_int_equal(frame->head.kind, STAT_FRAME_EPOCH);
	assert_int_equal(frame->head.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(at, names[i]);
		at += strlen(at) + 1;
	}
	assert_int_equal(at - frame->text, frame->head.text_bytes);
}

TEST(frames_tell_what_is_counted)
{
	struct stats_request request;

	make_request(&request);
	begin(&request);
	for (unsigned i = 0; i < 3; i++)
		give(intervals[i], counts[i]);
	assert_int_equal(seen.frame_count, 5);
	struct stat_frame frame = frame_of(0);
	assert_names(&frame, first_pairs, 4);
	assert_int_equal(frame.head.epoch, 0);
	assert_int_equal(frame.head.start, 0);
	assert_int_equal(frame.head.period_cycles, 1000);
	assert_int_equal(frame.head.width_bits, 20);
	frame = frame_of(3);
	assert_names(&frame, second_pairs, 3);
	assert_int_equal(frame.head.epoch, 1);
	assert_int_equal(frame.head.start, 5000);
	assert_int_equal(frame.head.period_cycles, 64);
	assert_int_equal(frame.head.width_bits, 20);
	for (unsigned i = 0; i < 3; i++) {
		frame = frame_of(i == 2 ? 4 : 1 + i);
		assert_int_equal(frame.head.kind, STAT_FRAME_INTERVAL);
		assert_int_equal(frame.head.epoch, i == 2);
		assert_int_equal(frame.head.flags, i);
		assert_int_equal(frame.head.count, i == 2 ? 3 : 4);
		assert_int_equal(frame.head.start, intervals[i].start);
		assert_int_equal(frame.head.cycles, intervals[i].cycles);
		assert_int_equal(frame.head.dispatched, intervals[i].dispatched);
		assert_int_equal(frame.head.number, intervals[i].number);
		assert_int_equal(frame.head.period_cycles, i == 2 ? 64 : 1000);
		assert_int_equal(frame.head.width_bits, 20);
		assert_int_equal(frame.head.text_bytes, 0);
		for (unsigned k = 0; k < frame.head.count; k++) {
			assert_int_equal(frame.counts[k].value, counts[i][k]);
			assert_int_equal(frame.counts[k].total,
					 counts[i][k] + (i == 1 ? counts[0][k] : 0));
			/* 2^20 - 1 is all that 20 bits can hold. */
			assert_int_equal(frame.counts[k].is_saturated, i == 1 && k == 1);
			assert_int_equal(frame.counts[k].unused, 0);
		}
	}
	finish(&request);
}

TEST(nobody_watches)
{
	struct stats_request request;

	make_request(&request);
	request.is_watched = false;
	begin(&request);
	for (unsigned i = 0; i < 3; i++)
		give(intervals[i], counts[i]);
	assert_int_equal(seen.frame_count, 0);
	finish(&request);
}

TEST(changes_and_events_are_passed_on)
{
	struct stats_request request;
	uint32_t all = 0;

	make_request(&request);
	begin(&request);
	assert_int_equal(seen.change_count, 1);
	assert_int_equal(seen.changes[0].at, 5000);
	assert_int_equal(seen.changes[0].period_cycles, 64);
	assert_int_equal(seen.changes[0].counter_count, 3);
	assert_true(seen.observer.cycle == stats_cycle);
	assert_ptr_equal(seen.observer.context, seen.module);
	assert_int_equal(seen.observer.events, seen.wants.events);
	assert_memory_equal(&seen.needs, &seen.wants.needs, sizeof(seen.needs));
	finish(&request);
	/* Somebody may ask for anything later. */
	make_request(&request);
	struct err err;
	request.mailbox = stats_mailbox_create(&err);
	begin(&request);
	for (size_t i = 0; i < signal_count(); i++)
		all |= signal_rows[i].events;
	assert_int_equal(seen.observer.events, all);
	/* Nothing has been posted; then a change, and one that is refused. */
	job_stat_poll(seen.stat);
	assert_int_equal(seen.change_count, 1);
	struct stats_wish wish = {.at = 7000, .period_cycles = 128};
	stats_wish_add(&wish, "committed");
	assert_true(stats_mailbox_post(request.mailbox, &wish));
	job_stat_poll(seen.stat);
	assert_int_equal(seen.change_count, 2);
	assert_int_equal(seen.changes[1].at, 7000);
	assert_int_equal(seen.changes[1].period_cycles, 128);
	assert_int_equal(seen.frame_count, 1);
	stats_wish_release(&wish);
	wish = (struct stats_wish){.at = 7000, .period_cycles = 128};
	assert_true(stats_mailbox_post(request.mailbox, &wish));
	job_stat_poll(seen.stat);
	assert_int_equal(seen.change_count, 2);
	assert_int_equal(seen.frame_count, 2);
	struct stat_frame frame = frame_of(1);
	assert_int_equal(frame.head.kind, STAT_FRAME_REFUSED);
	assert_string_equal(frame.text,
			    "there is nothing to count: name a signal, as SIGNAL@WHERE");
	assert_int_equal(frame.head.text_bytes, strlen(frame.text) + 1);
	finish(&request);
	/* Without anybody to tell, nothing is told. */
	make_request(&request);
	request.mailbox = stats_mailbox_create(&err);
	request.is_watched = false;
	begin(&request);
	wish = (struct stats_wish){.period_cycles = 128};
	assert_true(stats_mailbox_post(request.mailbox, &wish));
	job_stat_poll(seen.stat);
	assert_int_equal(seen.frame_count, 0);
	finish(&request);
}

static const json_t *item(const json_t *result, const char *list, size_t i)
{
	return json_array_get(json_object_get(result, list), i);
}

static double number(const json_t *object, const char *name)
{
	assert_non_null(json_object_get(object, name));
	return json_number_value(json_object_get(object, name));
}

TEST(the_result_has_it_all)
{
	static const char *const signals[] = {"cycles",	    "committed", "committed", "cycles",
					      "fetch.itlb", "committed", "cycles"};
	static const char *const where[] = {"", RANGE, "", RANGE, "", "", ""};
	static const char *const units[] = {"cycles", "instructions", "instructions", "cycles",
					    "cycles", "instructions", "cycles"};
	static const uint64_t totals[] = {1990, 1048875, 700, 400, 7, 21, 64};
	struct stats_request request;
	json_t *result = json_object();

	make_request(&request);
	begin(&request);
	give(intervals[0], counts[0]);
	give(intervals[1], counts[1]);
	/* The last interval comes when counting ends, and the run is not whole. */
	seen.last = intervals[2];
	seen.last.values = counts[2];
	seen.last.count = 3;
	seen.last.most = (1U << 20) - 1;
	json_object_set_new(result, "partial", json_true());
	job_stat_describe(seen.stat, result);
	assert_int_equal(frame_of(4).head.flags, STAT_FLAG_FINAL | STAT_FLAG_PARTIAL);

	const json_t *module = json_object_get(result, "module");
	assert_int_equal(number(module, "counters"), 9);
	assert_int_equal(number(module, "ranges"), 3);
	assert_int_equal(number(module, "width"), 20);
	assert_int_equal(number(module, "bits"), stats_bits(signal_count(), 3, 9, 20));
	assert_int_equal(json_array_size(json_object_get(result, "epochs")), 2);
	for (unsigned e = 0; e < 2; e++) {
		const json_t *epoch = item(result, "epochs", e);
		const json_t *pairs = json_object_get(epoch, "pairs");

		assert_int_equal(number(epoch, "cycle"), e ? 5000 : 0);
		assert_int_equal(number(epoch, "every"), e ? 64 : 1000);
		assert_int_equal(json_array_size(pairs), e ? 3 : 4);
		for (size_t i = 0; i < json_array_size(pairs); i++)
			assert_string_equal(json_string_value(json_array_get(pairs, i)),
					    e ? second_pairs[i] : first_pairs[i]);
	}
	assert_int_equal(json_array_size(json_object_get(result, "intervals")), 3);
	for (unsigned i = 0; i < 3; i++) {
		const json_t *interval = item(result, "intervals", i);

		assert_int_equal(number(interval, "epoch"), i == 2);
		assert_int_equal(number(interval, "start"), intervals[i].start);
		assert_int_equal(number(interval, "cycles"), intervals[i].cycles);
		assert_int_equal(number(interval, "dispatched"), intervals[i].dispatched);
	}
	assert_true(json_is_false(json_object_get(result, "intervals_cut")));
	assert_int_equal(json_array_size(json_object_get(result, "counters")), 7);
	for (unsigned i = 0; i < 7; i++) {
		const json_t *counter = item(result, "counters", i);
		const json_t *list = json_object_get(counter, "intervals");

		assert_string_equal(text(counter, "signal"), signals[i]);
		assert_string_equal(text(counter, "where"), where[i]);
		assert_string_equal(text(counter, "unit"), units[i]);
		assert_int_equal(number(counter, "epoch"), i >= 4);
		assert_int_equal(number(counter, "total"), totals[i]);
		assert_int_equal(json_is_true(json_object_get(counter, "saturated")), i == 1);
		assert_int_equal(number(counter, "ranges"), *where[i] ? 1 : 0);
		assert_int_equal(json_array_size(list), i < 4 ? 2 : 1);
		for (unsigned k = 0; k < json_array_size(list); k++)
			assert_int_equal(json_integer_value(json_array_get(list, k)),
					 i < 4 ? counts[k][i] : counts[2][i - 4]);
	}
	/* ipc everywhere, twice only where the pattern says. */
	static const struct {
		const char *name, *formula, *where;
		int epoch, saturated;
		double value, intervals[2];
	} derived[] = {
		{"ipc", "committed / cycles", "", 0, 0, 700.0 / 1990, {0.7, 0}},
		{"ipc", "committed / cycles", RANGE, 0, 1, 1048875.0 / 400, {0.75, -1}},
		{"twice", "2 * cycles", RANGE, 0, 0, 800, {800, 0}},
		{"ipc", "committed / cycles", "", 1, 0, 21.0 / 64, {21.0 / 64, 0}},
	};
	assert_int_equal(json_array_size(json_object_get(result, "derived")), 4);
	for (unsigned i = 0; i < 4; i++) {
		const json_t *d = item(result, "derived", i);
		const json_t *list = json_object_get(d, "intervals");

		assert_string_equal(text(d, "name"), derived[i].name);
		assert_string_equal(text(d, "formula"), derived[i].formula);
		assert_string_equal(text(d, "where"), derived[i].where);
		assert_int_equal(number(d, "epoch"), derived[i].epoch);
		assert_true(number(d, "value") == derived[i].value);
		assert_int_equal(json_is_true(json_object_get(d, "saturated")),
				 derived[i].saturated);
		assert_int_equal(json_array_size(list), derived[i].epoch ? 1 : 2);
		for (unsigned k = 0; k < json_array_size(list); k++)
			/* -1: divided by 0, no value. */
			if (derived[i].intervals[k] < 0)
				assert_true(json_is_null(json_array_get(list, k)));
			else
				assert_true(json_number_value(json_array_get(list, k)) ==
					    derived[i].intervals[k]);
	}
	json_decref(result);
	finish(&request);
}

TEST(an_epoch_that_never_began_is_not_told)
{
	struct stats_request request;
	json_t *result = json_object();

	make_request(&request);
	begin(&request);
	give(intervals[0], counts[0]);
	job_stat_describe(seen.stat, result);
	assert_int_equal(json_array_size(json_object_get(result, "epochs")), 1);
	assert_int_equal(json_array_size(json_object_get(result, "counters")), 4);
	assert_int_equal(json_array_size(json_object_get(result, "derived")), 3);
	json_decref(result);
	finish(&request);
}

TEST(totals_end_at_what_a_result_can_hold)
{
	const uint64_t most = UINT64_C(1) << 53;
	const uint64_t first[] = {most, most - 1, most, 1}, second[] = {1, 1, 0, 1},
		       third[] = {0, 1, 0, 0};
	struct stats_request request;

	make_request(&request);
	begin(&request);
	give(intervals[0], first);
	struct stat_frame frame = frame_of(1);
	for (unsigned k = 0; k < 4; k++) {
		assert_int_equal(frame.counts[k].total, first[k]);
		assert_int_equal(frame.counts[k].is_saturated, 0);
	}
	give(intervals[1], second);
	frame = frame_of(2);
	for (unsigned k = 0; k < 4; k++) {
		assert_int_equal(frame.counts[k].total, k == 3 ? 2 : most);
		assert_int_equal(frame.counts[k].value, second[k]);
		assert_int_equal(frame.counts[k].is_saturated, k == 0);
	}
	/* Once is for ever. */
	give(intervals[1], third);
	assert_int_equal(frame_of(3).counts[0].is_saturated, 1);
	finish(&request);
}

/* Counts are all the same, so that millions of them are one object. */
static json_t *the_count;
REPLACED(json_integer);

static json_t *count_of(json_int_t value)
{
	return the_count && value == json_integer_value(the_count) ? json_incref(the_count)
								   : __real_json_integer(value);
}
REPLACE(json_integer, count_of);

static const uint64_t *same_counts(void)
{
	static uint64_t same[STATS_COUNTERS_MOST];

	for (size_t i = 0; i < STATS_COUNTERS_MOST; i++)
		same[i] = 7;
	return same;
}

/* So many pairs, and one from cycle 5000 on. */
static void make_large_request(struct stats_request *request, unsigned pairs)
{
	static const char *const signals[] = {"cycles", "committed", "fetch.itlb", "fetch.l1i"};
	char pair[64];

	*request = (struct stats_request){.width_bits = 20,
					  .counters_most = STATS_COUNTERS_MOST,
					  .ranges_most = STATS_RANGES_MOST};
	request->first.period_cycles = 1000;
	for (unsigned i = 0; i < pairs; i++) {
		snprintf(pair, sizeof(pair), "%s@0x%x-0x%x", signals[i % 4], i / 4 * 16,
			 i / 4 * 16 + 15);
		stats_wish_add(&request->first, pair);
	}
	request->changes = calloc(1, sizeof(*request->changes));
	request->change_count = 1;
	request->changes[0] = (struct stats_wish){.at = 5000, .period_cycles = 64};
	stats_wish_add(&request->changes[0], "cycles");
}

/* 2^24 values are kept: of an interval its counts and one for itself. */
TEST(so_many_intervals_are_kept)
{
	static const struct {
		unsigned pairs, kept;
	} cases[] = {{4095, 4096}, {3071, 5461}};

	the_count = json_integer(7);
	for (size_t c = 0; c < ARRAY_COUNT(cases); c++) {
		const unsigned given = cases[c].kept + 2;
		struct stats_request request;
		json_t *result = json_object();

		make_large_request(&request, cases[c].pairs);
		begin(&request);
		for (unsigned i = 0; i < given; i++)
			give(intervals[0], same_counts());
		/* One that would fit again is not kept after one that was not. */
		give(intervals[2], same_counts());
		job_stat_describe(seen.stat, result);
		assert_int_equal(json_array_size(json_object_get(result, "intervals")),
				 cases[c].kept);
		assert_true(json_is_true(json_object_get(result, "intervals_cut")));
		const json_t *counter = item(result, "counters", 0);
		assert_int_equal(number(counter, "total"), 7 * given);
		assert_int_equal(json_array_size(json_object_get(counter, "intervals")),
				 cases[c].kept);
		counter = item(result, "counters", cases[c].pairs);
		assert_int_equal(number(counter, "total"), 7);
		assert_int_equal(json_array_size(json_object_get(counter, "intervals")), 0);
		json_decref(result);
		finish(&request);
	}
	json_decref(the_count);
	the_count = NULL;
}

TEST(plans)
{
	struct stats_request request;
	struct stats_plan plan;
	struct err err = {.text = ""};

	memset(&seen, 0, sizeof(seen));
	make_request(&request);
	assert_true(job_stat_plan(&request, NULL, &plan, &err));
	assert_int_equal(plan.count, 2);
	assert_int_equal(plan.at[0], 0);
	assert_int_equal(plan.at[1], 5000);
	assert_int_equal(plan.settings[0].period_cycles, 1000);
	assert_int_equal(plan.settings[1].period_cycles, 64);
	assert_int_equal(plan.settings[0].counter_count, 4);
	assert_int_equal(plan.settings[0].range_count, 1);
	assert_int_equal(plan.settings[1].counter_count, 3);
	assert_int_equal(plan.counters, 4);
	assert_int_equal(plan.ranges, 1);
	stats_plan_release(&plan);
	request.circuit_counters = 6;
	request.circuit_ranges = 5;
	assert_true(job_stat_plan(&request, NULL, &plan, &err));
	assert_int_equal(plan.counters, 6);
	assert_int_equal(plan.ranges, 5);
	stats_plan_release(&plan);
	/* What is wrong with a change is said. */
	free(request.changes[0].pairs[0]);
	request.changes[0].pairs[0] = strdup("no.such.signal");
	assert_false(job_stat_plan(&request, NULL, &plan, &err));
	assert_non_null(strstr(err.text, "no.such.signal"));
	stats_plan_release(&plan);
	static struct process process = {.bias = 0};
	assert_null(job_stat_begin(&request, &process, NULL, keep_frame, &seen, &err));
	stats_request_release(&request);
	make_request(&request);
	request.counters_most = 3;
	assert_false(job_stat_plan(&request, NULL, &plan, &err));
	stats_plan_release(&plan);
	/* A map that is none. */
	request.counters_most = 9;
	request.map = "nonsense";
	request.map_bytes = 8;
	err.text[0] = 0;
	assert_null(job_stat_begin(&request, &process, NULL, keep_frame, &seen, &err));
	assert_memory_equal(err.text, "--map: ", 7);
	stats_request_release(&request);
	forget_frames();
}

TEST(lines_are_read_where_they_may_be_named)
{
	static const struct {
		const char *first, *change;
		bool has_mailbox, may;
	} cases[] = {{"cycles", "cycles", false, false},
		     {"cycles", "cycles", true, true},
		     {"cycles@a.c:7", "cycles", false, true},
		     {"cycles", "cycles@a.c:7", false, true}};
	static struct process process;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct stats_wish wish = {.period_cycles = 10};
		struct stats_request request = {
			.changes = &wish, .change_count = 1, .counters_most = 9, .width_bits = 20};
		struct err err;

		request.first.period_cycles = 10;
		stats_wish_add(&request.first, "committed");
		stats_wish_add(&request.first, cases[i].first);
		stats_wish_add(&wish, "committed");
		stats_wish_add(&wish, cases[i].change);
		request.mailbox = cases[i].has_mailbox ? stats_mailbox_create(&err) : NULL;
		memset(&seen, 0, sizeof(seen));
		times_read = 0;
		/* There is no such line, which is another matter. */
		job_stat_end(job_stat_begin(&request, &process, NULL, keep_frame, &seen, &err));
		assert_int_equal(times_read > 0, cases[i].may);
		stats_mailbox_destroy(request.mailbox);
		stats_wish_release(&request.first);
		stats_wish_release(&wish);
	}
}

/* A formula that is wanted somewhere has its signal counted there. */
TEST(a_formula_is_wanted_by_name_or_pattern)
{
	static const struct {
		const char *wanted, *where;
		bool is_wanted;
	} cases[] = {{NULL, "main", true},  {"main", "main", true}, {"mai", "main", false},
		     {"ma*", "main", true}, {"ma*", "sum", false},  {"a[b]", "a[b]", true},
		     {"a[b]", "ab", true},  {"a[b]", "ac", false}};
	static struct process process;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct stats_request request = {
			.counters_most = 9, .ranges_most = 3, .width_bits = 20};
		struct err err = {.text = ""};
		char map[128], pair[64];

		snprintf(map, sizeof(map), " .text.%s 0x1000 0x10 a.o\n", cases[i].where);
		snprintf(pair, sizeof(pair), "cycles@%s", cases[i].where);
		request.map = map;
		request.map_bytes = strlen(map);
		request.first.period_cycles = 10;
		stats_wish_add(&request.first, pair);
		stats_request_add_formula(&request, "twice = 2 * committed", cases[i].wanted);
		memset(&seen, 0, sizeof(seen));
		struct job_stat *stat =
			job_stat_begin(&request, &process, NULL, keep_frame, &seen, &err);
		if (!stat)
			fail_msg("%s", err.text);
		assert_int_equal(seen.counter_count, 1 + cases[i].is_wanted);
		job_stat_end(stat);
		request.map = NULL;
		stats_request_release(&request);
	}
}

TEST(bytes_that_are_no_frame)
{
	static const struct {
		uint32_t kind, count, text_bytes;
		size_t size; /* of what follows the head */
		const char *text;
		bool ok;
	} cases[] = {
		{STAT_FRAME_EPOCH, 2, 5, 5, "a\0bc", true},
		{STAT_FRAME_EPOCH, 1, 5, 5, "a\0bc", false},
		{STAT_FRAME_EPOCH, 3, 5, 5, "a\0bc", false},
		{STAT_FRAME_EPOCH, 2, 4, 5, "a\0bc", false},
		{STAT_FRAME_EPOCH, 2, 6, 5, "a\0bc", false},
		{STAT_FRAME_EPOCH, 1, 4, 4, "a\0bc", false}, /* the last has no end */
		{STAT_FRAME_EPOCH, 0, 0, 0, "", true},
		{STAT_FRAME_REFUSED, 0, 4, 4, "abc", true},
		{STAT_FRAME_REFUSED, 9, 4, 4, "abc", true},
		{STAT_FRAME_REFUSED, 0, 0, 0, "", false},
		{STAT_FRAME_REFUSED, 0, 3, 3, "abc", false},
		{STAT_FRAME_REFUSED, 0, 4, 4, "a\0b", false},
		{STAT_FRAME_INTERVAL, 0, 0, 0, "", true},
		{STAT_FRAME_INTERVAL, 1, 0, 24, "", true},
		{STAT_FRAME_INTERVAL, 1, 0, 23, "", false},
		{STAT_FRAME_INTERVAL, 1, 0, 25, "", false},
		{STAT_FRAME_INTERVAL, 2, 0, 24, "", false},
		{STAT_FRAME_INTERVAL, 1, 1, 25, "", true},
		{STAT_FRAME_INTERVAL, 4096, 0, 4096 * 24, "", true},
		{STAT_FRAME_INTERVAL, 4097, 0, 4097 * 24, "", false},
		{STAT_FRAME_REFUSED, 4097, 4, 4, "abc", false},
		{3, 0, 4, 4, "abc", false},
	};

	assert_int_equal(sizeof(struct stat_count), 24);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct stat_frame_head head = {.kind = cases[i].kind,
						     .count = cases[i].count,
						     .text_bytes = cases[i].text_bytes,
						     .epoch = 77};
		size_t size = sizeof(head) + cases[i].size;
		uint8_t *bytes = calloc(1, size);
		struct stat_frame frame;

		memcpy(bytes, &head, sizeof(head));
		if (cases[i].kind != STAT_FRAME_INTERVAL)
			memcpy(bytes + sizeof(head), cases[i].text, cases[i].size);
		if (stat_frame_read(&frame, bytes, size) != cases[i].ok)
			fail_msg("case %zu", i);
		if (cases[i].ok) {
			assert_int_equal(frame.head.epoch, 77);
			assert_ptr_equal(frame.counts, bytes + sizeof(head));
			assert_ptr_equal(frame.text, bytes + size - cases[i].text_bytes);
		}
		assert_false(stat_frame_read(&frame, bytes, sizeof(head) - 1));
		free(bytes);
	}
}

/* What a run makes of the statistics module's intervals: frames for the parent, totals, derived
 * values, the result; all from intervals that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "job/job.h"
#include "stats/module.h"

static void attach(struct simulation *simulation, struct observer observer);
static void change(struct stats_module *module, const struct stats_settings *settings, uint64_t at);
static void end(struct stats_module *module);
#define simulation_attach attach
#define stats_change	  change
#define stats_end	  end
#include "job/stat.c" /* with its static functions */

#define FRAMES_MOST 16
#define RANGE	    "0x100-0x1ff"

static struct {
	struct job_stat *stat;
	struct observer observer;
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

static void change(struct stats_module *module, const struct stats_settings *settings, uint64_t at)
{
	(void)module;
	seen.changes[seen.change_count].at = at;
	seen.changes[seen.change_count].period_cycles = settings->period_cycles;
	seen.changes[seen.change_count++].counter_count = settings->counter_count;
}

static void end(struct stats_module *module)
{
	(void)module;
	if (seen.last.count)
		take_interval(seen.stat, &seen.last);
}

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
	static const struct program program = {.image_bytes = 0};
	static const struct process process = {.bias = 0};
	struct err err;

	memset(&seen, 0, sizeof(seen));
	seen.stat = job_stat_begin(request, &program, &process, NULL, keep_frame, &seen, &err);
	assert_non_null(seen.stat);
}

static void finish(struct stats_request *request)
{
	job_stat_end(seen.stat);
	job_stat_end(NULL);
	for (size_t i = 0; i < seen.frame_count; i++)
		free(seen.frames[i]);
	stats_mailbox_destroy(request->mailbox);
	stats_request_release(request);
}

/* The pairs of the first epoch: those asked for, then what the formulas need. */
static const char *const first_pairs[] = {"cycles", "committed@" RANGE, "committed",
					  "cycles@" RANGE};
static const char *const second_pairs[] = {"fetch.itlb", "committed", "cycles"};

/* Hands over an interval with these counts, pair by pair. */
static void give(struct stats_interval interval, const uint64_t *counts)
{
	uint64_t values[16] = {0};
	const struct epoch *epoch = interval.epoch ? seen.stat->first->next : seen.stat->first;

	for (size_t i = 0; i < epoch->pairs.count; i++)
		values[epoch->pairs.items[i].first_counter] = counts[i];
	interval.values = values;
	interval.count = epoch->pairs.count;
	interval.most = (1U << 20) - 1;
	take_interval(seen.stat, &interval);
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

static void frames_tell_what_is_counted(void **unused)
{
	struct stats_request request;

	(void)unused;
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

static void nobody_watches(void **unused)
{
	struct stats_request request;

	(void)unused;
	make_request(&request);
	request.is_watched = false;
	begin(&request);
	for (unsigned i = 0; i < 3; i++)
		give(intervals[i], counts[i]);
	assert_int_equal(seen.frame_count, 0);
	finish(&request);
}

static void changes_and_events_are_passed_on(void **unused)
{
	struct stats_request request;
	uint32_t all = 0;

	(void)unused;
	make_request(&request);
	begin(&request);
	assert_int_equal(seen.change_count, 1);
	assert_int_equal(seen.changes[0].at, 5000);
	assert_int_equal(seen.changes[0].period_cycles, 64);
	assert_int_equal(seen.changes[0].counter_count, 3);
	assert_true(seen.observer.cycle == stats_cycle);
	assert_ptr_equal(seen.observer.context, seen.stat->module);
	assert_int_equal(seen.observer.events,
			 stats_events(&seen.stat->first->settings) |
				 stats_events(&seen.stat->first->next->settings));
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

static const char *text(const json_t *object, const char *name)
{
	const char *value = json_string_value(json_object_get(object, name));

	return value ? value : "(none)";
}

static void the_result_has_it_all(void **unused)
{
	static const char *const signals[] = {"cycles",	    "committed", "committed", "cycles",
					      "fetch.itlb", "committed", "cycles"};
	static const char *const where[] = {"", RANGE, "", RANGE, "", "", ""};
	static const char *const units[] = {"cycles", "instructions", "instructions", "cycles",
					    "cycles", "instructions", "cycles"};
	static const uint64_t totals[] = {1990, 1048875, 700, 400, 7, 21, 64};
	struct stats_request request;
	json_t *result = json_object();
	uint64_t values[4] = {0};

	(void)unused;
	make_request(&request);
	begin(&request);
	give(intervals[0], counts[0]);
	give(intervals[1], counts[1]);
	/* The last interval comes when counting ends, and the run is not whole. */
	seen.last = intervals[2];
	for (size_t i = 0; i < 3; i++)
		values[seen.stat->first->next->pairs.items[i].first_counter] = counts[2][i];
	seen.last.values = values;
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

static void an_epoch_that_never_began_is_not_told(void **unused)
{
	struct stats_request request;
	json_t *result = json_object();

	(void)unused;
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

static void totals_end_at_what_a_result_can_hold(void **unused)
{
	const uint64_t most = UINT64_C(1) << 53;
	const uint64_t first[] = {most, most - 1, most, 1}, second[] = {1, 1, 0, 1},
		       third[] = {0, 1, 0, 0};
	struct stats_request request;

	(void)unused;
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

/* 2^24 values are kept: of an interval its four counts and one for itself. */
static void so_many_intervals_are_kept(void **unused)
{
	for (unsigned beyond = 0; beyond < 2; beyond++) {
		struct stats_request request;
		json_t *result = json_object();

		(void)unused;
		make_request(&request);
		request.is_watched = false;
		begin(&request);
		seen.stat->values_kept = (UINT64_C(1) << 24) - 10 + beyond;
		for (unsigned i = 0; i < 3; i++)
			give(intervals[0], counts[0]);
		/* One that would fit again is not kept after one that was not. */
		seen.stat->values_kept = 0;
		give(intervals[0], counts[0]);
		job_stat_describe(seen.stat, result);
		assert_int_equal(json_array_size(json_object_get(result, "intervals")), 2 - beyond);
		assert_true(json_is_true(json_object_get(result, "intervals_cut")));
		const json_t *counter = item(result, "counters", 0);
		assert_int_equal(number(counter, "total"), 4000);
		assert_int_equal(json_array_size(json_object_get(counter, "intervals")),
				 2 - beyond);
		assert_int_equal(
			json_array_size(json_object_get(item(result, "derived", 0), "intervals")),
			2 - beyond);
		json_decref(result);
		finish(&request);
	}
}

static void plans(void **unused)
{
	struct stats_request request;
	struct stats_plan plan;
	struct err err = {""};

	(void)unused;
	make_request(&request);
	assert_true(job_stat_plan_request(&request, &plan, &err));
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
	assert_true(job_stat_plan_request(&request, &plan, &err));
	assert_int_equal(plan.counters, 6);
	assert_int_equal(plan.ranges, 5);
	stats_plan_release(&plan);
	/* What is wrong with a change is said. */
	free(request.changes[0].pairs[0]);
	request.changes[0].pairs[0] = strdup("no.such.signal");
	assert_false(job_stat_plan_request(&request, &plan, &err));
	assert_non_null(strstr(err.text, "no.such.signal"));
	stats_plan_release(&plan);
	static const struct program program = {.image_bytes = 0};
	static const struct process process = {.bias = 0};
	assert_null(job_stat_begin(&request, &program, &process, NULL, keep_frame, &seen, &err));
	stats_request_release(&request);
	make_request(&request);
	request.counters_most = 3;
	assert_false(job_stat_plan_request(&request, &plan, &err));
	stats_plan_release(&plan);
	/* A map that is none. */
	request.counters_most = 9;
	request.map = "nonsense";
	request.map_bytes = 8;
	err.text[0] = 0;
	assert_null(job_stat_begin(&request, &program, &process, NULL, keep_frame, &seen, &err));
	assert_memory_equal(err.text, "--map: ", 7);
	stats_request_release(&request);
}

static void lines_are_read_where_they_may_be_named(void **unused)
{
	static const struct {
		const char *first, *change;
		bool may;
	} cases[] = {{"cycles", "cycles", false},
		     {"cycles@a.c:7", "cycles", true},
		     {"cycles", "cycles@a.c:7", true}};

	(void)unused;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct stats_wish wish = {0};
		struct stats_request request = {.changes = &wish, .change_count = 1};

		stats_wish_add(&request.first, cases[i].first);
		stats_wish_add(&request.first, "committed");
		stats_wish_add(&wish, cases[i].change);
		stats_wish_add(&wish, "committed");
		assert_int_equal(may_name_lines(&request), cases[i].may);
		request.mailbox = (void *)&wish;
		assert_true(may_name_lines(&request));
		stats_wish_release(&request.first);
		stats_wish_release(&wish);
	}
}

static void a_formula_is_wanted_by_name_or_pattern(void **unused)
{
	static char plain[] = "main", pattern[] = "ma*", brackets[] = "a[b]";
	static const struct {
		char *wanted;
		const char *where;
		bool is_wanted;
	} cases[] = {{NULL, "main", true},    {plain, "main", true},   {plain, "mai", false},
		     {pattern, "main", true}, {pattern, "sum", false}, {brackets, "a[b]", true},
		     {brackets, "ab", true},  {brackets, "ac", false}};

	(void)unused;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct stats_formula formula = {NULL, cases[i].wanted};
		struct stats_request request = {.formulas = &formula, .formula_count = 1};
		struct job_stat stat = {.request = &request};

		assert_int_equal(is_wanted_at(&stat, 0, cases[i].where), cases[i].is_wanted);
	}
}

static void bytes_that_are_no_frame(void **unused)
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

	(void)unused;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_tell_what_is_counted),
		cmocka_unit_test(nobody_watches),
		cmocka_unit_test(changes_and_events_are_passed_on),
		cmocka_unit_test(the_result_has_it_all),
		cmocka_unit_test(an_epoch_that_never_began_is_not_told),
		cmocka_unit_test(totals_end_at_what_a_result_can_hold),
		cmocka_unit_test(so_many_intervals_are_kept),
		cmocka_unit_test(plans),
		cmocka_unit_test(lines_are_read_where_they_may_be_named),
		cmocka_unit_test(a_formula_is_wanted_by_name_or_pattern),
		cmocka_unit_test(bytes_that_are_no_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "job/stat.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stats/formula.h"
#include "stats/pairs.h"
#include "value/layout.h"
#include "value/printable_json.h"

/* What is counted from one change of the settings to the next. */
struct epoch {
	struct stats_pairs pairs;
	struct stats_settings settings; /* of `pairs` */
	uint32_t period_cycles;
	uint64_t start;
	uint64_t *totals;      /* by pair */
	uint8_t *is_saturated; /* by pair */
	/* Intervals that are kept: their counts pair by pair. */
	uint64_t *values;
	size_t value_count, value_capacity;
	size_t interval_count;
	struct epoch *next; /* settings that were given but are not in effect yet are in the list */
};

struct kept_interval {
	uint64_t start, cycles, dispatched;
	uint32_t epoch;
};

struct job_stat {
	const struct stats_request *request;
	struct stats_module *module;
	struct stats_map map;
	struct stats_places places;
	struct formula *formulas;
	struct epoch *first, *last, *current;
	uint32_t current_number, epoch_count;
	/* That changes may still cost while the program runs. */
	uint64_t looks_left, pairs_left;
	struct kept_interval *intervals;
	size_t interval_count, interval_capacity;
	uint64_t values_kept;
	bool is_cut, is_partial;
	job_stat_sender *send;
	void *context;
};

static void send_frame(struct job_stat *s, struct stat_frame_head head, const void *items,
		       size_t item_bytes, const char *text)
{
	size_t size = sizeof(head) + item_bytes + head.text_bytes;
	uint8_t *bytes = mem_alloc(size);

	memcpy(bytes, &head, sizeof(head));
	if (items)
		memcpy(bytes + sizeof(head), items, item_bytes);
	if (text)
		memcpy(bytes + sizeof(head) + item_bytes, text, head.text_bytes);
	s->send(s->context, bytes, size);
	free(bytes);
}

static void pair_name(const struct stats_pair *pair, char name[STATS_PAIR_BYTES + 64])
{
	snprintf(name, STATS_PAIR_BYTES + 64, "%s%s%s", pair->signal->name, *pair->where ? "@" : "",
		 pair->where);
}

static void send_epoch(struct job_stat *s, const struct epoch *epoch)
{
	char name[STATS_PAIR_BYTES + 64], *text = NULL;
	size_t bytes = 0;

	if (!s->send)
		return;
	for (size_t i = 0; i < epoch->pairs.count; i++) {
		pair_name(&epoch->pairs.items[i], name);
		size_t length = strlen(name) + 1;
		text = mem_realloc(text, bytes + length, 1);
		memcpy(text + bytes, name, length);
		bytes += length;
	}
	send_frame(s,
		   (struct stat_frame_head){.kind = STAT_FRAME_EPOCH,
					    .epoch = s->current_number,
					    .count = (uint32_t)epoch->pairs.count,
					    .start = epoch->start,
					    .period_cycles = epoch->period_cycles,
					    .width_bits = s->request->width_bits,
					    .text_bytes = (uint32_t)bytes},
		   NULL, 0, text);
	free(text);
}

static void send_refusal(struct job_stat *s, const char *sentence)
{
	if (s->send)
		send_frame(s,
			   (struct stat_frame_head){.kind = STAT_FRAME_REFUSED,
						    .text_bytes = (uint32_t)strlen(sentence) + 1},
			   NULL, 0, sentence);
}

/* Goes on to the epoch of that number. */
static void enter_epoch(struct job_stat *s, uint32_t number, uint64_t start)
{
	while (s->current_number < number) {
		s->current = s->current->next;
		s->current_number++;
		s->current->start = start;
		send_epoch(s, s->current);
	}
}

static void keep_interval(struct job_stat *s, const struct stats_interval *interval,
			  const uint64_t *sums)
{
	struct epoch *epoch = s->current;

	if (s->is_cut || s->values_kept + epoch->pairs.count + 1 > STAT_VALUES_MOST) {
		s->is_cut = true;
		return;
	}
	s->values_kept += epoch->pairs.count + 1;
	*ARRAY_PUSH(s->intervals, s->interval_count, s->interval_capacity) = (struct kept_interval){
		interval->start, interval->cycles, interval->dispatched, interval->epoch};
	for (size_t i = 0; i < epoch->pairs.count; i++)
		*ARRAY_PUSH(epoch->values, epoch->value_count, epoch->value_capacity) = sums[i];
	epoch->interval_count++;
}

static void take_interval(void *context, const struct stats_interval *interval)
{
	struct job_stat *s = context;

	enter_epoch(s, interval->epoch, interval->start);
	struct epoch *epoch = s->current;
	size_t count = epoch->pairs.count;
	uint64_t *sums = mem_alloc_array(count + 1, sizeof(*sums));
	struct stat_count *counts = mem_alloc_array(count + 1, sizeof(*counts));

	for (size_t i = 0; i < count; i++) {
		bool is_saturated = false;

		sums[i] = stats_pair_sum(&epoch->pairs.items[i], interval->values, interval->most,
					 &is_saturated);
		epoch->totals[i] += sums[i];
		if (epoch->totals[i] > LAYOUT_MOST) {
			epoch->totals[i] = LAYOUT_MOST;
			is_saturated = true;
		}
		epoch->is_saturated[i] |= is_saturated;
		counts[i] =
			(struct stat_count){sums[i], epoch->totals[i], epoch->is_saturated[i], 0};
	}
	keep_interval(s, interval, sums);
	if (s->send)
		send_frame(s,
			   (struct stat_frame_head){
				   .kind = STAT_FRAME_INTERVAL,
				   .epoch = interval->epoch,
				   .flags = (interval->is_last_of_epoch ? STAT_FLAG_LAST : 0) |
					    (interval->is_final ? STAT_FLAG_FINAL : 0) |
					    (s->is_partial ? STAT_FLAG_PARTIAL : 0),
				   .count = (uint32_t)count,
				   .start = interval->start,
				   .cycles = interval->cycles,
				   .dispatched = interval->dispatched,
				   .number = interval->number,
				   .period_cycles = epoch->period_cycles,
				   .width_bits = s->request->width_bits},
			   counts, count * sizeof(*counts), NULL);
	free(sums);
	free(counts);
}

static void release_epoch(struct epoch *epoch)
{
	stats_pairs_release(&epoch->pairs);
	free(epoch->totals);
	free(epoch->is_saturated);
	free(epoch->values);
	free(epoch);
}

/* Whether the formula of that number is wanted at a place. */
static bool is_wanted_at(const struct job_stat *s, size_t formula, const char *where)
{
	const char *wanted = s->request->formulas[formula].where;

	return !wanted || strcmp(wanted, where) == 0 || fnmatch(wanted, where, 0) == 0;
}

/* The signals of a formula are counted where it is wanted. */
static void add_formula_signals(const struct job_stat *s, struct stats_pairs *pairs)
{
	size_t count = pairs->count;

	for (size_t i = 0; i < count; i++)
		for (size_t f = 0; f < s->request->formula_count; f++)
			for (size_t k = 0; is_wanted_at(s, f, pairs->items[i].where) &&
					   k < s->formulas[f].signal_count;
			     k++)
				stats_pairs_add_signal(pairs, s->formulas[f].signals[k], i);
}

static bool add_pairs(struct job_stat *s, const struct stats_wish *wish, struct stats_pairs *pairs,
		      struct err *err)
{
	bool ok = wish->pair_count ||
		  err_set(err, "there is nothing to count: name a signal, as SIGNAL@WHERE");

	for (size_t i = 0; ok && i < wish->pair_count; i++)
		ok = stats_pairs_add(pairs, wish->pairs[i], &s->places, err);
	if (ok)
		add_formula_signals(s, pairs);
	return ok;
}

/* Settings of a wish, as a new epoch that is in no list yet. Names are compared at most
 * `looks_most` times, unless that is 0. NULL with a sentence. */
static struct epoch *make_epoch(struct job_stat *s, const struct stats_wish *wish,
				uint64_t looks_most, struct err *err)
{
	struct epoch *epoch = mem_alloc(sizeof(*epoch));

	epoch->pairs.looks_most = looks_most;
	bool ok = add_pairs(s, wish, &epoch->pairs, err);
	if (looks_most)
		s->looks_left -=
			epoch->pairs.looks < s->looks_left ? epoch->pairs.looks : s->looks_left;
	epoch->settings = (struct stats_settings){.period_cycles = wish->period_cycles,
						  .width_bits = s->request->width_bits};
	ok = ok &&
	     stats_pairs_settle(&epoch->pairs, s->request->counters_most, s->request->ranges_most,
				&epoch->settings, err) &&
	     stats_settings_check(&epoch->settings, err);
	if (!ok) {
		release_epoch(epoch);
		return NULL;
	}
	epoch->period_cycles = wish->period_cycles;
	epoch->totals = mem_alloc_array(epoch->pairs.count + 1, sizeof(*epoch->totals));
	epoch->is_saturated = mem_alloc_array(epoch->pairs.count + 1, 1);
	return epoch;
}

/* Makes it the epoch of that number; those after it have larger ones then. */
static void insert_epoch(struct job_stat *s, struct epoch *epoch, uint32_t number)
{
	if (!s->first) {
		s->first = s->last = epoch;
	} else if (number >= s->epoch_count) {
		s->last = s->last->next = epoch;
	} else {
		struct epoch *before = s->current;

		for (uint32_t i = s->current_number + 1; i < number; i++)
			before = before->next;
		epoch->next = before->next;
		before->next = epoch;
	}
	s->epoch_count++;
}

static void drop_last_epoch(struct job_stat *s)
{
	struct epoch *before = s->current;

	while (before->next != s->last)
		before = before->next;
	release_epoch(s->last);
	s->last = before;
	before->next = NULL;
	s->epoch_count--;
}

/* A change of a log, or one that came. */
static void begin_epoch(struct job_stat *s, struct epoch *epoch, uint64_t at)
{
	insert_epoch(s, epoch, stats_change(s->module, &epoch->settings, at));
}

/* Where too many changes wait, the last of them gives way to one for an earlier cycle. */
static bool make_room(struct job_stat *s, uint64_t at, struct err *err)
{
	if (stats_waiting(s->module) < STAT_WAITING_MOST)
		return true;
	if (at >= stats_last_change(s->module))
		return err_set(err,
			       "%d changes wait for their cycle, and this one is later than all",
			       STAT_WAITING_MOST);
	stats_drop_last_change(s->module);
	drop_last_epoch(s);
	return true;
}

/* A timer that ends more often than once for each counter would be slower than the program. */
static bool check_change(const struct job_stat *s, const struct epoch *epoch, struct err *err)
{
	if (epoch->pairs.count + 1 > s->pairs_left)
		return err_set(err, "the changes of this run have more than %d pairs already",
			       STAT_ALL_PAIRS_MOST);
	return epoch->period_cycles >= epoch->pairs.count ||
	       err_set(err,
		       "%zu pairs every %u cycles: while a program runs, a period has at "
		       "least as many cycles as there are pairs",
		       epoch->pairs.count, epoch->period_cycles);
}

/* False with a sentence: the change is refused, and nothing has changed. */
static bool take_change(struct job_stat *s, const struct stats_wish *wish, struct err *err)
{
	const uint64_t looks = s->looks_left < STAT_LOOKS_MOST ? s->looks_left : STAT_LOOKS_MOST;
	struct epoch *epoch =
		looks ? make_epoch(s, wish, looks, err)
		      : (err_set(err, "the changes of this run have cost as much as they may"),
			 NULL);

	if (!epoch)
		return false;
	if (!check_change(s, epoch, err) || !make_room(s, wish->at, err)) {
		release_epoch(epoch);
		return false;
	}
	s->pairs_left -= epoch->pairs.count + 1;
	begin_epoch(s, epoch, wish->at);
	return true;
}

void job_stat_poll(struct job_stat *s)
{
	struct stats_mailbox *mailbox = s->request->mailbox;
	struct stats_wish wish;
	struct err err;

	if (!mailbox || !stats_mailbox_take(mailbox, &wish))
		return;
	if (!take_change(s, &wish, &err))
		send_refusal(s, err.text);
	stats_wish_release(&wish);
}

static void poll_module(void *context)
{
	job_stat_poll(context);
}

/* Whether a pair may name a source line, whose table takes time to read. */
static bool may_name_lines(const struct stats_request *request)
{
	bool may = request->mailbox;

	for (size_t i = 0; i < request->first.pair_count; i++)
		may |= strchr(request->first.pairs[i], ':') != NULL;
	for (size_t i = 0; i < request->change_count; i++)
		for (size_t k = 0; k < request->changes[i].pair_count; k++)
			may |= strchr(request->changes[i].pairs[k], ':') != NULL;
	return may;
}

static bool read_places(struct job_stat *s, struct process *process, struct err *err)
{
	if (s->request->map &&
	    !stats_map_read(&s->map, s->request->map, s->request->map_bytes, err)) {
		err_as_usage(err);
		return err_prefix(err, "--map");
	}
	s->places = (struct stats_places){.symbols = debug_symbols(&process->debug, NULL),
					  .map = s->request->map ? &s->map : NULL,
					  .bias = process->bias,
					  .raw_names = process->options.raw_names};
	if (may_name_lines(s->request))
		s->places.lines = debug_lines(&process->debug);
	return true;
}

static uint32_t all_events(void)
{
	uint32_t events = 0;

	for (size_t i = 0; i < signal_count(); i++)
		events |= signal_rows[i].events;
	return events;
}

static void plan_epochs(const struct job_stat *s, struct stats_plan *plan)
{
	const struct stats_request *request = s->request;
	size_t number = 0;

	for (const struct epoch *e = s->first; e; e = e->next, number++)
		stats_plan_add(plan, &e->settings, number ? request->changes[number - 1].at : 0);
	if (plan->ranges < request->circuit_ranges)
		plan->ranges = request->circuit_ranges;
	if (plan->counters < request->circuit_counters)
		plan->counters = request->circuit_counters;
}

static bool read_formulas(struct job_stat *s, struct err *err)
{
	const struct stats_request *request = s->request;
	bool ok = true;

	s->formulas = mem_alloc_array(request->formula_count + 1, sizeof(*s->formulas));
	for (size_t i = 0; ok && i < request->formula_count; i++)
		ok = formula_read(&s->formulas[i], request->formulas[i].text, err);
	return ok;
}

bool job_stat_plan(const struct stats_request *request, struct process *process,
		   struct stats_plan *plan, struct err *err)
{
	struct job_stat *s = mem_alloc(sizeof(*s));

	*plan = (struct stats_plan){0};
	s->request = request;
	bool ok = read_formulas(s, err) && (!process || read_places(s, process, err));
	for (size_t i = 0; ok && i <= request->change_count; i++) {
		struct epoch *epoch =
			make_epoch(s, i ? &request->changes[i - 1] : &request->first, 0, err);

		ok = epoch;
		if (ok)
			insert_epoch(s, epoch, (uint32_t)i);
	}
	if (ok)
		plan_epochs(s, plan);
	job_stat_end(s);
	return ok;
}

/* The changes that are known from the start; *wants gets what they ask of the core. */
static bool add_changes(struct job_stat *s, struct stats_wants *wants, struct err *err)
{
	const struct stats_request *request = s->request;

	for (size_t i = 0; i < request->change_count; i++) {
		struct epoch *epoch = make_epoch(s, &request->changes[i], 0, err);

		if (!epoch)
			return false;
		stats_add_wants(wants, &epoch->settings);
		begin_epoch(s, epoch, request->changes[i].at);
	}
	return true;
}

static bool begin_first(struct job_stat *s, struct err *err)
{
	const bool is_foreign = s->request->first_is_foreign;
	struct epoch *epoch =
		make_epoch(s, &s->request->first, is_foreign ? STAT_LOOKS_MOST : 0, err);

	if (epoch && is_foreign && !check_change(s, epoch, err)) {
		release_epoch(epoch);
		epoch = NULL;
	}
	if (!epoch) {
		if (is_foreign)
			send_refusal(s, err->text);
		return false;
	}
	insert_epoch(s, epoch, 0);
	s->current = epoch;
	s->module = stats_create(&epoch->settings, take_interval, poll_module, s);
	send_epoch(s, epoch);
	return true;
}

struct job_stat *job_stat_begin(const struct stats_request *request, struct process *process,
				struct simulation *simulation, job_stat_sender *send, void *context,
				struct err *err)
{
	struct job_stat *s = mem_alloc(sizeof(*s));
	struct stats_wants wants = {0};

	s->request = request;
	s->send = request->is_watched ? send : NULL;
	s->context = context;
	s->looks_left = STAT_ALL_LOOKS_MOST;
	s->pairs_left = STAT_ALL_PAIRS_MOST;
	if (!read_formulas(s, err) || !read_places(s, process, err) || !begin_first(s, err) ||
	    !add_changes(s, &wants, err)) {
		job_stat_end(s);
		return NULL;
	}
	stats_add_wants(&wants, &s->first->settings);
	simulation_attach(simulation,
			  (struct observer){stats_cycle, s->module,
					    request->mailbox ? all_events() : wants.events});
	if (!request->mailbox)
		simulation_need_events(simulation, &wants.needs);
	return s;
}

static json_t *epoch_json(const struct epoch *epoch)
{
	json_t *pairs = json_array();
	char name[STATS_PAIR_BYTES + 64];

	for (size_t i = 0; i < epoch->pairs.count; i++) {
		pair_name(&epoch->pairs.items[i], name);
		json_array_append_new(pairs, printable_json(name));
	}
	return json_pack("{s:I, s:I, s:o}", "cycle", (json_int_t)epoch->start, "every",
			 (json_int_t)epoch->period_cycles, "pairs", pairs);
}

static json_t *counter_json(const struct epoch *epoch, uint32_t number, size_t i)
{
	const struct stats_pair *pair = &epoch->pairs.items[i];
	json_t *intervals = json_array();

	for (size_t k = i; k < epoch->value_count; k += epoch->pairs.count)
		json_array_append_new(intervals, json_integer((json_int_t)epoch->values[k]));
	return json_pack("{s:s, s:o, s:s, s:I, s:I, s:b, s:I, s:o}", "signal", pair->signal->name,
			 "where", printable_json(pair->where), "unit", pair->signal->unit, "epoch",
			 (json_int_t)number, "total", (json_int_t)epoch->totals[i], "saturated",
			 epoch->is_saturated[i], "ranges", (json_int_t)pair->piece_count,
			 "intervals", intervals);
}

/* The formula over these counts, one for each pair; null if it has no value. */
static json_t *derived_value(const struct formula *formula, const struct stats_pairs *pairs,
			     const char *where, const uint64_t *counts)
{
	double values[FORMULA_SIGNALS_MOST] = {0}, value;

	for (size_t i = 0; i < formula->signal_count; i++)
		values[i] = (double)
			counts[stats_pairs_find(pairs, formula->signals[i], where) - pairs->items];
	return formula_value(formula, values, &value) ? json_real(value) : json_null();
}

static json_t *derived_json(const struct formula *formula, const struct epoch *epoch,
			    uint32_t number, const char *where)
{
	json_t *intervals = json_array();
	bool is_saturated = false;

	for (size_t k = 0; k < epoch->interval_count; k++)
		json_array_append_new(intervals,
				      derived_value(formula, &epoch->pairs, where,
						    epoch->values + k * epoch->pairs.count));
	for (size_t i = 0; i < formula->signal_count; i++)
		is_saturated |= epoch->is_saturated[stats_pairs_find(&epoch->pairs,
								     formula->signals[i], where) -
						    epoch->pairs.items];
	return json_pack("{s:s, s:s, s:o, s:I, s:o, s:b, s:o}", "name", formula->name, "formula",
			 formula->expression + strspn(formula->expression, " "), "where",
			 printable_json(where), "epoch", (json_int_t)number, "value",
			 derived_value(formula, &epoch->pairs, where, epoch->totals), "saturated",
			 is_saturated, "intervals", intervals);
}

static void add_derived(const struct job_stat *s, const struct epoch *epoch, uint32_t number,
			json_t *list)
{
	for (size_t f = 0; f < s->request->formula_count; f++)
		for (size_t i = 0; i < epoch->pairs.count; i++) {
			const char *where = epoch->pairs.items[i].where;

			if (epoch->pairs.items[i].first_there == i && is_wanted_at(s, f, where))
				json_array_append_new(
					list, derived_json(&s->formulas[f], epoch, number, where));
		}
}

void job_stat_describe(struct job_stat *s, json_t *result)
{
	const struct stats_request *request = s->request;
	json_t *epochs = json_array(), *counters = json_array(), *derived = json_array(),
	       *intervals = json_array();
	uint32_t number = 0;

	s->is_partial = json_is_true(json_object_get(result, "partial"));
	stats_end(s->module);
	/* Epochs after the current one never began. */
	for (const struct epoch *e = s->first; e && number <= s->current_number; e = e->next) {
		json_array_append_new(epochs, epoch_json(e));
		for (size_t i = 0; i < e->pairs.count; i++)
			json_array_append_new(counters, counter_json(e, number, i));
		add_derived(s, e, number, derived);
		number++;
	}
	for (size_t i = 0; i < s->interval_count; i++)
		json_array_append_new(intervals,
				      json_pack("{s:I, s:I, s:I, s:I}", "epoch",
						(json_int_t)s->intervals[i].epoch, "start",
						(json_int_t)s->intervals[i].start, "cycles",
						(json_int_t)s->intervals[i].cycles, "dispatched",
						(json_int_t)s->intervals[i].dispatched));
	json_object_set_new(
		result, "module",
		json_pack("{s:I, s:I, s:I, s:I}", "counters", (json_int_t)request->counters_most,
			  "ranges", (json_int_t)request->ranges_most, "width",
			  (json_int_t)request->width_bits, "bits",
			  (json_int_t)stats_bits(signal_count(), request->ranges_most,
						 request->counters_most, request->width_bits)));
	json_object_set_new(result, "epochs", epochs);
	json_object_set_new(result, "intervals", intervals);
	json_object_set_new(result, "intervals_cut", json_boolean(s->is_cut));
	json_object_set_new(result, "counters", counters);
	json_object_set_new(result, "derived", derived);
}

void job_stat_end(struct job_stat *s)
{
	if (!s)
		return;
	for (struct epoch *e = s->first, *next; e; e = next) {
		next = e->next;
		release_epoch(e);
	}
	stats_destroy(s->module);
	stats_map_release(&s->map);
	free(s->formulas);
	free(s->intervals);
	free(s);
}

bool stat_frame_read(struct stat_frame *frame, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	if (size < sizeof(frame->head))
		return false;
	memcpy(&frame->head, at, sizeof(frame->head));
	size -= sizeof(frame->head);
	at += sizeof(frame->head);
	size_t items = frame->head.kind == STAT_FRAME_INTERVAL
			       ? (size_t)frame->head.count * sizeof(struct stat_count)
			       : 0;
	if (frame->head.count > STATS_COUNTERS_MOST || items > size ||
	    size - items != frame->head.text_bytes || frame->head.kind > STAT_FRAME_REFUSED)
		return false;
	frame->counts = (const void *)at;
	frame->text = (const char *)at + items;
	if (frame->head.kind == STAT_FRAME_INTERVAL)
		return true;
	size_t ends = 0;
	for (size_t i = 0; i < frame->head.text_bytes; i++)
		ends += !frame->text[i];
	return (!frame->head.text_bytes || !frame->text[frame->head.text_bytes - 1]) &&
	       ends == (frame->head.kind == STAT_FRAME_EPOCH ? frame->head.count : 1);
}

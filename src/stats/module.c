#include "stats/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "stats/unit.h"

#define PC_BITS	   64
#define TIMER_BITS 32

/* A pc belongs to the segment that it lies in; in a segment every range holds or does not. Each
 * segment has a list of counters for every kind of event, and one each for the states of the oldest
 * and of the fetched instruction, so that a record costs only the counters that it can change.
 *
 * Code stays in a function for a while: consecutive events of one kind in one segment are a run.
 * Counters that add 1 for each of them (stats/unit.h) come first in a list and are not touched
 * before the run ends; only the others are asked event by event. With 64 counters in 16 ranges an
 * event costs two comparisons and an increment where every counter of it adds 1. */
enum { LIST_OLDEST = EVENT_KINDS, LIST_FETCH, LIST_COUNT };

struct entry {
	const struct signal_row *signal;
	uint32_t counter;
};

struct list {
	uint32_t first, asked, end; /* in `entries`: those that add 1, those that are asked */
};

struct segment {
	uint64_t low, high;
	struct list lists[LIST_COUNT];
};

/* The run under way of one list. */
struct run {
	uint64_t low, span; /* a pc belongs to it if pc - low <= span */
	uint64_t pending;   /* events, or cycles, that `first` to `asked` have not added yet */
	struct list list;
};

/* A selection may name a thread: there is a plan for each thread named, with the counters of that
 * thread and of all, and before them one for every other thread. The settings are those of all. */
struct plan {
	struct plan *next; /* of the same settings; NULL for the last */
	uint32_t thread;   /* 0: any that the others are not of */
	struct stats_settings settings;
	struct stats_range *ranges;
	struct stats_selection *counters;
	struct segment *segments;
	size_t segment_count;
	struct entry *entries; /* those of `always` first */
	size_t entry_count, entry_capacity;
	uint32_t always_count; /* counters of a value in every cycle, whatever the pc */
	struct run runs[LIST_COUNT];
	uint32_t events; /* kinds that have a counter */
	bool has_oldest, has_fetch;
	struct unit_filter filter; /* of accesses that no counter counts */
};

struct change {
	struct plan *plan;
	uint64_t at;
};

struct stats_module {
	struct plan *plans; /* of the epoch */
	struct plan *plan;  /* of the thread */
	uint32_t thread;    /* of the last record */
	uint64_t *values;
	uint64_t most;
	uint64_t now;	/* the next cycle to come */
	uint64_t start; /* of the interval */
	uint64_t timer; /* the cycle in which it is 0 */
	uint64_t next;	/* the next cycle with something to do: the timer's, or that of a change */
	uint64_t number, epoch_start;
	uint32_t epoch;
	bool has_ended;
	struct change *changes;
	size_t change_count, change_capacity;
	stats_sink *sink;
	stats_poll *poll;
	void *context;
};

/* The threads that are named, each once, as far as there is room; returns how many there are. */
static size_t threads_of(const struct stats_settings *s, uint32_t threads[STATS_THREADS_MOST])
{
	size_t count = 0;

	for (size_t i = 0; i < s->counter_count && count <= STATS_THREADS_MOST; i++) {
		const uint32_t thread = s->counters[i].thread;
		size_t k = 0;

		while (thread && k < count && k < STATS_THREADS_MOST && threads[k] != thread)
			k++;
		if (!thread || k < count)
			continue;
		if (count < STATS_THREADS_MOST)
			threads[count] = thread;
		count++;
	}
	return count;
}

bool stats_settings_check(const struct stats_settings *s, struct err *err)
{
	uint32_t threads[STATS_THREADS_MOST];

	if (!s->period_cycles)
		return err_set(err,
			       "a period of 0 cycles would never end: the timer counts 1 to %u",
			       UINT32_MAX);
	if (!s->width_bits || s->width_bits > STATS_WIDTH_MOST)
		return err_set(err, "counters have 1 to %d bits, not %u", STATS_WIDTH_MOST,
			       s->width_bits);
	if (s->counter_count > STATS_COUNTERS_MOST || s->range_count > STATS_RANGES_MOST)
		return err_set(err, "there are at most %d counters and %d ranges",
			       STATS_COUNTERS_MOST, STATS_RANGES_MOST);
	for (size_t i = 0; i < s->range_count; i++)
		if (s->ranges[i].low > s->ranges[i].high)
			return err_set(err, "the range 0x%llx-0x%llx ends before it begins",
				       (unsigned long long)s->ranges[i].low,
				       (unsigned long long)s->ranges[i].high);
	for (size_t i = 0; i < s->counter_count; i++)
		if (s->counters[i].range != STATS_ALWAYS && s->counters[i].range >= s->range_count)
			return err_set(err, "counter %zu selects range %u, but there are %zu", i,
				       s->counters[i].range, s->range_count);
	if (threads_of(s, threads) > STATS_THREADS_MOST)
		return err_set(err, "pairs may name at most %d threads", STATS_THREADS_MOST);
	return true;
}

/* Whether the counter needs no pc: a signal over the state of a cycle, in all code. */
static bool is_plain(const struct stats_selection *counter)
{
	return counter->range == STATS_ALWAYS && counter->signal->value;
}

uint32_t stats_events(const struct stats_settings *settings)
{
	uint32_t events = 0;

	for (size_t i = 0; i < settings->counter_count; i++)
		if (!is_plain(&settings->counters[i]))
			events |= settings->counters[i].signal->events;
	return events;
}

static int compare_starts(const void *left, const void *right)
{
	const struct segment *a = left, *b = right;

	return a->low < b->low ? -1 : a->low > b->low;
}

/* Divides all addresses where a range begins or ends. */
static void make_segments(struct plan *plan)
{
	size_t count = 0, kept = 0;

	plan->segments =
		mem_alloc_array(2 * plan->settings.range_count + 1, sizeof(struct segment));
	plan->segments[count++].low = 0;
	for (size_t i = 0; i < plan->settings.range_count; i++) {
		plan->segments[count++].low = plan->ranges[i].low;
		if (plan->ranges[i].high != UINT64_MAX)
			plan->segments[count++].low = plan->ranges[i].high + 1;
	}
	qsort(plan->segments, count, sizeof(struct segment), compare_starts);
	for (size_t i = 1; i < count; i++)
		if (plan->segments[i].low != plan->segments[kept].low)
			plan->segments[++kept] = plan->segments[i];
	plan->segment_count = kept + 1;
	for (size_t i = 0; i < kept; i++)
		plan->segments[i].high = plan->segments[i + 1].low - 1;
	plan->segments[kept].high = UINT64_MAX;
}

/* Whether the counter counts in the plan's thread. */
static bool is_of(const struct plan *plan, const struct stats_selection *counter)
{
	return !counter->thread || counter->thread == plan->thread;
}

static bool is_in(const struct plan *plan, const struct stats_selection *counter,
		  const struct segment *segment)
{
	if (counter->range == STATS_ALWAYS)
		return true;
	const struct stats_range *range = &plan->ranges[counter->range];
	return range->low <= segment->low && segment->high <= range->high;
}

static bool is_on(const struct signal_row *signal, unsigned list)
{
	if (signal->owner == SIGNAL_OF_EVENT)
		return list < EVENT_KINDS && signal->events & EVENT_BIT(list);
	return list == (signal->owner == SIGNAL_OF_OLDEST ? LIST_OLDEST : LIST_FETCH);
}

static void add_entry(struct plan *plan, uint32_t counter)
{
	*ARRAY_PUSH(plan->entries, plan->entry_count, plan->entry_capacity) =
		(struct entry){plan->counters[counter].signal, counter};
}

static bool is_unit(const struct signal_row *signal, unsigned list)
{
	return list < EVENT_KINDS ? unit_of_events(signal, list) : unit_of_cycles(signal);
}

static void add_entries(struct plan *plan, const struct segment *segment, unsigned list,
			bool are_units)
{
	for (uint32_t i = 0; i < plan->settings.counter_count; i++) {
		const struct stats_selection *counter = &plan->counters[i];

		if (is_of(plan, counter) && !is_plain(counter) && is_on(counter->signal, list) &&
		    is_in(plan, counter, segment) && is_unit(counter->signal, list) == are_units)
			add_entry(plan, i);
	}
}

static void fill_lists(struct plan *plan, struct segment *segment)
{
	for (unsigned i = 0; i < LIST_COUNT; i++) {
		struct list *list = &segment->lists[i];

		list->first = (uint32_t)plan->entry_count;
		add_entries(plan, segment, i, true);
		list->asked = (uint32_t)plan->entry_count;
		add_entries(plan, segment, i, false);
		list->end = (uint32_t)plan->entry_count;
		if (list->first == list->end)
			continue;
		if (i < EVENT_KINDS)
			plan->events |= EVENT_BIT(i);
		plan->has_oldest |= i == LIST_OLDEST;
		plan->has_fetch |= i == LIST_FETCH;
	}
}

/* A run of the segment begins. */
static void begin_run(struct plan *plan, unsigned list, const struct segment *segment)
{
	plan->runs[list] = (struct run){.low = segment->low,
					.span = segment->high - segment->low,
					.list = segment->lists[list]};
}

static struct plan *plan_create_for(const struct stats_settings *settings, uint32_t thread)
{
	struct plan *plan = mem_alloc(sizeof(*plan));

	plan->thread = thread;
	plan->settings = *settings;
	plan->ranges = mem_alloc_array(settings->range_count + 1, sizeof(*plan->ranges));
	plan->counters = mem_alloc_array(settings->counter_count + 1, sizeof(*plan->counters));
	for (size_t i = 0; i < settings->range_count; i++)
		plan->ranges[i] = settings->ranges[i];
	for (size_t i = 0; i < settings->counter_count; i++)
		plan->counters[i] = settings->counters[i];
	make_segments(plan);
	for (uint32_t i = 0; i < settings->counter_count; i++)
		if (is_plain(&plan->counters[i]) && is_of(plan, &plan->counters[i]))
			add_entry(plan, i);
	plan->always_count = (uint32_t)plan->entry_count;
	for (size_t i = 0; i < plan->segment_count; i++)
		fill_lists(plan, &plan->segments[i]);
	for (unsigned list = 0; list < LIST_COUNT; list++)
		begin_run(plan, list, &plan->segments[0]);
	for (size_t i = 0; i < settings->counter_count; i++)
		if (!is_plain(&plan->counters[i]) && is_of(plan, &plan->counters[i]))
			unit_filter_add(&plan->filter, plan->counters[i].signal);
	return plan;
}

static struct plan *plans_create(const struct stats_settings *settings)
{
	uint32_t threads[STATS_THREADS_MOST];
	size_t count = threads_of(settings, threads);
	struct plan *plans = plan_create_for(settings, 0);

	BUG_ON(count > STATS_THREADS_MOST);
	for (size_t i = 0; i < count; i++) {
		struct plan *plan = plan_create_for(settings, threads[i]);

		plan->next = plans->next;
		plans->next = plan;
	}
	return plans;
}

static void plans_destroy(struct plan *plans)
{
	while (plans) {
		struct plan *next = plans->next;

		free(plans->ranges);
		free(plans->counters);
		free(plans->segments);
		free(plans->entries);
		free(plans);
		plans = next;
	}
}

/* Goes on with the plan of the thread. */
static void choose_plan(struct stats_module *m)
{
	m->plan = m->plans;
	for (struct plan *plan = m->plans->next; plan; plan = plan->next)
		if (plan->thread == m->thread)
			m->plan = plan;
}

static void begin_epoch(struct stats_module *m, struct plan *plan)
{
	plans_destroy(m->plans);
	m->plans = plan;
	choose_plan(m);
	free(m->values);
	m->values = mem_alloc_array(plan->settings.counter_count + 1, sizeof(*m->values));
	m->most = (UINT64_C(1) << plan->settings.width_bits) - 1;
	m->start = m->epoch_start = m->now;
	m->number = 0;
	m->timer = m->now + plan->settings.period_cycles;
}

static void set_next(struct stats_module *m)
{
	m->next = m->timer;
	if (m->change_count && m->changes[0].at < m->next)
		m->next = m->changes[0].at;
}

struct stats_module *stats_create(const struct stats_settings *settings, stats_sink *sink,
				  stats_poll *poll, void *context)
{
	struct stats_module *m = mem_alloc(sizeof(*m));

	m->sink = sink;
	m->poll = poll;
	m->context = context;
	begin_epoch(m, plans_create(settings));
	set_next(m);
	return m;
}

void stats_destroy(struct stats_module *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->change_count; i++)
		plans_destroy(m->changes[i].plan);
	plans_destroy(m->plans);
	free(m->changes);
	free(m->values);
	free(m);
}

void stats_change(struct stats_module *m, const struct stats_settings *settings, uint64_t at)
{
	uint64_t least = m->change_count ? m->changes[m->change_count - 1].at : m->now;

	/* In a poll `now` is the end of the interval. */
	if (!at || at < m->now)
		at = m->next;
	if (at < least)
		at = least;
	*ARRAY_PUSH(m->changes, m->change_count, m->change_capacity) =
		(struct change){plans_create(settings), at};
	set_next(m);
}

uint64_t stats_epoch_start(const struct stats_module *m)
{
	return m->epoch_start;
}

uint32_t stats_epoch(const struct stats_module *m)
{
	return m->epoch;
}

static inline void add(struct stats_module *m, uint32_t counter, uint64_t amount)
{
	uint64_t room = m->most - m->values[counter];

	m->values[counter] += amount < room ? amount : room;
}

/* Brings the counters of the run up to date. */
static void settle_run(struct stats_module *m, struct run *run)
{
	for (uint32_t i = run->list.first; i < run->list.asked; i++)
		add(m, m->plan->entries[i].counter, run->pending);
	run->pending = 0;
}

static void settle_runs(struct stats_module *m)
{
	for (unsigned list = 0; list < LIST_COUNT; list++)
		settle_run(m, &m->plan->runs[list]);
}

static void change_thread(struct stats_module *m, uint32_t thread)
{
	settle_runs(m);
	m->thread = thread;
	choose_plan(m);
}

static void dispatch(struct stats_module *m, uint64_t dispatched, bool is_last, bool is_final)
{
	const struct stats_interval interval = {
		.start = m->start,
		.cycles = m->now - m->start,
		.dispatched = dispatched,
		.number = m->number,
		.epoch = m->epoch,
		.is_last_of_epoch = is_last,
		.is_final = is_final,
		.count = m->plan->settings.counter_count,
		.values = m->values,
		.most = m->most,
	};

	settle_runs(m);
	m->sink(m->context, &interval);
	memset(m->values, 0, m->plan->settings.counter_count * sizeof(*m->values));
	m->number++;
	m->start = m->now;
}

/* The next cycle is one in which the timer is 0 or settings change. */
static void reach(struct stats_module *m)
{
	if (m->poll && m->timer <= m->now)
		m->poll(m->context);
	bool is_due = m->change_count && m->changes[0].at <= m->now;

	/* An interval of no cycles has just been handed out at the same place. */
	if (m->now > m->start)
		dispatch(m, m->now, is_due, false);
	if (m->timer <= m->now)
		m->timer = m->now + m->plan->settings.period_cycles;
	if (is_due) {
		begin_epoch(m, m->changes[0].plan);
		m->epoch++;
		m->change_count--;
		memmove(m->changes, m->changes + 1, m->change_count * sizeof(*m->changes));
	}
	set_next(m);
}

/* Goes on in the segment of another pc. The search has no branch to predict: calls and returns
 * come here in no order that repeats. */
static void change_segment(struct stats_module *m, unsigned list, uint64_t pc)
{
	struct plan *plan = m->plan;
	size_t low = 0;

	settle_run(m, &plan->runs[list]);
	for (size_t left = plan->segment_count; left > 1; left -= left / 2)
		low += plan->segments[low + left / 2].low <= pc ? left / 2 : 0;
	begin_run(plan, list, &plan->segments[low]);
}

static inline struct run *run_at(struct stats_module *m, unsigned list, uint64_t pc)
{
	struct run *run = &m->plan->runs[list];

	if (UNLIKELY(pc - run->low > run->span))
		change_segment(m, list, pc);
	return run;
}

static void add_state(struct stats_module *m, unsigned list, uint64_t pc, const struct cycle *c,
		      uint64_t cycles)
{
	struct run *run = run_at(m, list, pc);

	run->pending += cycles;
	for (uint32_t i = run->list.asked; i < run->list.end; i++) {
		const struct entry *entry = &m->plan->entries[i];

		add(m, entry->counter, entry->signal->value(c) * cycles);
	}
}

static void add_events(struct stats_module *m, const struct cycle *c)
{
	for (uint32_t k = 0; k < c->event_count; k++) {
		const struct cycle_event *e = &c->events[k];

		if (unit_filter_drops(&m->plan->filter, e))
			continue;
		struct run *run = run_at(m, e->kind, e->pc);
		run->pending++;
		for (uint32_t i = run->list.asked; i < run->list.end; i++) {
			const struct entry *entry = &m->plan->entries[i];

			add(m, entry->counter, entry->signal->amount(e));
		}
	}
}

/* Counts so many of the record's cycles. */
static void count_cycles(struct stats_module *m, const struct cycle *c, uint64_t cycles)
{
	const struct plan *plan = m->plan;

	for (uint32_t i = 0; i < plan->always_count; i++)
		add(m, plan->entries[i].counter, plan->entries[i].signal->value(c) * cycles);
	if (plan->has_oldest)
		add_state(m, LIST_OLDEST, c->head_pc ? c->head_pc : c->fetch_pc, c, cycles);
	if (plan->has_fetch)
		add_state(m, LIST_FETCH, c->fetch_pc, c, cycles);
	m->now += cycles;
}

void stats_cycle(void *module, const struct cycle *c)
{
	struct stats_module *m = module;
	uint64_t left = c->repeat;

	if (m->has_ended)
		return;
	if (UNLIKELY(c->thread != m->thread))
		change_thread(m, c->thread);
	while (m->now + left > m->next) {
		uint64_t part = m->next - m->now;

		if (part)
			count_cycles(m, c, part);
		left -= part;
		reach(m);
	}
	/* A record with events is one cycle: if the timer is 0 in it, they remain. */
	if (c->event_kinds & m->plan->events)
		add_events(m, c);
	count_cycles(m, c, left);
}

void stats_end(struct stats_module *m)
{
	if (m->has_ended)
		return;
	/* The program's last cycle was now - 1, and the timer runs on without it. */
	dispatch(m, m->timer, true, true);
	m->has_ended = true;
}

static unsigned bits_for(size_t values)
{
	unsigned bits = 0;

	while (bits < 64 && (UINT64_C(1) << bits) < values)
		bits++;
	return bits;
}

uint64_t stats_bits(size_t signals, size_t ranges, size_t counters, unsigned width_bits)
{
	/* Ranges are selected together with "always". */
	return 2 * TIMER_BITS + ranges * 2 * PC_BITS +
	       counters * (width_bits + bits_for(signals) + bits_for(ranges + 1));
}

uint64_t stats_compared_bits(size_t ranges, size_t ports)
{
	return ports * ranges * 2 * PC_BITS;
}

uint64_t stats_naive_bits(size_t signals, size_t ranges, unsigned width_bits)
{
	return 2 * TIMER_BITS + ranges * 2 * PC_BITS + signals * ranges * width_bits;
}

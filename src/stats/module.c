#include "stats/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "stats/unit.h"

/* A pc belongs to the segment that it lies in; in a segment every range holds or does not. Each
 * segment has a list of counters for every kind of event, and one each for the states of the oldest
 * and of the fetched instruction, so that a record costs only the counters that it can change.
 *
 * Code stays in a function for a while: consecutive events of one kind in one segment are a run.
 * Counters that add 1 for each of them (stats/unit.h) come first in a list and are not touched
 * before the run ends; only the others are asked event by event. With 64 counters in 16 ranges an
 * event costs two comparisons and an increment where every counter of it adds 1. Instructions that
 * commit, if each adds 1, are no events: of each its pc alone is looked at. */
enum { LIST_OLDEST = EVENT_KINDS, LIST_FETCH, LIST_COMMITTED, LIST_COUNT };

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

#define RECENT 256

/* The segment of a pc. */
struct recent {
	uint64_t pc;
	uint32_t segment;
	bool is_set;
};

/* A selection may name a thread: there is a plan for each thread named, with the counters of that
 * thread and of all, and before them one for every other thread. The settings are those of all. */
struct plan {
	struct plan *next; /* of the same settings; NULL for the last */
	uint32_t thread;   /* 0: any that the others are not of */
	struct stats_settings settings;
	struct stats_range *ranges;
	struct stats_selection *counters;
	bool *of_commits; /* by counter: whether every instruction that commits adds 1 */
	struct segment *segments;
	size_t segment_count;
	struct entry *entries; /* those of `always` first */
	size_t entry_count, entry_capacity;
	uint32_t always_count; /* counters of a value in every cycle, whatever the pc */
	struct run runs[LIST_COUNT];
	struct recent recent[RECENT];
	uint32_t events; /* kinds that have a counter */
	bool has_oldest, has_fetch, has_committed;
	bool is_simple;		   /* of the states of cycles no counter must be asked */
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

/* Lists the threads that are named, each once, as far as there is room, and returns how many there
 * are. */
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

/* Whether the counter needs no pc: a signal over the state of a cycle, in all code. */
static bool is_plain(const struct stats_selection *counter)
{
	return counter->range == STATS_ALWAYS && counter->signal->value;
}

static int compare_starts(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Where segments begin: at 0, and where a range begins or ends; ascending, each once. To be
 * freed. */
static uint64_t *segment_starts(const struct stats_range *ranges, size_t range_count, size_t *count)
{
	uint64_t *starts = mem_alloc_array(2 * range_count + 1, sizeof(*starts));
	size_t all = 1, kept = 0;

	for (size_t i = 0; i < range_count; i++) {
		starts[all++] = ranges[i].low;
		if (ranges[i].high != UINT64_MAX)
			starts[all++] = ranges[i].high + 1;
	}
	qsort(starts, all, sizeof(*starts), compare_starts);
	for (size_t i = 1; i < all; i++)
		if (starts[i] != starts[kept])
			starts[++kept] = starts[i];
	*count = kept + 1;
	return starts;
}

/* The number of the segment that a pc lies in. The search has no branch to predict: calls and
 * returns come here in no order that repeats. */
static inline size_t segment_at(const struct segment *segments, size_t count, uint64_t pc)
{
	size_t low = 0;

	for (size_t left = count; left > 1; left -= left / 2)
		low += segments[low + left / 2].low <= pc ? left / 2 : 0;
	return low;
}

/* The same for a place of code that was asked for lately: calls and returns lead to few. */
static inline size_t recent_segment_at(struct plan *plan, uint64_t pc)
{
	struct recent *recent = &plan->recent[pc / 2 % RECENT];

	if (UNLIKELY(recent->pc != pc || !recent->is_set))
		*recent = (struct recent){
			pc, (uint32_t)segment_at(plan->segments, plan->segment_count, pc), true};
	return recent->segment;
}

static size_t start_at(const uint64_t *starts, size_t count, uint64_t pc)
{
	size_t low = 0;

	for (size_t left = count; left > 1; left -= left / 2)
		low += starts[low + left / 2] <= pc ? left / 2 : 0;
	return low;
}

/* How often a counter is in a segment, of all threads: what the lists take. */
static uint64_t count_listed(const struct stats_settings *s, size_t threads)
{
	uint64_t listed = 0;
	size_t count;
	uint64_t *starts = segment_starts(s->ranges, s->range_count, &count);

	for (size_t i = 0; i < s->counter_count; i++) {
		const struct stats_selection *c = &s->counters[i];
		const struct stats_range *range =
			c->range == STATS_ALWAYS ? NULL : &s->ranges[c->range];
		size_t segments = range ? start_at(starts, count, range->high) + 1 -
						  start_at(starts, count, range->low)
					: count;

		listed += is_plain(c) ? 0 : segments * (c->thread ? 1 : threads + 1);
	}
	free(starts);
	return listed;
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
	const size_t thread_count = threads_of(s, threads);
	if (thread_count > STATS_THREADS_MOST)
		return err_set(err, "pairs may name at most %d threads", STATS_THREADS_MOST);
	return count_listed(s, thread_count) <= STATS_LISTED_MOST ||
	       err_set(err, "these ranges overlap too much for so many counters and threads: ask "
			    "for less");
}

uint32_t stats_events(const struct stats_settings *settings)
{
	uint32_t events = 0;

	for (size_t i = 0; i < settings->counter_count; i++)
		if (!is_plain(&settings->counters[i]))
			events |= settings->counters[i].signal->events;
	return events;
}

void stats_add_wants(struct stats_wants *wants, const struct stats_settings *settings)
{
	struct unit_filter filter = {0};
	bool *is_done = mem_alloc_array(signal_count(), 1);

	for (size_t i = 0; i < settings->counter_count; i++) {
		const struct signal_row *signal = settings->counters[i].signal;

		if (is_plain(&settings->counters[i]) || is_done[signal - signal_rows])
			continue;
		is_done[signal - signal_rows] = true;
		if (signal->owner == SIGNAL_OF_EVENT && unit_of_commits(signal)) {
			wants->events |= EVENTS_COMMITTED;
			continue;
		}
		wants->events |= signal->events;
		if (signal->owner == SIGNAL_OF_EVENT)
			wants->needs.commits |= unit_needs_commits(signal);
		unit_filter_add(&filter, signal);
	}
	for (unsigned kind = 0; kind < ACCESS_COUNT; kind++)
		for (size_t i = 0; i < MEMORY_EVENT_COUNT; i++)
			wants->needs.accesses[i] |= filter.counts[kind][i];
	free(is_done);
}

/* Divides all addresses where a range begins or ends. */
static void make_segments(struct plan *plan)
{
	uint64_t *starts =
		segment_starts(plan->ranges, plan->settings.range_count, &plan->segment_count);

	plan->segments = mem_alloc_array(plan->segment_count, sizeof(struct segment));
	for (size_t i = 0; i < plan->segment_count; i++) {
		plan->segments[i].low = starts[i];
		plan->segments[i].high =
			i + 1 < plan->segment_count ? starts[i + 1] - 1 : UINT64_MAX;
	}
	free(starts);
}

/* Whether the counter counts in the plan's thread. */
static bool is_of(const struct plan *plan, const struct stats_selection *counter)
{
	return !counter->thread || counter->thread == plan->thread;
}

static bool is_on(const struct plan *plan, uint32_t counter, unsigned list)
{
	const struct signal_row *signal = plan->counters[counter].signal;

	if (plan->of_commits[counter])
		return list == LIST_COMMITTED;
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
	return list < EVENT_KINDS	? unit_of_events(signal, list)
	       : list == LIST_COMMITTED ? true
					: unit_of_cycles(signal);
}

/* The counters of a segment, in the order of their numbers. */
struct inside {
	const uint32_t *counters;
	size_t count;
};

static void add_entries(struct plan *plan, struct inside inside, unsigned list, bool are_units)
{
	for (size_t i = 0; i < inside.count; i++) {
		const struct stats_selection *counter = &plan->counters[inside.counters[i]];

		if (is_on(plan, inside.counters[i], list) &&
		    is_unit(counter->signal, list) == are_units)
			add_entry(plan, inside.counters[i]);
	}
}

static void fill_lists(struct plan *plan, struct segment *segment, struct inside inside)
{
	for (unsigned i = 0; i < LIST_COUNT; i++) {
		struct list *list = &segment->lists[i];

		list->first = (uint32_t)plan->entry_count;
		add_entries(plan, inside, i, true);
		list->asked = (uint32_t)plan->entry_count;
		add_entries(plan, inside, i, false);
		list->end = (uint32_t)plan->entry_count;
		if (list->first == list->end)
			continue;
		if (i < EVENT_KINDS)
			plan->events |= EVENT_BIT(i);
		plan->has_oldest |= i == LIST_OLDEST;
		plan->has_fetch |= i == LIST_FETCH;
		plan->has_committed |= i == LIST_COMMITTED;
		plan->is_simple &=
			i != LIST_FETCH && (i != LIST_OLDEST || list->asked == list->end);
	}
}

/* The segments that the counter's range consists of: from *first on, how many. */
static size_t segments_of(const struct plan *plan, const struct stats_selection *counter,
			  size_t *first)
{
	*first = 0;
	if (counter->range == STATS_ALWAYS)
		return plan->segment_count;
	const struct stats_range *range = &plan->ranges[counter->range];
	*first = segment_at(plan->segments, plan->segment_count, range->low);
	return segment_at(plan->segments, plan->segment_count, range->high) + 1 - *first;
}

/* Whether the counter is in lists of the plan. */
static bool is_listed(const struct plan *plan, const struct stats_selection *counter)
{
	return is_of(plan, counter) && !is_plain(counter);
}

/* Lists the counters of each segment first, so that the work is that of what is in them. */
static void fill_segments(struct plan *plan)
{
	size_t *ends = mem_alloc_array(plan->segment_count + 1, sizeof(*ends)), first;
	uint32_t *inside;

	for (size_t i = 0; i < plan->settings.counter_count; i++)
		if (is_listed(plan, &plan->counters[i]))
			for (size_t n = segments_of(plan, &plan->counters[i], &first); n--;)
				ends[first + n + 1]++;
	for (size_t i = 0; i < plan->segment_count; i++)
		ends[i + 1] += ends[i];
	inside = mem_alloc_array(ends[plan->segment_count] + 1, sizeof(*inside));
	for (uint32_t i = 0; i < plan->settings.counter_count; i++)
		if (is_listed(plan, &plan->counters[i]))
			for (size_t n = segments_of(plan, &plan->counters[i], &first); n--;)
				inside[ends[first + n]++] = i;
	for (size_t i = 0, begin = 0; i < plan->segment_count; begin = ends[i++])
		fill_lists(plan, &plan->segments[i],
			   (struct inside){inside + begin, ends[i] - begin});
	free(inside);
	free(ends);
}

/* A run of the segment begins. */
static void begin_run(struct plan *plan, unsigned list, const struct segment *segment)
{
	plan->runs[list] = (struct run){.low = segment->low,
					.span = segment->high - segment->low,
					.list = segment->lists[list]};
}

/* Of many counters few have signals of their own, each of which is tried once. */
static void find_commits(struct plan *plan)
{
	enum { UNKNOWN, OTHER, OF_COMMITS };
	uint8_t *known = mem_alloc_array(signal_count(), 1);

	plan->of_commits = mem_alloc_array(plan->settings.counter_count + 1, 1);
	for (size_t i = 0; i < plan->settings.counter_count; i++) {
		const struct signal_row *signal = plan->counters[i].signal;
		uint8_t *is_known = &known[signal - signal_rows];

		if (*is_known == UNKNOWN)
			*is_known = signal->owner == SIGNAL_OF_EVENT && unit_of_commits(signal)
					    ? OF_COMMITS
					    : OTHER;
		plan->of_commits[i] = *is_known == OF_COMMITS;
	}
	free(known);
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
	find_commits(plan);
	make_segments(plan);
	for (uint32_t i = 0; i < settings->counter_count; i++)
		if (is_plain(&plan->counters[i]) && is_of(plan, &plan->counters[i]))
			add_entry(plan, i);
	plan->always_count = (uint32_t)plan->entry_count;
	plan->is_simple = !plan->always_count;
	fill_segments(plan);
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
		free(plans->of_commits);
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

uint32_t stats_change(struct stats_module *m, const struct stats_settings *settings, uint64_t at)
{
	size_t place = m->change_count;

	/* In a poll `now` is the end of the interval. */
	if (!at || at < m->now)
		at = m->next;
	ARRAY_PUSH(m->changes, m->change_count, m->change_capacity);
	for (; place && m->changes[place - 1].at > at; place--)
		m->changes[place] = m->changes[place - 1];
	m->changes[place] = (struct change){plans_create(settings), at};
	set_next(m);
	return m->epoch + 1 + (uint32_t)place;
}

size_t stats_waiting(const struct stats_module *m)
{
	return m->change_count;
}

uint64_t stats_last_change(const struct stats_module *m)
{
	return m->change_count ? m->changes[m->change_count - 1].at : 0;
}

void stats_drop_last_change(struct stats_module *m)
{
	BUG_ON(!m->change_count);
	plans_destroy(m->changes[--m->change_count].plan);
	set_next(m);
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
	for (uint32_t i = run->list.first; run->pending && i < run->list.asked; i++)
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

/* Goes on in the segment of another pc. */
static void change_segment(struct stats_module *m, unsigned list, uint64_t pc)
{
	struct plan *plan = m->plan;

	settle_run(m, &plan->runs[list]);
	begin_run(plan, list, &plan->segments[recent_segment_at(plan, pc)]);
}

static inline struct run *run_at(struct stats_module *m, unsigned list, uint64_t pc)
{
	struct run *run = &m->plan->runs[list];

	if (UNLIKELY(pc - run->low > run->span))
		change_segment(m, list, pc);
	return run;
}

static inline void add_state(struct stats_module *m, unsigned list, uint64_t pc,
			     const struct cycle *c, uint64_t cycles)
{
	struct run *run = run_at(m, list, pc);

	run->pending += cycles;
	for (uint32_t i = run->list.asked; i < run->list.end; i++) {
		const struct entry *entry = &m->plan->entries[i];

		add(m, entry->counter, entry->signal->value(c) * cycles);
	}
}

static void add_committed(struct stats_module *m, const struct cycle *c)
{
	for (unsigned i = 0; i < c->committed; i++)
		run_at(m, LIST_COMMITTED, c->committed_pcs[i])->pending++;
}

/* Of records that do not list what commits. */
static void add_commits(struct stats_module *m, const struct cycle *c)
{
	for (uint32_t k = 0; k < c->event_count; k++)
		if (EVENT_BIT(c->events[k].kind) & EVENTS_OF_COMMIT)
			run_at(m, LIST_COMMITTED, c->events[k].pc)->pending++;
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

/* Counts `cycles` of the record's cycles. */
static inline void count_cycles(struct stats_module *m, const struct cycle *c, uint64_t cycles)
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

static void count_record(struct stats_module *m, const struct cycle *c)
{
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
	if (m->plan->has_committed && c->committed_pcs)
		add_committed(m, c);
	else if (m->plan->has_committed && c->event_kinds & EVENTS_OF_COMMIT)
		add_commits(m, c);
	count_cycles(m, c, left);
}

/* Counts what a record has besides its events, if all of that is in the runs under way; returns
 * whether it is. */
static inline bool count_in_runs(struct stats_module *m, const struct cycle *c)
{
	struct plan *plan = m->plan;
	struct run *committed = &plan->runs[LIST_COMMITTED], *oldest = &plan->runs[LIST_OLDEST];
	const uint64_t pc = c->head_pc ? c->head_pc : c->fetch_pc, repeat = c->repeat;
	const uint64_t low = committed->low, span = committed->span;
	unsigned outside = pc - oldest->low > oldest->span;

	for (unsigned i = 0; i < c->committed; i++)
		outside |= c->committed_pcs[i] - low > span;
	if (outside)
		return false;
	committed->pending += c->committed;
	oldest->pending += repeat;
	m->now += repeat;
	return true;
}

/* Most records are counted in runs: with 64 counters on chess that took half of what stats_cycle
 * added to the time of the core. */
void stats_cycle(void *module, const struct cycle *c)
{
	struct stats_module *m = module;

	if (UNLIKELY(!m->plan->is_simple || m->now + c->repeat > m->next ||
		     c->thread != m->thread || !c->committed_pcs || m->has_ended)) {
		count_record(m, c);
		return;
	}
	if (c->event_kinds & m->plan->events)
		add_events(m, c);
	if (LIKELY(count_in_runs(m, c)))
		return;
	add_committed(m, c);
	count_cycles(m, c, c->repeat);
}

void stats_end(struct stats_module *m)
{
	if (m->has_ended)
		return;
	/* The program's last cycle was now - 1, and the timer runs on without it. */
	dispatch(m, m->timer, true, true);
	m->has_ended = true;
}

#include "count/interval_plot.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/array.h"
#include "count/count.h"

/* The length of a view, and the part of it that must have no other event. In the views of long
 * misses the memory latency is added to the cycles after the event. */
#define BEFORE_CYCLES	    30
#define AFTER_CYCLES	    60
#define AFTER_DATA_CYCLES   70
#define QUIET_BEFORE	    15
#define QUIET_AFTER	    30
#define OVERLAP_CYCLES	    100 /* the other misses begin within this many cycles */
#define STRETCH_CYCLES	    560
#define STRETCH_EVENTS_MOST 12

struct view_store {
	unsigned before, after;
	uint64_t found, first_cycle;
	struct interval_sample *example;
	struct interval_sum *sums;
};

struct interval_plot {
	uint64_t warm_up, pushed;
	unsigned memory_cycles;
	unsigned fetch_long, data_long; /* bits of an event's detail that mark a long miss */
	enum component last_level;
	uint32_t rob_size;
	struct interval_sample *ring;
	uint64_t ring_size; /* a power of two, longer than any view */
	struct view_store views[INTERVAL_KINDS];
};

static const char *const names[] = {
	[INTERVAL_STRETCH] = "stretch", [INTERVAL_L1I] = "l1i",
	[INTERVAL_BRANCH] = "branch",	[INTERVAL_LONG] = "long",
	[INTERVAL_OVERLAP] = "overlap",
};

/* The marks with which a clean event begins. */
static const uint16_t begins[] = {
	[INTERVAL_STRETCH] = INTERVAL_EVENTS,	 [INTERVAL_L1I] = INTERVAL_FETCH_MISS,
	[INTERVAL_BRANCH] = INTERVAL_DISPATCH,	 [INTERVAL_LONG] = INTERVAL_LOAD_MISS,
	[INTERVAL_OVERLAP] = INTERVAL_LOAD_MISS,
};

const char *interval_kind_name(enum interval_kind kind)
{
	return names[kind];
}

struct interval_plot *interval_plot_create(const struct config *config, uint64_t warm_up_cycles)
{
	struct interval_plot *plot = mem_alloc(sizeof(*plot));
	unsigned longest = 0;

	plot->warm_up = warm_up_cycles;
	plot->memory_cycles = config->memory_latency;
	plot->fetch_long = FETCH_MISS_TLB | FETCH_MISS_L2 | FETCH_MISS_L3;
	plot->data_long = DATA_MISS_L1 << (config->cache_levels - 1);
	plot->last_level = component_long(config->cache_levels);
	plot->rob_size = config->rob_size;
	for (unsigned i = 0; i < INTERVAL_KINDS; i++) {
		struct view_store *view = &plot->views[i];

		view->before = BEFORE_CYCLES;
		view->after = i == INTERVAL_STRETCH ? STRETCH_CYCLES
			      : i == INTERVAL_L1I || i == INTERVAL_BRANCH
				      ? AFTER_CYCLES
				      : plot->memory_cycles + AFTER_DATA_CYCLES;
		view->example =
			mem_alloc_array(view->before + view->after + 1, sizeof(*view->example));
		view->sums = mem_alloc_array(view->before + view->after + 1, sizeof(*view->sums));
		if (view->before + view->after > longest)
			longest = view->before + view->after;
	}
	for (plot->ring_size = 1; plot->ring_size <= longest;)
		plot->ring_size *= 2;
	plot->ring = mem_alloc_array(plot->ring_size, sizeof(*plot->ring));
	return plot;
}

void interval_plot_destroy(struct interval_plot *plot)
{
	if (!plot)
		return;
	for (unsigned i = 0; i < INTERVAL_KINDS; i++) {
		free(plot->views[i].example);
		free(plot->views[i].sums);
	}
	free(plot->ring);
	free(plot);
}

static const struct interval_sample *at(const struct interval_plot *plot, uint64_t n)
{
	return &plot->ring[n & (plot->ring_size - 1)];
}

/* All marks of the cycles [from, to]. */
static unsigned marks_of(const struct interval_plot *plot, uint64_t from, uint64_t to)
{
	unsigned marks = 0;

	for (uint64_t n = from; n <= to; n++)
		marks |= at(plot, n)->marks;
	return marks;
}

/* All marks of the cycles around `zero`, without those of `zero` itself. */
static unsigned marks_around(const struct interval_plot *plot, uint64_t zero, unsigned before,
			     unsigned after)
{
	return marks_of(plot, zero - before, zero - 1) | marks_of(plot, zero + 1, zero + after);
}

static bool is_clean_l1i(const struct interval_plot *plot, uint64_t zero)
{
	const unsigned disturbing = INTERVAL_EVENTS | INTERVAL_RESOLVE | INTERVAL_OTHER |
				    INTERVAL_BLOCKED | INTERVAL_FULL;

	if (at(plot, zero)->marks & (disturbing & ~INTERVAL_FETCH_MISS) ||
	    marks_around(plot, zero, QUIET_BEFORE, QUIET_AFTER) & disturbing)
		return false;
	/* A full fetch buffer hides a miss from dispatch. */
	for (uint64_t n = zero + 1; n <= zero + QUIET_AFTER; n++)
		if (!at(plot, n)->dispatched)
			return true;
	return false;
}

static bool is_clean_branch(const struct interval_plot *plot, uint64_t zero)
{
	const unsigned disturbing = INTERVAL_EVENTS | INTERVAL_RESOLVE | INTERVAL_OTHER |
				    INTERVAL_BLOCKED | INTERVAL_FULL;
	uint64_t resolved = zero + 1, last = zero + plot->views[INTERVAL_BRANCH].after;

	if (at(plot, zero)->marks & (disturbing & ~INTERVAL_DISPATCH))
		return false;
	while (resolved < last && !(at(plot, resolved)->marks & INTERVAL_RESOLVE))
		resolved++;
	uint64_t quiet = resolved + QUIET_AFTER / 2;
	return quiet <= last && !(marks_of(plot, zero - QUIET_BEFORE, zero - 1) & disturbing) &&
	       !(marks_of(plot, zero + 1, resolved - 1) & disturbing) &&
	       !(at(plot, resolved)->marks & (disturbing & ~INTERVAL_RESOLVE)) &&
	       !(marks_of(plot, resolved + 1, quiet) & disturbing);
}

/* One long miss, or several of which at least one begins soon after the first; no other event
 * until the data arrives, and a window that becomes full. */
static bool is_clean_long(const struct interval_plot *plot, uint64_t zero, bool overlap)
{
	const unsigned disturbing =
		INTERVAL_FETCH_MISS | INTERVAL_DISPATCH | INTERVAL_RESOLVE | INTERVAL_OTHER;
	const unsigned needed = INTERVAL_BLOCKED | INTERVAL_FULL;
	unsigned ahead = marks_of(plot, zero - BEFORE_CYCLES, zero - 1);
	unsigned soon = marks_of(plot, zero + 1, zero + OVERLAP_CYCLES);
	unsigned later =
		marks_of(plot, zero + OVERLAP_CYCLES + 1, zero + plot->memory_cycles + QUIET_AFTER);
	unsigned during = marks_of(plot, zero, zero + plot->memory_cycles);
	bool is_alone = !(at(plot, zero)->marks & INTERVAL_MORE_LOADS);

	if (overlap != ((soon & INTERVAL_LOAD_MISS) != 0) || (!overlap && !is_alone))
		return false;
	return !(ahead & (INTERVAL_LOAD_MISS | INTERVAL_BLOCKED)) &&
	       !(later & INTERVAL_LOAD_MISS) && !((ahead | during) & disturbing) &&
	       (during & needed) == needed;
}

/* At least one event of every kind in view, few enough to be told apart, busy cycles between
 * them, and no outstanding miss at the end. */
static bool is_clean_stretch(const struct interval_plot *plot, uint64_t zero)
{
	unsigned seen = 0, count = 0, busy = 0;

	if (marks_of(plot, zero - QUIET_BEFORE, zero - 1) & (INTERVAL_EVENTS | INTERVAL_BLOCKED))
		return false;
	for (uint64_t n = zero; n <= zero + STRETCH_CYCLES; n++) {
		unsigned marks = at(plot, n)->marks;

		seen |= marks;
		count += (marks & INTERVAL_EVENTS) != 0;
		busy += at(plot, n)->useful_issued > 0;
	}
	return (seen & INTERVAL_EVENTS) == INTERVAL_EVENTS && seen & INTERVAL_BLOCKED &&
	       !(marks_of(plot, zero + STRETCH_CYCLES - QUIET_AFTER, zero + STRETCH_CYCLES) &
		 INTERVAL_BLOCKED) &&
	       count <= STRETCH_EVENTS_MOST && 5 * busy >= 2 * STRETCH_CYCLES;
}

static bool is_clean(const struct interval_plot *plot, enum interval_kind kind, uint64_t zero)
{
	switch (kind) {
	case INTERVAL_STRETCH: return is_clean_stretch(plot, zero);
	case INTERVAL_L1I: return is_clean_l1i(plot, zero);
	case INTERVAL_BRANCH: return is_clean_branch(plot, zero);
	case INTERVAL_LONG: return is_clean_long(plot, zero, false);
	case INTERVAL_OVERLAP: return is_clean_long(plot, zero, true);
	case INTERVAL_KINDS: break;
	}
	BUG("no such kind of interval");
}

static void take(const struct interval_plot *plot, struct view_store *view, uint64_t zero)
{
	for (unsigned i = 0; i <= view->before + view->after; i++) {
		const struct interval_sample *sample = at(plot, zero - view->before + i);
		struct interval_sum *sum = &view->sums[i];

		if (!view->found)
			view->example[i] = *sample;
		sum->useful_issued += sample->useful_issued;
		sum->dispatched += sample->dispatched;
		sum->useful_dispatched += sample->useful_dispatched;
		sum->committed += sample->committed;
		sum->rob_used += sample->rob_used;
	}
	if (!view->found++)
		view->first_cycle = zero;
}

static void push(struct interval_plot *plot, const struct interval_sample *sample)
{
	uint64_t now = plot->pushed++;

	plot->ring[now & (plot->ring_size - 1)] = *sample;
	for (unsigned i = 0; i < INTERVAL_KINDS; i++) {
		struct view_store *view = &plot->views[i];
		uint64_t zero = now - view->after;

		if (now < plot->warm_up + view->before + view->after ||
		    !(at(plot, zero)->marks & begins[i]) ||
		    !is_clean(plot, (enum interval_kind)i, zero))
			continue;
		take(plot, view, zero);
	}
}

static unsigned mark_of(const struct interval_plot *plot, const struct cycle_event *e)
{
	if (e->wrong_path)
		return 0;
	switch ((enum cycle_event_kind)e->kind) {
	case EVENT_FETCH_MISS:
		return e->detail & plot->fetch_long ? INTERVAL_OTHER
		       : e->detail & FETCH_MISS_L1  ? INTERVAL_FETCH_MISS
						    : 0;
	case EVENT_LOAD_MISS:
		return (e->detail & plot->data_long ? INTERVAL_LOAD_MISS : 0) |
		       (e->detail & DATA_MISS_TLB ? INTERVAL_OTHER : 0);
	case EVENT_BRANCH_DISPATCH: return e->mispredicted ? INTERVAL_DISPATCH : 0;
	case EVENT_MISPREDICT: return INTERVAL_RESOLVE;
	default: return 0;
	}
}

void interval_plot_cycle(void *context, const struct cycle *c)
{
	struct interval_plot *plot = context;
	enum component head = count_head_miss(c);
	struct interval_sample sample = {c->useful_issued,
					 c->dispatched,
					 c->useful_dispatched,
					 c->committed,
					 c->rob_used,
					 0,
					 0};

	for (uint32_t i = 0; i < c->event_count; i++) {
		unsigned mark = mark_of(plot, &c->events[i]);

		if (mark & sample.marks & INTERVAL_LOAD_MISS)
			mark |= INTERVAL_MORE_LOADS;
		if (mark & INTERVAL_EVENTS && !sample.pc)
			sample.pc = c->events[i].pc;
		sample.marks |= (uint16_t)mark;
	}
	if (head == plot->last_level)
		sample.marks |= INTERVAL_BLOCKED;
	else if (head == COMPONENT_DTLB || c->fetch_stall == FETCH_SERIALISE ||
		 c->dispatch_stall == DISPATCH_SERIALISE)
		sample.marks |= INTERVAL_OTHER;
	if (count_is_full(c, plot->rob_size, false))
		sample.marks |= INTERVAL_FULL;

	uint64_t once = c->repeat < plot->ring_size ? c->repeat : plot->ring_size;
	for (uint64_t i = 0; i < once; i++)
		push(plot, &sample);
	/* The whole ring now holds this sample, whatever the first cycle to be read. */
	plot->pushed += c->repeat - once;
}

void interval_plot_read(const struct interval_plot *plot, enum interval_kind kind,
			struct interval_view *view)
{
	const struct view_store *store = &plot->views[kind];

	*view = (struct interval_view){
		.before = store->before,
		.length = store->before + store->after + 1,
		.found = store->found,
		.first_cycle = store->first_cycle,
		.first_pc = store->found ? store->example[store->before].pc : 0,
		.example = store->example,
		.sums = store->sums,
	};
}

static const struct {
	const char *name;
	size_t in_sample, in_sum;
} series[] = {
	{"useful_issued", offsetof(struct interval_sample, useful_issued),
	 offsetof(struct interval_sum, useful_issued)},
	{"dispatched", offsetof(struct interval_sample, dispatched),
	 offsetof(struct interval_sum, dispatched)},
	{"useful_dispatched", offsetof(struct interval_sample, useful_dispatched),
	 offsetof(struct interval_sum, useful_dispatched)},
	{"committed", offsetof(struct interval_sample, committed),
	 offsetof(struct interval_sum, committed)},
	{"rob_used", offsetof(struct interval_sample, rob_used),
	 offsetof(struct interval_sum, rob_used)},
};

static void add_event(json_t *events, int cycle, const char *what)
{
	json_array_append_new(events, json_pack("{s:i, s:s}", "cycle", cycle, "what", what));
}

static json_t *events_of(const struct interval_view *view)
{
	json_t *events = json_array();
	unsigned before = view->example[0].marks;

	for (unsigned i = 0; i < view->length; i++) {
		unsigned marks = view->example[i].marks, begun = marks & ~before;
		int cycle = (int)i - (int)view->before;

		if (marks & INTERVAL_FETCH_MISS)
			add_event(events, cycle, "l1i");
		if (marks & INTERVAL_DISPATCH)
			add_event(events, cycle, "branch");
		if (marks & INTERVAL_RESOLVE)
			add_event(events, cycle, "resolved");
		if (marks & INTERVAL_LOAD_MISS)
			add_event(events, cycle, "long");
		if (marks & INTERVAL_BLOCKED && begun & (INTERVAL_FULL | INTERVAL_BLOCKED) &&
		    marks & INTERVAL_FULL)
			add_event(events, cycle, "full");
		if (before & ~marks & INTERVAL_BLOCKED)
			add_event(events, cycle, "data");
		before = marks;
	}
	return events;
}

static json_t *view_object(const struct interval_view *view)
{
	json_t *example = json_object(), *mean = json_object();
	char pc[32];

	for (size_t k = 0; k < ARRAY_COUNT(series); k++) {
		json_t *numbers = json_array(), *means = json_array();

		for (unsigned i = 0; i < view->length; i++) {
			const char *sample = (const char *)&view->example[i];
			const char *sum = (const char *)&view->sums[i];
			uint16_t one = *(const uint16_t *)(sample + series[k].in_sample);
			uint64_t all = *(const uint64_t *)(sum + series[k].in_sum);

			json_array_append_new(numbers, json_integer(one));
			json_array_append_new(means, json_real((double)all / (double)view->found));
		}
		json_object_set_new(example, series[k].name, numbers);
		json_object_set_new(mean, series[k].name, means);
	}
	json_object_set_new(example, "events", events_of(view));
	snprintf(pc, sizeof(pc), "0x%" PRIx64, view->first_pc);
	return json_pack("{s:I, s:i, s:I, s:s, s:o, s:o}", "found", (json_int_t)view->found,
			 "before", (int)view->before, "first_cycle", (json_int_t)view->first_cycle,
			 "pc", pc, "example", example, "mean", mean);
}

/* Caches and predictors are cold at first, so events of the first cycles are not typical. */
#define WARM_UP_CYCLES 100000

static void *create(const struct config *config, uint32_t slots)
{
	(void)slots;
	return interval_plot_create(config, WARM_UP_CYCLES);
}

static void destroy(void *observer)
{
	interval_plot_destroy(observer);
}

static void describe(const struct observer_kind *kind, void *observer, json_t *result)
{
	json_t *plots = observer_member(result, kind->name);

	for (unsigned i = 0; i < INTERVAL_KINDS; i++) {
		struct interval_view view;

		interval_plot_read(observer, (enum interval_kind)i, &view);
		if (view.found)
			json_object_set_new(plots, interval_kind_name((enum interval_kind)i),
					    view_object(&view));
	}
}

const struct observer_kind count_plots = {
	.name = "plots",
	.summary = "what is issued, dispatched and committed around clean misses",
	.needs_ooo = true,
	.events = EVENTS_USUAL,
	.create = create,
	.cycle = interval_plot_cycle,
	.describe = describe,
	.destroy = destroy,
};

/* Which events are on the counters, and their counts and times. */
#include "linux/perf.h"

#include <stdlib.h>

#include "base/array.h"
#include "linux/process.h"

static bool is_software(const struct perf_event *event)
{
	return event->number >= PERF_SOFTWARE;
}

/* Whether its thread is the one that runs. */
static bool is_in(const struct process *process, const struct perf_event *event)
{
	return !event->tid || event->tid == process->perf.tid;
}

/* The time of a thread does not go on while it sleeps. */
static uint64_t clock_of(const struct process *process, const struct perf_event *event)
{
	return event->tid ? cpu_time(&process->cpu) : process_now_ns(process);
}

/* What a software event has counted since the process began. The address space has all its pages
 * at once, so the faults that there are end in a signal. */
static uint64_t software_count(const struct process *process, const struct perf_event *event)
{
	switch (event->attr.config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK: return clock_of(process, event);
	case PERF_COUNT_SW_PAGE_FAULTS:
		return event->attr.exclude_user ? 0 : process->access_faults;
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
		return event->attr.exclude_kernel ? 0 : process->context_switches;
	default: return 0;
	}
}

static uint64_t reading(const struct process *process, const struct perf_event *event)
{
	const struct counting_unit *unit = &process->perf.unit;

	return is_software(event) ? software_count(process, event)
				  : unit->read(unit->context, event->counter);
}

void perf_event_update(struct process *process, struct perf_event *event)
{
	uint64_t now = clock_of(process, event), passed = now - event->updated_ns;
	const struct perf_event *leader = event->leader;

	if (is_in(process, event)) {
		if (event->state >= PERF_INACTIVE && leader->state >= PERF_INACTIVE)
			event->enabled_ns += passed;
		if (event->state == PERF_ACTIVE)
			event->running_ns += passed;
	}
	event->updated_ns = now;
	if (event->state == PERF_ACTIVE) {
		uint64_t value = reading(process, event);

		event->count += value - event->read_last;
		event->read_last = value;
	}
}

static void update_all(struct process *process)
{
	for (struct perf_event *e = process->perf.first; e; e = e->next)
		perf_event_update(process, e);
}

/* Takes an event off its counter; it is up to date. */
static void stop_event(struct process *process, struct perf_event *event)
{
	const struct counting_unit *unit = &process->perf.unit;

	if (event->state != PERF_ACTIVE)
		return;
	if (!is_software(event))
		unit->stop(unit->context, event->counter);
	event->counter = COUNTER_NONE;
	event->state = PERF_INACTIVE;
}

static bool start_event(struct process *process, struct perf_event *event)
{
	const struct counting_unit *unit = &process->perf.unit;

	if (!is_software(event)) {
		event->counter =
			unit->start(unit->context, event->number, !event->attr.exclude_user);
		if (event->counter == COUNTER_NONE)
			return false;
	}
	event->state = PERF_ACTIVE;
	event->read_last = reading(process, event);
	return true;
}

static bool is_waiting(const struct perf_event *event)
{
	return event->state == PERF_INACTIVE;
}

static bool is_software_group(const struct perf_event *leader)
{
	for (const struct perf_event *e = leader; e; e = e->next_sibling)
		if (!is_software(e))
			return false;
	return true;
}

static bool can_count_group(const struct process *process, const struct perf_event *leader)
{
	const struct counting_unit *unit = &process->perf.unit;

	for (const struct perf_event *e = leader; e; e = e->next_sibling)
		if (!is_software(e) && is_waiting(e) &&
		    !(unit->find && unit->can_count(unit->context, e->number)))
			return false;
	return true;
}

/* All events of the group that are enabled, or none. */
static bool start_group(struct process *process, struct perf_event *leader)
{
	for (struct perf_event *e = leader; e; e = e->next_sibling) {
		if (!is_waiting(e) || start_event(process, e))
			continue;
		for (struct perf_event *started = leader; started != e;
		     started = started->next_sibling)
			stop_event(process, started);
		return false;
	}
	return true;
}

/* What has been put on the counters so far. */
struct arrangement {
	bool is_exclusive; /* a group that wants to be alone */
	unsigned groups;   /* that use counters */
	bool lacks_counters;
};

static void start_groups(struct process *process, struct arrangement *made, bool is_pinned,
			 bool of_thread)
{
	bool is_full = false;

	for (struct perf_event *e = process->perf.first; e; e = e->next) {
		if (e->leader != e || !is_waiting(e) || !is_in(process, e) ||
		    e->attr.pinned != is_pinned || !!e->tid != of_thread)
			continue;
		if (is_software_group(e)) {
			start_group(process, e);
			continue;
		}
		if (!can_count_group(process, e))
			continue;
		bool may = !is_full && !made->is_exclusive && !(e->attr.exclusive && made->groups);
		if (may && start_group(process, e)) {
			made->groups++;
			made->is_exclusive |= e->attr.exclusive;
		} else if (is_pinned) {
			e->state = PERF_ERROR;
		} else {
			/* As the kernel does it: once a group has not fit, no other is tried. */
			is_full = made->lacks_counters = true;
		}
	}
}

void perf_arrange(struct process *process)
{
	struct perf *perf = &process->perf;
	struct arrangement made = {0};

	update_all(process);
	for (struct perf_event *e = perf->first; e; e = e->next)
		stop_event(process, e);
	perf->tid = perf->unit.is_timed ? perf->entered_tid : process->current->tid;
	perf->is_due = false;
	/* Time that passed while the thread did not run is not the event's. */
	for (struct perf_event *e = perf->first; e; e = e->next)
		e->updated_ns = clock_of(process, e);
	start_groups(process, &made, true, false);
	start_groups(process, &made, true, true);
	start_groups(process, &made, false, false);
	start_groups(process, &made, false, true);
	if (!made.lacks_counters)
		perf->rotate_at_ns = NEVER_NS;
	else if (perf->rotate_at_ns == NEVER_NS)
		perf->rotate_at_ns = process_now_ns(process) + perf->unit.rotation_ns;
	for (struct perf_event *e = perf->first; e; e = e->next)
		perf_event_show(process, e);
}

static void unlink_event(struct perf *perf, struct perf_event *event)
{
	struct perf_event **link = &perf->first, *before = NULL;

	while (*link != event) {
		before = *link;
		link = &before->next;
	}
	*link = event->next;
	event->next = NULL;
	if (perf->last == event)
		perf->last = before;
}

static void append_event(struct perf *perf, struct perf_event *event)
{
	if (perf->last)
		perf->last->next = event;
	else
		perf->first = event;
	perf->last = event;
}

/* The first group that is on the counters becomes the last to be tried, of the processor's groups
 * and of the thread's. */
static void rotate(struct process *process, bool of_thread)
{
	struct perf_event *e = process->perf.first;

	while (e && (e->leader != e || e->state != PERF_ACTIVE || e->attr.pinned ||
		     !!e->tid != of_thread || is_software_group(e)))
		e = e->next;
	if (e) {
		unlink_event(&process->perf, e);
		append_event(&process->perf, e);
	}
}

void perf_end_cycle(struct process *process)
{
	struct perf *perf = &process->perf;
	uint64_t now = perf->rotate_at_ns == NEVER_NS ? 0 : process_now_ns(process);

	if (now >= perf->rotate_at_ns) {
		rotate(process, false);
		rotate(process, true);
		perf->rotate_at_ns = now + perf->unit.rotation_ns;
		perf->is_due = true;
	}
	if (perf->is_due)
		perf_arrange(process);
}

void perf_end_call(struct process *process)
{
	struct perf *perf = &process->perf;

	if (perf->count && !perf->unit.is_timed) {
		perf->is_due |= perf->tid != process->current->tid;
		perf_end_cycle(process);
	}
}

uint32_t process_enter_thread(struct process *process)
{
	struct perf *perf = &process->perf;

	perf->entered_tid = process->current->tid;
	perf->is_due |= perf->count && perf->tid != perf->entered_tid;
	return (uint32_t)perf->entered_tid;
}

void perf_set_unit(struct process *process, const struct counting_unit *unit)
{
	struct perf *perf = &process->perf;

	update_all(process);
	for (struct perf_event *e = perf->first; e; e = e->next)
		stop_event(process, e);
	perf->unit = *unit;
	perf->entered_tid = process->current->tid;
	perf_arrange(process);
}

void perf_event_add(struct process *process, struct perf_event *event, struct perf_event *leader)
{
	struct perf *perf = &process->perf;
	struct perf_event *last = leader;

	event->process = process;
	event->id = ++perf->last_id;
	event->owner_tid = process->current->tid;
	event->leader = leader ? leader : event;
	event->counter = COUNTER_NONE;
	event->state = event->attr.disabled ? PERF_OFF : PERF_INACTIVE;
	event->updated_ns = clock_of(process, event);
	while (last && last->next_sibling)
		last = last->next_sibling;
	if (last)
		last->next_sibling = event;
	append_event(perf, event);
	if (!perf->count++ && perf->unit.begin)
		perf->unit.begin(perf->unit.context);
	perf_arrange(process);
}

void perf_event_remove(struct process *process, struct perf_event *event)
{
	struct perf *perf = &process->perf;
	struct perf_event *next;

	perf_event_update(process, event);
	stop_event(process, event);
	if (event->leader == event) {
		for (struct perf_event *e = event->next_sibling; e; e = next) {
			next = e->next_sibling;
			perf_event_update(process, e);
			e->leader = e;
			e->next_sibling = NULL;
		}
	} else {
		struct perf_event *before = event->leader;

		while (before->next_sibling != event)
			before = before->next_sibling;
		before->next_sibling = event->next_sibling;
	}
	unlink_event(perf, event);
	perf->count--;
	perf->is_due = true;
	memory_uncharge_host(&process->memory, sizeof(*event));
	free(event);
}

/* Whether time passes for an event depends on its leader, too. */
static void update_group(struct process *process, struct perf_event *leader)
{
	for (struct perf_event *e = leader; e; e = e->next_sibling)
		perf_event_update(process, e);
}

void perf_event_enable(struct process *process, struct perf_event *event)
{
	if (event->state == PERF_OFF || event->state == PERF_ERROR) {
		update_group(process, event->leader);
		event->state = PERF_INACTIVE;
	}
}

void perf_event_disable(struct process *process, struct perf_event *event)
{
	if (event->state < PERF_INACTIVE)
		return;
	update_group(process, event->leader);
	stop_event(process, event);
	event->state = PERF_OFF;
}

void perf_event_reset(struct process *process, struct perf_event *event)
{
	perf_event_update(process, event);
	event->count = 0;
}

static void end_event(struct process *process, struct perf_event *event)
{
	perf_event_update(process, event);
	stop_event(process, event);
	event->state = PERF_EXIT;
}

void perf_thread_ends(struct process *process, int tid)
{
	for (struct perf_event *e = process->perf.first; e; e = e->next)
		if (e->tid == tid)
			end_event(process, e);
	process->perf.is_due |= process->perf.count > 0;
}

void perf_set_owned(struct process *process, bool is_enabled)
{
	for (struct perf_event *e = process->perf.first; e; e = e->next)
		if (e->owner_tid == process->current->tid)
			(is_enabled ? perf_event_enable : perf_event_disable)(process, e);
	perf_arrange(process);
}

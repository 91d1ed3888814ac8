/*
 * unit.h - what the statistics module need not ask event by event: signals that add 1 for every
 * event of a kind, or in every cycle, and accesses to memory that no counter counts.
 *
 * Both are found by trying the signal's own expression on events and records that differ in every
 * field, so that the table of signals stays the only place that says what a signal is. That a trial
 * finds what holds for all events is what the tests check, for every signal, with random events.
 */
#ifndef STATS_UNIT_H
#define STATS_UNIT_H

#include <stdbool.h>

#include "signal/signal.h"

/* Whether the signal adds 1 for every event of that kind, which it counts. */
bool unit_of_events(const struct signal_row *signal, unsigned kind);
/* Whether the signal, which has a value, has the value 1 in every cycle. */
bool unit_of_cycles(const struct signal_row *signal);

/* Whether the signal adds 1 for every instruction that commits, and nothing else. */
bool unit_of_commits(const struct signal_row *signal);

/* Bits of which every EVENT_COMMIT that the signal counts has one in `detail`; 0: it counts none;
 * all if any may count, since each has one. */
uint16_t unit_needs_commits(const struct signal_row *signal);

/* Which events of memory are counted, by the kind of the access. A core reports several for each
 * access, most of which nobody counts. */
struct unit_filter {
	bool counts[EVENT_KINDS - EVENT_FETCH_ACCESS][MEMORY_EVENT_COUNT];
};

void unit_filter_add(struct unit_filter *filter, const struct signal_row *signal);

/* Whether no signal that was added has an amount of this event. The `detail` of an access is a
 * MEMORY_EVENT, as cycle.h has it. */
static inline bool unit_filter_drops(const struct unit_filter *filter, const struct cycle_event *e)
{
	return e->kind >= EVENT_FETCH_ACCESS &&
	       !filter->counts[e->kind - EVENT_FETCH_ACCESS][e->detail];
}

#endif

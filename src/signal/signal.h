/*
 * signal.h - the table of signals: everything that can be counted of a core.
 *
 * A signal is an expression over a struct cycle, evaluated only on request. Every count belongs to
 * an instruction: a count of a signal over the state of a cycle to the instruction that `owner`
 * names, a count of a signal over events to the event's own instruction. Signals with running
 * totals cost nothing until they are read: their sum over any part of a run is the difference of
 * two totals.
 *
 * Signals over events count only the kinds that the core was asked to report: see `events`, and
 * want_events of struct core_kind.
 */
#ifndef SIGNAL_SIGNAL_H
#define SIGNAL_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "signal/cycle.h"

enum signal_source { SIGNAL_HW, SIGNAL_ORACLE };
enum signal_owner { SIGNAL_OF_FETCH, SIGNAL_OF_OLDEST, SIGNAL_OF_EVENT };
enum signal_category {
	SIGNAL_CORE,
	SIGNAL_INSTRUCTION,
	SIGNAL_BRANCH,
	SIGNAL_CACHE,
	SIGNAL_TLB,
	SIGNAL_PREFETCH,
	SIGNAL_MEMORY,
	SIGNAL_SLOTS
};

struct signal_row {
	const char *name;
	enum signal_source source;
	const char *unit;
	enum signal_category category;
	enum signal_owner owner;
	/* Kinds of events it counts, as EVENT_BITs; 0 for a signal without events. */
	uint32_t events;
	/* The value in each cycle of the record; NULL if the signal counts events only. */
	uint64_t (*value)(const struct cycle *cycle);
	/* The amount of one event, whose kind is in `events`; NULL for a signal without events. */
	uint64_t (*amount)(const struct cycle_event *event);
	/* The sum since the start; NULL if the signal has no running total. */
	uint64_t (*total)(const struct core_totals *totals, const struct memory_events *memory);
	const char *meaning;
};

extern const struct signal_row signal_rows[];
size_t signal_count(void);
/* NULL if there is no signal of that name. */
const struct signal_row *signal_find(const char *name);
const char *signal_source_name(enum signal_source source);
const char *signal_category_name(enum signal_category category);
const char *signal_owner_name(enum signal_owner owner);

/* The sum over all cycles of the record. A signal that has a value uses that and needs no events.
 */
uint64_t signal_sum(const struct signal_row *row, const struct cycle *cycle);
/* The same sum, restricted to counts that belong to instructions at low <= pc < high. */
uint64_t signal_sum_in(const struct signal_row *row, const struct cycle *cycle, uint64_t low,
		       uint64_t high);

#endif

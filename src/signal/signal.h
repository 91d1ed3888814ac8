/*
 * signal.h - the table of signals: the only door to what a core did.
 *
 * A signal is an expression over a struct cycle, evaluated only for those who ask for it. Every
 * count belongs to an instruction: a signal over the state of a cycle to the one its owner names, a
 * signal over events to each event's own. Those that have running totals cost nothing until they
 * are read: their sum over any stretch of a run is the difference of two totals.
 *
 * Signals over events count only what the core was asked to report: see `events`, and want_events
 * of struct core_kind.
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
	uint32_t events; /* kinds it looks at, as EVENT_BITs; 0 for a signal without events */
	/* In one cycle of the record; NULL where only events tell. */
	uint64_t (*value)(const struct cycle *cycle);
	/* Of one event, which is of one of the kinds; NULL without events. */
	uint64_t (*amount)(const struct cycle_event *event);
	/* Since the start; NULL where there is none. */
	uint64_t (*total)(const struct core_totals *totals, const struct memory_events *memory);
	const char *meaning;
};

extern const struct signal_row signal_rows[];
size_t signal_count(void);
/* NULL if there is none of that name. */
const struct signal_row *signal_find(const char *name);
const char *signal_source_name(enum signal_source source);
const char *signal_category_name(enum signal_category category);
const char *signal_owner_name(enum signal_owner owner);

/* The sum over all cycles of the record. A signal that has a value uses that and needs no events.
 */
uint64_t signal_sum(const struct signal_row *row, const struct cycle *cycle);
/* The same, only from what belongs to instructions at low <= pc < high. */
uint64_t signal_sum_in(const struct signal_row *row, const struct cycle *cycle, uint64_t low,
		       uint64_t high);

#endif

/*
 * twin.h - a slow and obvious out-of-order core: what src/core/ooo must do, cycle for cycle and
 * event for event.
 *
 * Everything that the fast core finds by an index, a list, a mask or a table is found here by a
 * search of the instructions in flight, oldest first; what it counts incrementally is counted
 * again on each request. One call is one cycle; nothing is skipped. Only the functional parts are
 * shared, and each core has its own instances: process, decoder and semantics, caches and TLBs,
 * predictor.
 *
 * Invariant: the instructions in flight have consecutive numbers, oldest first, and an older
 * instruction is at the same or a later stage: window (issued or not), front end, buffer.
 *
 * Not modelled: stopping at a number of commits.
 */
#ifndef TESTS_CORE_TWIN_H
#define TESTS_CORE_TWIN_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "mem/hierarchy.h"
#include "pred/predictor.h"
#include "linux/process.h"
#include "signal/cycle.h"

/* Named as in struct core_totals. */
#define TWIN_COUNTERS(COUNTER)              \
	COUNTER(cycles)                     \
	COUNTER(committed)                  \
	COUNTER(fetched)                    \
	COUNTER(dispatched)                 \
	COUNTER(issued)                     \
	COUNTER(squashed)                   \
	COUNTER(wrong_fetched)              \
	COUNTER(branches)                   \
	COUNTER(mispredictions)             \
	COUNTER(conditional)                \
	COUNTER(conditional_mispredictions) \
	COUNTER(indirect_mispredictions)    \
	COUNTER(return_mispredictions)      \
	COUNTER(misfetches)                 \
	COUNTER(loads)                      \
	COUNTER(stores)                     \
	COUNTER(forwarded)                  \
	COUNTER(serialised)                 \
	COUNTER(thread_switches)            \
	COUNTER(replays)                    \
	COUNTER(held_loads)

struct twin_counters {
#define COUNTER(name) uint64_t name;
	TWIN_COUNTERS(COUNTER)
#undef COUNTER
};

struct twin;

/* The caller keeps the parts, which must outlive the twin. `slots` is the number of values that
 * an event's slot can have: a power of two. */
struct twin *twin_create(const struct config *config, struct process *process,
			 struct hierarchy *hierarchy, struct predictor *predictor, uint32_t slots);
void twin_destroy(struct twin *twin);

/* Simulates one cycle; events of every kind are in its record. NULL when the program has ended
 * and nothing is in flight. */
const struct cycle *twin_step(struct twin *twin);

/* Goes on where the process is, with nothing in flight, for one call of a function; or ends a run
 * with the return of the call whose first instruction is next. */
void twin_measure_call(struct twin *twin, uint64_t site, uint64_t return_to);
void twin_end_at_return(struct twin *twin, uint64_t site, uint64_t return_to);
bool twin_has_returned(const struct twin *twin);

const struct twin_counters *twin_count(const struct twin *twin);
/* The number of instructions executed and not committed, and of those on the right path; and of
 * those that are to be fetched again. */
uint64_t twin_in_flight(const struct twin *twin);
uint64_t twin_to_fetch_again(const struct twin *twin);
uint64_t twin_useful_in_flight(const struct twin *twin);

#endif

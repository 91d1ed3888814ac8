/*
 * module.h - the statistics module of Hough et al. 2006, sections 3.1 to 3.4: a bank of counters
 * beside the core that counts events, each a signal and a range of code.
 *
 * A range register holds [low, high], both inclusive. Each counter has two selections, a signal and
 * a range register or STATS_ALWAYS, and adds the signal's amounts that belong to instructions in
 * the range. A selection may name a thread of the program besides: then cycles in which the core
 * holds instructions of another thread are not counted. It has a width in bits, saturates at all
 * ones and never wraps; a value of all ones is marked saturated, for it may be too small.
 *
 * The dispatch timer has a period of exactly N cycles: cycles 0 to N-1 are the first interval. In
 * the cycle in which it reaches 0 every counter is handed out and reset, and what happens in that
 * very cycle belongs to the next interval. When the program has ended the timer runs on to 0, hands
 * out the last interval and stops.
 *
 * Settings can be replaced while the program runs: counts before the cycle of the change belong to
 * the old settings, which begin no further interval; the timer starts anew. Each change begins an
 * epoch.
 *
 * It reads records and changes nothing. A record that stands for many cycles is divided at the ends
 * of intervals, so skipping over cycles is not seen. Running totals are not part of the circuit:
 * the code that receives the intervals keeps them.
 */
#ifndef STATS_MODULE_H
#define STATS_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "signal/signal.h"

#define STATS_ALWAYS	    UINT32_MAX
#define STATS_WIDTH_MOST    63
#define STATS_COUNTERS_MOST 4096
#define STATS_RANGES_MOST   1024
#define STATS_THREADS_MOST  64 /* that selections name */
/* Counters in pieces of the code that no range divides, of every thread: 2 for a function, more
 * where ranges overlap. */
#define STATS_LISTED_MOST (UINT64_C(1) << 21)

struct stats_range {
	uint64_t low, high; /* both inclusive */
};

struct stats_selection {
	const struct signal_row *signal;
	uint32_t range;	 /* the number of a range, or STATS_ALWAYS */
	uint32_t thread; /* as the program knows it; 0: every thread */
};

struct stats_settings {
	uint32_t period_cycles;
	unsigned width_bits;
	const struct stats_range *ranges;
	size_t range_count;
	const struct stats_selection *counters;
	size_t counter_count;
};

/* What the module hands out; valid during the call. */
struct stats_interval {
	uint64_t start, cycles;
	uint64_t dispatched; /* the cycle in which the timer was 0 */
	uint64_t number;     /* of the interval in its epoch */
	uint32_t epoch;
	bool is_last_of_epoch, is_final;
	size_t count;
	const uint64_t *values;
	uint64_t most; /* a counter with this value is saturated */
};

struct stats_module;

/* Receives every interval in order. */
typedef void stats_sink(void *context, const struct stats_interval *interval);
/* Called when the timer is 0, before the interval is handed out: the place for a stats_change that
 * is to take effect now. */
typedef void stats_poll(void *context);

/* False with a sentence: a period of 0, a width or number beyond the limits, a range that ends
 * before it begins, a selection of a range that there is not, too many threads, ranges that
 * overlap too much. */
bool stats_settings_check(const struct stats_settings *settings, struct err *err);

/* The settings must have been checked, and are copied. `poll` may be NULL. */
struct stats_module *stats_create(const struct stats_settings *settings, stats_sink *sink,
				  stats_poll *poll, void *context);
void stats_destroy(struct stats_module *module); /* NULL is allowed */

/* Kinds of events that these settings count, as EVENT_BITs. */
uint32_t stats_events(const struct stats_settings *settings);

/* What stats_cycle asks of a core for such settings: EVENT_BITs, and of these kinds which events
 * are of use. Commits are counted by EVENTS_COMMITTED where every one adds 1; records without that
 * list must have the kinds of stats_events. */
struct stats_wants {
	uint32_t events;
	struct event_needs needs;
};

void stats_add_wants(struct stats_wants *wants, const struct stats_settings *settings);

/* The settings take effect at cycle `at`, or if that has passed or is 0 at the end of the
 * interval, which is now if stats_poll calls. Changes take effect in the order of their cycles, so
 * that one for a far cycle keeps none from coming before it; of those for the same cycle, in the
 * order in which they were given. Returns the number of the epoch that it begins, by which the
 * numbers of later ones rise. The core must report their events from then on. */
uint32_t stats_change(struct stats_module *module, const struct stats_settings *settings,
		      uint64_t at);
/* How many changes wait for their cycle, and the cycle of the last one; that one is given up. */
size_t stats_waiting(const struct stats_module *module);
uint64_t stats_last_change(const struct stats_module *module);
void stats_drop_last_change(struct stats_module *module);

/* The number of the newest epoch. */
uint32_t stats_epoch(const struct stats_module *module);

/* For struct observer. */
void stats_cycle(void *module, const struct cycle *cycle);
/* The program has ended, or is not continued: hands out the last interval. Nothing is counted
 * afterwards. */
void stats_end(struct stats_module *module);

/* Storage that the circuit needs: the timer and its period, range registers, selections and
 * counters, in bits. `signals` is the number of signals to select from. */
uint64_t stats_bits(size_t signals, size_t ranges, size_t counters, unsigned width_bits);
/* Bits that comparators compare in a cycle: each range compares each pc that may come in one cycle,
 * `ports` of them, with both its ends. The naive design has as many. */
uint64_t stats_compared_bits(size_t ranges, size_t ports);
/* The same storage for a counter of its own for every signal in every range, without selections. */
uint64_t stats_naive_bits(size_t signals, size_t ranges, unsigned width_bits);

#endif

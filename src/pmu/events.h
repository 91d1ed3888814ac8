/*
 * events.h - the events that a simulated processor counts: from the type and config of
 * perf_event_open to signals.
 *
 * Every signal that hardware could count, and that the machine has the parts for, is an event of
 * type RAW; its code is the signal's number in the table of signals, unless pmu.codes permutes the
 * codes. The generic events are sums of signals (events.def). pmu.sabotage makes one event count
 * another signal than it should, some number of times: for testing what classifies events.
 *
 * Does not count anything: see pmu.h.
 */
#ifndef PMU_EVENTS_H
#define PMU_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "signal/signal.h"

#define EVENT_SIGNALS_MAX 4

/* A generic event, a row of events.def. */
struct generic_event {
	uint32_t type;	 /* PERF_TYPE_HARDWARE or PERF_TYPE_HW_CACHE */
	uint64_t config; /* of perf_event_open */
	const char *name;
	const char *signals[EVENT_SIGNALS_MAX]; /* NULL after the last */
};

extern const struct generic_event generic_events[];
size_t generic_event_count(void);

/* What an event counts: so many times the sum of these signals, by number. */
struct event_meaning {
	uint16_t signals[EVENT_SIGNALS_MAX];
	uint8_t signal_count, times;
};

struct events;

/* Without a configuration: what executing without time can count. NULL with a sentence if
 * pmu.sabotage names a signal that does not exist. */
struct events *events_create(const struct config *config, struct err *err);
void events_destroy(struct events *events);
/* The event's number; -EINVAL if type and config mean nothing, -ENOENT if the machine does not
 * count it. */
int events_find(const struct events *events, uint32_t type, uint64_t config);
const struct event_meaning *events_meaning(const struct events *events, int event);
/* The events of type RAW, in the order of their codes: the code and name of one of them, or -1 if
 * there are not so many. Where codes are permuted the names tell nothing. */
int events_list(const struct events *events, size_t index, char *name, size_t bytes);
/* Whether a machine has the parts that the signal counts at. */
bool events_has_signal(const struct config *config, const struct signal_row *signal);

#endif

/*
 * compose.h - which sum of events measures a metric?
 *
 * The expectation of a metric (metric.h) says what it is on every kernel where all of its
 * categories are known. Events are columns, with their slopes as values. After Barry, Danalis and
 * Dongarra (IPDPSW 2024):
 *
 * 1. An event is left out if its runs do not repeat, or if it is no combination of what the kernels
 *    do: the categories that are known on the same kernels, reduced to independent ones, are the
 *    basis. So no event takes part that happens to fit a few numbers.
 * 2. Of the rest, pivot.h chooses events that are enough to make all others, those first that count
 *    few things of the basis; least squares gives their factors.
 * 3. A sum stands if on every kernel it is as near to the expectation as a single event would have
 *    to be for a verdict (category.h). Whole factors are preferred, then fewer events. Where one
 *    event or a sum of two does it, that is the answer, even if the chosen ones do it otherwise; of
 *    several, those that count least on the kernels about which the metric says nothing.
 *
 * The same text gives the same bytes. Nothing here knows what events are called. Not told: what a
 * sum counts where kernels do not go, such as wrong paths of programs that mispredict otherwise;
 * and sums that the machine's own counters could not count at once.
 */
#ifndef CLASSIFY_COMPOSE_H
#define CLASSIFY_COMPOSE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define COMPOSE_LIST "list"
#define COMPOSE_ALL  "all"

struct compose_event {
	uint32_t type;
	uint64_t code;
};

/* The metrics of metrics.def as "metrics" of cyclestack-compose-1, without answers. */
json_t *compose_list(void);

/* False with a sentence if the word means no metric. COMPOSE_LIST and COMPOSE_ALL are words. */
bool compose_knows(const char *word, struct err *err);

/* The metrics that the word means, a name, a sum or COMPOSE_ALL, each with its answer, as "metrics"
 * of cyclestack-compose-1, events without names. With `allowed`, only these `count` events may be
 * in sums. NULL with a sentence if the text or the word is not what it must be. */
json_t *compose_text(const char *text, const char *word, const struct compose_event *allowed,
		     size_t count, struct err *err);

#endif

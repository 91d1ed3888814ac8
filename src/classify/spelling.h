/*
 * spelling.h - a sum of events as perf and PAPI read it.
 *
 * perf: an entry of its files of metrics, in JSON. A raw event is cpu@config\=0xCODE@, since
 * numbers are constants there. PAPI: a line of its file of presets, which is CSV; the formula of
 * more than a plain sum is in reverse Polish. PAPI's formulas have whole numbers only.
 */
#ifndef CLASSIFY_SPELLING_H
#define CLASSIFY_SPELLING_H

#include <jansson.h>

/* Adds "perf" and "papi" to a metric of cyclestack-compose-1 that is composed and whose events have
 * their names; null where the tool has no way to say it. */
void spelling_add(json_t *metric);

#endif

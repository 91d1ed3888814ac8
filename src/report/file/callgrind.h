/*
 * callgrind.h - a result of `run` in the format of callgrind, for callgrind_annotate and
 * KCachegrind.
 *
 * Positions are source lines. The first event, "slots", is the total; one event per
 * cause follows, in the order of the causes, those of the run that are not zero. All
 * are in slots (see the desc: line for how many make a cycle), so they are whole and add
 * up to the summary. There are no calls: costs are exclusive.
 *
 * Control characters in names become question marks; unknown files are "???", as
 * callgrind writes them. Lines that were inlined from another file stand under fi=.
 */
#ifndef REPORT_FILE_CALLGRIND_H
#define REPORT_FILE_CALLGRIND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* False with a sentence if the result cannot be read or the stream not written. */
bool callgrind_write(FILE *out, const json_t *result, struct err *err);

#endif

/*
 * callgrind.h - a result of `run` in the format of callgrind, for callgrind_annotate and
 * KCachegrind.
 *
 * Positions are source lines. The first event, "slots", is the total; one event per cause follows,
 * in the order of the causes, for causes of the run that are not zero. All are in slots (the desc:
 * line gives the number of slots per cycle), so they are whole numbers and add up to the summary.
 * There are no calls: costs are exclusive.
 *
 * Control characters in names become question marks; unknown files are "???", as callgrind writes
 * them. Lines that were inlined from another file are listed under fi=.
 */
#ifndef REPORT_FILE_CALLGRIND_H
#define REPORT_FILE_CALLGRIND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* False with a sentence if the result cannot be read or the stream cannot be written. */
bool callgrind_write(FILE *out, const json_t *result, struct err *err);

#endif

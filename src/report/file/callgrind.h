/*
 * callgrind.h - a result of `run` in the format of callgrind, for callgrind_annotate and
 * KCachegrind.
 *
 * Positions are source lines. The first event, "slots", is the total; one event per cause follows,
 * in the order of the causes, for causes of the run that are not zero. All are in slots (the desc:
 * line gives the number of slots per cycle), so they are whole numbers and add up to the summary.
 * Costs are exclusive. Of a run that followed calls
 * (`run --calls`) each function has the calls that it makes, with what they cost all together, at
 * its first line: which of its lines made them is not known. What a function costs that calls
 * itself is in the first call of it; those by itself cost nothing, so that readers do not count
 * twice.
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

/*
 * folded.h - a result of `run` as folded stacks, the input of flame-graph programs.
 *
 * One line per (function, source line, cause):
 *
 *   program;function;file:line;cause WEIGHT
 *
 * The weight is in slots, of which a cycle has as many as the core can dispatch instructions:
 * whole numbers, so nothing is rounded, and the weights add up to the cycles of the run times the
 * slots of a cycle. The frames are not callers and callees: a function has only its own slots.
 *
 * Of a run that followed calls (`run --calls`) there is one line per (path of calls, cause):
 *
 *   program;caller;function;cause WEIGHT
 *
 * with the thread behind the program if there are several. Of a path of more than CALLS_PATH_MOST
 * (value/calls.h) functions, those before the last are "(deeper calls)".
 *
 * A ; in a name becomes a comma and a control character a question mark; an unknown file is "?".
 */
#ifndef REPORT_FILE_FOLDED_H
#define REPORT_FILE_FOLDED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* False with a sentence if the result cannot be read or the stream cannot be written. */
bool folded_write(FILE *out, const json_t *result, struct err *err);

#endif

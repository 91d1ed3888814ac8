/*
 * pprof.h - a result of `run` in the format of pprof (github.com/google/pprof, profile.proto),
 * written by hand and not compressed, which its readers accept.
 *
 * The first type of samples, "all", is the total; one per component that the run has follows. All
 * are in slots, so they are whole numbers; a comment says how many slots a cycle has. A sample is a
 * path of calls; of a run that did not follow calls, a function by itself. With several threads
 * the outermost function is the thread. Paths are cut as those of folded.h.
 *
 * Locations are functions: there are no addresses and, within a path, no lines.
 */
#ifndef REPORT_FILE_PPROF_H
#define REPORT_FILE_PPROF_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* False with a sentence if the result cannot be read or the stream cannot be written. */
bool pprof_write(FILE *out, const json_t *result, struct err *err);

#endif

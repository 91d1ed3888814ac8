/*
 * firefox.h - a result of `run` as a processed profile of the Firefox Profiler
 * (profiler.firefox.com), version 47 of that format, as JSON.
 *
 * Components are the categories. A sample is one component of one path of calls, with its slots as
 * weight; a frame has the category in which its function has most. Of a run that did not follow
 * calls, each function is a path by itself. A thread of the program is a thread there. A profile
 * has no order in time: samples lie behind each other as the tree of calls has them, the one with
 * most slots first, a microsecond to a cycle.
 */
#ifndef REPORT_FILE_FIREFOX_H
#define REPORT_FILE_FIREFOX_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* False with a sentence if the result cannot be read or the stream cannot be written. */
bool firefox_write(FILE *out, const json_t *result, struct err *err);

#endif

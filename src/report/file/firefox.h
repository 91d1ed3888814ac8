/*
 * firefox.h - a result of `run` as a processed profile of the Firefox Profiler
 * (profiler.firefox.com), version 64 of that format, as JSON: the first that has a place for the
 * text of sources.
 *
 * Components are the categories. A sample is one component of one path of calls, with its slots as
 * weight; a frame has the category in which its function has most. Of a run that did not follow
 * calls, each function is a path by itself. A thread of the program is a thread there. A profile
 * has no order in time: samples lie behind each other as the tree of calls has them, the one with
 * most slots first, a microsecond to a cycle. Of a run with intervals there is a counter for each
 * component, with its slots by interval, in the order of time.
 *
 * Sources are whole, at most 64 MB together. Lines have no cycles of
 * their own there: a path of calls does not say at which of its lines it was.
 */
#ifndef REPORT_FILE_FIREFOX_H
#define REPORT_FILE_FIREFOX_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* The text of a source file, which the profile frees; NULL: it is not there. */
typedef char *firefox_text_of(const void *context, const char *file);

struct firefox_sources {
	firefox_text_of *text_of;
	const void *context;
};

/* False with a sentence if the result cannot be read or the stream cannot be written. */
bool firefox_write(FILE *out, const json_t *result, const struct firefox_sources *sources,
		   struct err *err);

#endif

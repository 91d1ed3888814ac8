/*
 * classify.h - from readings to verdicts: what does each event count?
 *
 * The input is the text of a collector and nothing else: no names, no list of signals, no
 * configuration. The output is JSON, in the layout of "events" and "machine" of
 * cyclestack-inspect-1 without names: for every event its verdict, the categories that coincide
 * with it on this machine, the score of the verdict, its slope on every kernel and its plateaus;
 * and the sizes found. The same text gives the same bytes.
 */
#ifndef CLASSIFY_CLASSIFY_H
#define CLASSIFY_CLASSIFY_H

#include <jansson.h>

#include "base/err.h"

/* Verdicts beside the names of categories. */
#define VERDICT_NONE	"none of these"
#define VERDICT_ZERO	"nothing"
#define VERDICT_REFUSED "cannot be counted"

/* {"events", "machine"}, owned by the caller; NULL with a sentence if the text is not what a
 * collector prints. */
json_t *classify_text(const char *text, struct err *err);

/* The block and the page to sweep with, from readings of the kernel pair; 0: not found. False with
 * a sentence. */
bool classify_lines(const char *text, unsigned long long *block_bytes,
		    unsigned long long *page_bytes, struct err *err);

#endif

/*
 * stat.h - the counters of `stat` as sections of a document, for whatever has such counters.
 */
#ifndef REPORT_STAT_H
#define REPORT_STAT_H

#include <jansson.h>

#include "doc/doc.h"

/* Of a result that has the members epochs, intervals and counters of `stat`: the totals of each
 * epoch, and what follows, each epoch's intervals and the plots. */
void stat_totals(struct doc *doc, const json_t *result);
void stat_intervals(struct doc *doc, const json_t *result);

#endif

/*
 * cycles_check.h - whether recorded cycles can be those of a machine, so far as observers rely on
 * it: widths and sizes, places in the core, and the order in which branches are fetched,
 * dispatched, resolved and committed.
 *
 * Observers trust the core, and a file is not the core: records of a file pass through here first.
 */
#ifndef TRACE_CYCLES_CHECK_H
#define TRACE_CYCLES_CHECK_H

#include <stdbool.h>

#include "base/err.h"
#include "config/config.h"
#include "signal/cycle.h"

struct cycles_check;

struct cycles_check *cycles_check_create(const struct config *config);
void cycles_check_destroy(struct cycles_check *check); /* NULL is accepted */
/* To be called for every record, in order. False with a sentence. */
bool cycles_check_record(struct cycles_check *check, const struct cycle *cycle, struct err *err);

#endif

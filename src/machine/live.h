/*
 * live.h - which parameters of a machine can change while it runs: the rows of live.def.
 */
#ifndef MACHINE_LIVE_H
#define MACHINE_LIVE_H

#include <stdbool.h>

#include "base/err.h"
#include "config/config.h"

bool live_can_change(enum config_id id);
/* Whether a machine that runs with `from` can go on with `to`; a sentence that names the first
 * parameter that cannot change. */
bool live_check(const struct config *from, const struct config *to, struct err *err);

#endif

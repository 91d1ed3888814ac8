/*
 * machine_check.h - what the configuration reader says of changes to a machine, parameter by
 * parameter: for the fields of a form.
 */
#ifndef WEB_MACHINE_CHECK_H
#define WEB_MACHINE_CHECK_H

#include <jansson.h>

#include "base/err.h"

/* {"ok", "messages": {KEY: SENTENCE}, "doubts": [SENTENCE], "changes": N} of {KEY: "VALUE"} over
 * the preset in that directory; NULL with a sentence if there is no such preset. */
json_t *machine_check(const char *presets, const char *name, const json_t *set, struct err *err);

#endif

/*
 * reproduce_variations.h - the measurement of hough2006: every program on the machines of its
 * figure 5, twice each, and with a data cache that writes back and one that writes through.
 */
#ifndef CMD_REPRODUCE_VARIATIONS_H
#define CMD_REPRODUCE_VARIATIONS_H

#include <jansson.h>

#include "cmd/command.h"
#include "job/judge.h"

/* {"programs", "machines", "storage"}; NULL with a sentence, or NULL and *interrupted. */
json_t *reproduce_variations(const struct judge_request *request, const struct args *args,
			     bool *interrupted, struct err *err);

#endif

/*
 * limits.h - what a server lets its users take: the rows of limits.def as a struct, and how they
 * are read from NAME=VALUE.
 */
#ifndef WEB_LIMITS_H
#define WEB_LIMITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct web_limits {
#define LIMIT(field, name, unit, least, most, usual, meaning) uint64_t field;
#include "web/limits.def"
};

void web_limits_init(struct web_limits *limits);
/* One NAME=VALUE; numbers have suffixes k, M, G. False with a sentence that lists the names if it
 * has none of them. */
bool web_limits_set(struct web_limits *limits, const char *assignment, struct err *err);
/* What holds between them. False with a sentence. */
bool web_limits_check(const struct web_limits *limits, struct err *err);
/* [{"name", "value", "unit", "meaning"}] */
json_t *web_limits_json(const struct web_limits *limits);

#endif

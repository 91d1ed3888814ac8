/*
 * formula.h - a value derived from counts: "mpki = 1000 * l1d.misses / committed".
 *
 * Numbers, names of signals, + - * / and parentheses, with the usual precedence. A division by 0
 * has no value. The text is from outside: it is bounded, and so is its depth.
 */
#ifndef STATS_FORMULA_H
#define STATS_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "signal/signal.h"

#define FORMULA_NAME_BYTES   64
#define FORMULA_BYTES_MOST   512
#define FORMULA_SIGNALS_MOST 64

struct formula {
	char name[FORMULA_NAME_BYTES];
	char expression[FORMULA_BYTES_MOST];
	const struct signal_row *signals[FORMULA_SIGNALS_MOST]; /* that it names, each once */
	size_t signal_count;
};

/* False with a sentence that shows where it is wrong. */
bool formula_read(struct formula *formula, const char *text, struct err *err);
/* With a value for each of its signals, in their order. False if it has no value. */
bool formula_value(const struct formula *formula, const double *values, double *value);

/* The signal of that name; NULL with a sentence that suggests the nearest. */
const struct signal_row *formula_signal(const char *name, struct err *err);

#endif

/*
 * number.h - whole numbers with suffixes: 42, 10k, 3M.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Reads a whole number from least to most, optionally with a suffix k, M, G or T that stands
 * for a power of `thousand` (1000 or 1024). False with a sentence that says what was expected,
 * without a prefix. */
bool number_parse(const char *text, uint64_t thousand, uint64_t least, uint64_t most,
		  uint64_t *value, struct err *err);

#endif

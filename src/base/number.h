/*
 * number.h - whole numbers as people write them: 42, 10k, 1e6, 2_000, 1.5M, 32KB.
 *
 * This is the only place where such text is read, so that options, --set, files and the library
 * agree:
 *
 *   digits, with single underscores between them; a fraction and an exponent (1.5e6) if what they
 *   make, with the suffix, is a whole number; then at most one suffix.
 *   k, K, M, G, T   powers of 1000 where things are counted, powers of 1024 where bytes are
 *   Ki, Mi, Gi, Ti  powers of 1024 in both
 *   B               may end a number of bytes, with or without one of the above: 64B, 32KB, 4MiB
 *
 * Values are exact: nothing goes through floating point. Signs, blanks and hexadecimal are refused.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum number_of { NUMBER_OF_THINGS, NUMBER_OF_BYTES };

/* False, leaving *value alone, if the text is not a number or exceeds 64 bits. */
bool number_read(const char *text, enum number_of of, uint64_t *value);

/* A number from least to most. False with a sentence that says what was expected, without a
 * prefix. */
bool number_parse(const char *text, enum number_of of, uint64_t least, uint64_t most,
		  uint64_t *value, struct err *err);

#endif

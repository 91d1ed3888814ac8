/*
 * value.h - operand values that are likely to reveal errors.
 *
 * Integers around signs, powers of two and conversion limits; floating-point
 * numbers that round half way, overflow, underflow, cancel or are not numbers.
 *
 * Errors depend on pairs of operands: two doubles drawn at random hardly ever
 * have overlapping significands, and hardly ever are both zero. So the numbers
 * of one sequence share a `cluster` of exponents, and mostly a family, whose
 * members are difficult for each other.
 */
#ifndef LOCKSTEP_VALUE_H
#define LOCKSTEP_VALUE_H

#include <stdint.h>

#include "base/rng.h"

enum value_family {
	FAMILY_MIXED,
	FAMILY_SPECIAL,	 /* zeros, infinities, NaNs, the first and last numbers */
	FAMILY_TINY,	 /* products and quotients around the smallest normal number */
	FAMILY_HUGE,	 /* the same around the largest */
	FAMILY_HALF_WAY, /* products, sums and both fused, half way between two numbers */
	FAMILY_INTEGER,	 /* whole numbers, halves, the limits of conversions */
	FAMILY_COUNT
};

struct value_source {
	struct rng *rng;
	int cluster; /* unbiased exponent most numbers of this sequence are near to */
	enum value_family family;
};

uint64_t value_integer(struct value_source *source);
uint64_t value_double(struct value_source *source);
uint32_t value_single(struct value_source *source);

/* Members of one family only, which is not FAMILY_MIXED. */
uint64_t value_family_double(struct value_source *source, enum value_family family);
uint32_t value_family_single(struct value_source *source, enum value_family family);
uint16_t value_family_half(struct value_source *source, enum value_family family);

/* What a 64-bit register f may hold: doubles, boxed singles, and now and then
 * a single that is not properly boxed. */
uint64_t value_float_register(struct value_source *source);

/* Eight bytes of memory: an integer, a double or two singles. */
uint64_t value_memory_word(struct value_source *source);

#endif

/*
 * portion.h - a whole number divided in proportion to others, without rounding anything away.
 *
 * Products of two 64-bit numbers are exact. They are functions of a header because an observer asks
 * for every record, and numbers that fit into 32 bits, which nearly all do, need no long division.
 */
#ifndef BASE_PORTION_H
#define BASE_PORTION_H

#include <stdint.h>

#include "base/bits.h"

/* number * part / all, rounded down; part <= all, or the result must fit. */
static inline uint64_t portion(uint64_t number, uint64_t part, uint64_t all)
{
	if (LIKELY((number | part) <= UINT32_MAX))
		return number * part / all;
	return (uint64_t)((unsigned __int128)number * part / all);
}

/* Splits a number in proportion to shares, which must not all be 0; the parts add up to it. */
static inline void portion_split(uint64_t number, const uint64_t *shares, unsigned count,
				 uint64_t *parts)
{
	uint64_t all = 0, sum = 0, given = 0;

	for (unsigned i = 0; i < count; i++)
		all += shares[i];
	for (unsigned i = 0; i < count; i++) {
		parts[i] = 0;
		if (!shares[i])
			continue;
		sum += shares[i];
		uint64_t end = portion(number, sum, all);

		parts[i] = end - given;
		given = end;
	}
}

#endif

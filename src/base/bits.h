/*
 * bits.h - fields, sign extension, powers of two.
 */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Bits low .. low+width-1 of value; width 1..63. */
static inline uint64_t bits_field(uint64_t value, unsigned low, unsigned width)
{
	return (value >> low) & ((UINT64_C(1) << width) - 1);
}

/* The lowest `width` bits (1..64) read as a two's complement number. */
static inline int64_t bits_sign_extend(uint64_t value, unsigned width)
{
	unsigned shift = 64 - width;

	return (int64_t)(value << shift) >> shift;
}

static inline bool bits_is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* Index of the highest set bit; value must not be 0. */
static inline unsigned bits_log2(uint64_t value)
{
	return 63 - (unsigned)__builtin_clzll(value);
}

static inline uint64_t bits_align_down(uint64_t value, uint64_t power_of_two)
{
	return value & ~(power_of_two - 1);
}

static inline uint64_t bits_align_up(uint64_t value, uint64_t power_of_two)
{
	return (value + power_of_two - 1) & ~(power_of_two - 1);
}

#endif

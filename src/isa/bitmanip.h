/*
 * bitmanip.h - the operations of Zbb, Zbc and Zbkb that are more than an expression
 * of C. They are written for being plainly right; no program measured so far
 * spends a thousandth of its instructions on them.
 */
#ifndef ISA_BITMANIP_H
#define ISA_BITMANIP_H

#include <stdint.h>

/* The product of two polynomials over the field of two elements: as a multiplication whose
 * additions do not carry. The highest bit, 127, is always 0. */
static inline unsigned __int128 bitmanip_carryless(uint64_t a, uint64_t b)
{
	unsigned __int128 product = 0;

	for (unsigned i = 0; i < 64; i++)
		if (b >> i & 1)
			product ^= (unsigned __int128)a << i;
	return product;
}

/* The bits of each byte in the opposite order. */
static inline uint64_t bitmanip_reverse_in_bytes(uint64_t value)
{
	value = (value >> 1 & UINT64_C(0x5555555555555555)) | (value & UINT64_C(0x5555555555555555))
								      << 1;
	value = (value >> 2 & UINT64_C(0x3333333333333333)) | (value & UINT64_C(0x3333333333333333))
								      << 2;
	return (value >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (value & UINT64_C(0x0f0f0f0f0f0f0f0f))
								     << 4;
}

/* Each byte that is not 0 becomes 255. */
static inline uint64_t bitmanip_or_bytes(uint64_t value)
{
	uint64_t ones = value;

	ones |= ones >> 1 & UINT64_C(0x7f7f7f7f7f7f7f7f);
	ones |= ones >> 2 & UINT64_C(0x3f3f3f3f3f3f3f3f);
	ones |= ones >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (ones & UINT64_C(0x0101010101010101)) * 255;
}

#endif

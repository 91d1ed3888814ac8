/* edges.h - numbers at which products of two stop fitting into 64 bits, or into 32. */
#ifndef TESTS_UNIT_EDGES_H
#define TESTS_UNIT_EDGES_H

#include <stdint.h>

/* Around the ends of 31, 32, 53 and 63 bits. */
static const uint64_t edges[] = {
	1,
	(UINT64_C(1) << 31) - 1,
	UINT64_C(1) << 31,
	(UINT64_C(1) << 32) - 1,
	UINT64_C(1) << 32,
	(UINT64_C(1) << 32) + 1,
	(UINT64_C(1) << 53) - 1,
	(UINT64_C(1) << 53) + 1,
	(UINT64_C(1) << 62) + 1,
	(UINT64_C(1) << 63) - 1,
	UINT64_C(1) << 63,
};

#endif

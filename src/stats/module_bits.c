/* What a statistics module takes as a circuit (module.h). */
#include "stats/module.h"

#define PC_BITS	   64
#define TIMER_BITS 32

static unsigned bits_for(size_t values)
{
	unsigned bits = 0;

	while (bits < 64 && (UINT64_C(1) << bits) < values)
		bits++;
	return bits;
}

uint64_t stats_bits(size_t signals, size_t ranges, size_t counters, unsigned width_bits)
{
	/* Ranges are selected together with "always". */
	return 2 * TIMER_BITS + ranges * 2 * PC_BITS +
	       counters * (width_bits + bits_for(signals) + bits_for(ranges + 1));
}

uint64_t stats_compared_bits(size_t ranges, size_t ports)
{
	return ports * ranges * 2 * PC_BITS;
}

uint64_t stats_naive_bits(size_t signals, size_t ranges, unsigned width_bits)
{
	return 2 * TIMER_BITS + ranges * 2 * PC_BITS + signals * ranges * width_bits;
}

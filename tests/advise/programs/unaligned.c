/* bottleneck: split access */
#include <stdint.h>
#include <stdio.h>

static uint8_t bytes[8192] __attribute__((aligned(64)));

static inline uint64_t load(const uint8_t *from)
{
	uint64_t value;

	__asm__ volatile("ld %0, 0(%1)" : "=r"(value) : "r"(from)); /* HERE */
	return value;
}

int main(void)
{
	uint64_t at = 60;

	/* Each reaches from one line into the next, and the next address needs it. */
	for (unsigned i = 0; i < 60000; i++)
		at = (load(bytes + at) + at + 64) & 4095; /* HERE */
	printf("%llu\n", (unsigned long long)at);
	return 0;
}

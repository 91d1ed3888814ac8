/* bottleneck: none */
#include <stdint.h>
#include <stdio.h>

/* Bits of four numbers counted side by side, without a table and without a branch. */
static inline uint64_t count(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555;
	x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
	return (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
}

int main(void)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (uint64_t i = 0; i < 120000; i++) {
		a += count(i);
		b += count(i ^ 0x123456789);
		c += count(~i);
		d += count(i << 3 ^ 0x777);
	}
	printf("%llu\n", (unsigned long long)(a + b + c + d));
	return 0;
}

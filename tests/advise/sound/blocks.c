/* bottleneck: none */
#include <stdint.h>
#include <stdio.h>

#define COUNT 128

static uint64_t a[COUNT], b[COUNT];

/* A word of each of two small arrays mixed with shifts, four at once. */
__attribute__((noinline)) static uint64_t combine(void)
{
	uint64_t p = 0, q = 0, r = 0, s = 0;

	for (unsigned i = 0; i < COUNT; i += 4) {
		uint64_t w = a[i] + (b[i] << 2), x = a[i + 1] ^ b[i + 1] << 3;
		uint64_t y = a[i + 2] + (b[i + 2] << 4), z = a[i + 3] ^ b[i + 3] << 5;

		p += (w ^ w >> 7) + i;
		q ^= (x ^ x >> 9) + i;
		r += (y ^ y >> 11) + i;
		s ^= (z ^ z >> 13) + i;
	}
	return p + q + r + s;
}

int main(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < COUNT; i++)
		a[i] = b[COUNT - 1 - i] = i * 77;
	for (unsigned round = 0; round < 6000; round++) {
		sum += combine();
		__asm__ volatile("" ::: "memory");
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

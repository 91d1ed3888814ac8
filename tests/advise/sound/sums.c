/* bottleneck: none */
#include <stdint.h>
#include <stdio.h>

#define COUNT 1024

static uint32_t data[COUNT];

/* Four sums over data that stays in the first cache. */
__attribute__((noinline)) static uint64_t pass(void)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (unsigned i = 0; i < COUNT; i += 4) {
		a += data[i] ^ 0x1f;
		b += data[i + 1] ^ 0x2f;
		c += data[i + 2] ^ 0x3f;
		d += data[i + 3] ^ 0x4f;
	}
	return a + b + c + d;
}

int main(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < COUNT; i++)
		data[i] = i * 7;
	for (unsigned round = 0; round < 1200; round++) {
		sum += pass();
		__asm__ volatile("" ::: "memory");
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

/* bottleneck: none */
#include <stdint.h>
#include <stdio.h>

#define COUNT 512

static uint64_t from[COUNT], to[COUNT];

/* Copies within the first cache, eight words a turn. */
__attribute__((noinline)) static void copy(void)
{
	for (unsigned i = 0; i < COUNT; i += 8) {
		uint64_t a = from[i], b = from[i + 1], c = from[i + 2], d = from[i + 3];

		to[i] = a + 1;
		to[i + 1] = b ^ 3;
		to[i + 2] = c + 2;
		to[i + 3] = d ^ 5;
		a = from[i + 4], b = from[i + 5], c = from[i + 6], d = from[i + 7];
		to[i + 4] = a + 4;
		to[i + 5] = b ^ 7;
		to[i + 6] = c + 8;
		to[i + 7] = d ^ 9;
	}
}

int main(void)
{
	for (unsigned round = 0; round < 6000; round++) {
		copy();
		__asm__ volatile("" ::: "memory");
	}
	printf("%llu\n", (unsigned long long)to[17]);
	return 0;
}

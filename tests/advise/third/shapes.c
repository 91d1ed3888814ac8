/* bottleneck: indirect jump with many targets */
#include <stdint.h>
#include <stdio.h>

__attribute__((noinline)) static uint64_t circle(uint64_t x)
{
	return x + (x << 1) + (x >> 3);
}

__attribute__((noinline)) static uint64_t square(uint64_t x)
{
	return x << 2 ^ 5;
}

__attribute__((noinline)) static uint64_t triangle(uint64_t x)
{
	return (x >> 1) + 9;
}

__attribute__((noinline)) static uint64_t line(uint64_t x)
{
	return x ^ 77;
}

static uint64_t (*const areas[])(uint64_t) = {circle, square, triangle, line};

int main(void)
{
	uint64_t state = 3, sum = 0;

	for (unsigned i = 0; i < 25000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		sum += areas[state >> 62](state >> 20 & 0xffff); /* HERE */
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

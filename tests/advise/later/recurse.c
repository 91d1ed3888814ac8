/* bottleneck: return stack overflow */
#include <stdint.h>
#include <stdio.h>

/* Forty calls deep, by one of two places each time. */
__attribute__((noinline)) static uint64_t walk(uint64_t path, unsigned depth)
{
	if (!depth)
		return path;
	if (path & 1)
		path = walk(path >> 1 ^ path << 40, depth - 1) + 3;
	else
		path = walk(path >> 1 ^ path << 39, depth - 1) ^ 5;
	return path;
} /* HERE */

int main(void)
{
	uint64_t state = 31, sum = 0;

	for (unsigned i = 0; i < 1500; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		sum += walk(state >> 20, 40);
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

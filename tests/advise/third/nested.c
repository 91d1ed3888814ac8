/* bottleneck: return stack overflow */
#include <stdint.h>
#include <stdio.h>

#define DEPTH 40

static uint8_t sides[DEPTH + 1];

/* By one of two places each time, in an order that is the same in every walk. */
__attribute__((noinline, noclone)) static uint64_t walk(uint64_t x, unsigned depth)
{
	if (!depth)
		return x;
	if (sides[depth])
		x = walk(x + 1, depth - 1) ^ 3;
	else
		x = walk(x ^ 1, depth - 1) >> 1;
	return x;
} /* HERE */

int main(void)
{
	uint64_t sum = 0;

	for (unsigned i = 1; i <= DEPTH; i++)
		sides[i] = sides[i / 2] ^ (i & 1);
	for (unsigned i = 0; i < 600; i++)
		sum += walk(sum, DEPTH);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

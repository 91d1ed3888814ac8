/* bottleneck: streaming over the cache */
#include <stdint.h>
#include <stdio.h>

#define COUNT (1 << 18)

static uint64_t data[COUNT];

__attribute__((noinline)) static uint64_t pass(const uint64_t *from)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < COUNT; i += 8)
		sum += from[i] ^ from[i + 4]; /* HERE */
	return sum;
}

int main(void)
{
	uint64_t sum = 0;

	for (unsigned round = 0; round < 4; round++)
		sum += pass(data);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

/* bottleneck: value passed through memory */
#include <stdint.h>
#include <stdio.h>

#define COUNT 2048

static uint8_t values[COUNT];
static uint64_t bins[256];

/* Nearly all values are the same: each sum is read as soon as it is written. */
__attribute__((noinline)) static void add(void)
{
	for (unsigned i = 0; i < COUNT; i++)
		bins[values[i]]++; /* HERE */
}

int main(void)
{
	for (unsigned i = 0; i < COUNT; i++)
		values[i] = i % 61 ? 7 : i % 256;
	for (unsigned round = 0; round < 25; round++)
		add();
	printf("%llu\n", (unsigned long long)bins[7]);
	return 0;
}

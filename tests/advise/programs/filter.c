/* bottleneck: unpredictable branch on data */
#include <stdint.h>
#include <stdio.h>

#define COUNT 4096

static uint8_t data[COUNT];

__attribute__((noinline)) static void pass(uint64_t *low, uint64_t *high)
{
	for (unsigned i = 0; i < COUNT; i++) {
		if (data[i] < 128) /* HERE */
			*low += data[i] * 3u;
		else
			*high ^= data[i] + i;
	}
}

int main(void)
{
	uint64_t state = 3, low = 0, high = 0;

	for (unsigned round = 0; round < 12; round++) {
		for (unsigned i = 0; i < COUNT; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			data[i] = (uint8_t)(state >> 50);
		}
		pass(&low, &high);
	}
	printf("%llu %llu\n", (unsigned long long)low, (unsigned long long)high);
	return 0;
}

/* bottleneck: unpredictable branch on data */
#include <stdint.h>
#include <stdio.h>

#define COUNT 4096

static uint32_t keys[COUNT];

/* Which half it is in is as likely as not at each step. */
__attribute__((noinline)) static unsigned find(uint32_t key)
{
	unsigned low = 0, high = COUNT;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (keys[middle] < key) /* HERE */
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int main(void)
{
	uint64_t state = 9, sum = 0;

	for (unsigned i = 0; i < COUNT; i++)
		keys[i] = i * 1048573;
	for (unsigned i = 0; i < 4000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		sum += find(state >> 32);
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

/* bottleneck: dependent load */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 50000
#define TABLE (1 << 20)

static uint64_t table[TABLE];
static uint32_t where[COUNT];

int main(void)
{
	uint64_t state = 7, sum = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		where[i] = (uint32_t)(state >> 40) % TABLE;
	}
	table[5] = 1;
	__asm__ volatile("" ::: "memory");
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < COUNT; i++)
			sum += table[where[i]] + 1; /* HERE */
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

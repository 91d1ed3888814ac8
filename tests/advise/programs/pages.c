/* bottleneck: page working set over the TLB */
#include <stdint.h>
#include <stdio.h>

#define PAGES 4096
#define STEP  (4096 + 64)

static uint8_t memory[PAGES * STEP];

int main(void)
{
	uint64_t sum = 0;

	__asm__ volatile("" : : "r"(memory) : "memory");
	/* One line of each page: all lines fit into the L2, the pages into no TLB. */
	for (unsigned i = 0; i < 60000; i++)
		sum += memory[(i * 2741u % PAGES) * STEP]; /* HERE */
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

/* bottleneck: conflict misses */
#include <stdio.h>

#define NODES 24
#define APART 4096

static char memory[NODES * APART] __attribute__((aligned(APART)));

int main(void)
{
	/* So few nodes that they take 24 lines, but all in one set. */
	for (unsigned i = 0; i < NODES; i++)
		*(void **)(memory + i * APART) = memory + (i + 7) % NODES * APART;
	void **at = (void **)memory;
	for (unsigned i = 0; i < 60000; i++)
		at = *at; /* HERE */
	printf("%ld\n", (long)((char *)at - memory));
	return 0;
}

/* bottleneck: store burst or store misses */
#include <stdint.h>
#include <stdio.h>

#define LINES (1 << 16)

static uint64_t marks[LINES * 8];

int main(void)
{
	uint64_t state = 5;

	for (unsigned i = 0; i < 30000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		marks[(state >> 40) % LINES * 8] = i; /* HERE */
	}
	printf("%llu\n", (unsigned long long)marks[8]);
	return 0;
}

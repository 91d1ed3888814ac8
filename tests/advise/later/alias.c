/* bottleneck: replayed load or load held back for a store */
#include <stdint.h>
#include <stdio.h>

#define COUNT 256

static uint64_t cells[COUNT], steps[4096];

/* The address of each store needs the sum, and now and then the next load is of the same cell. */
__attribute__((noinline)) static uint64_t run(uint64_t sum)
{
	for (unsigned i = 0; i < 4096; i++) {
		uint64_t late = (sum ^ steps[i]) * 0x9e3779b97f4a7c15;

		late = (late ^ late >> 29) * 0xbf58476d1ce4e5b9;

		cells[late >> 60] = i;	  /* HERE */
		sum += cells[i * 7 & 15]; /* HERE */
	}
	return sum;
}

int main(void)
{
	uint64_t state = 3, sum = 1;

	for (unsigned i = 0; i < 4096; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		steps[i] = state >> 33;
	}
	for (unsigned round = 0; round < 15; round++)
		sum = run(sum);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

/* bottleneck: store misses or store burst or streaming over the cache */
#include <stdint.h>
#include <stdio.h>

#define WORDS (1 << 18)

static uint64_t words[WORDS];

__attribute__((noinline)) static void fill(uint64_t value)
{
	for (unsigned i = 0; i < WORDS; i += 8) {
		words[i] = value;     /* HERE */
		words[i + 5] = value; /* HERE */
	}
}

int main(void)
{
	for (uint64_t round = 0; round < 2; round++)
		fill(round);
	printf("%llu\n", (unsigned long long)words[77]);
	return 0;
}

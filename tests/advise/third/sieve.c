/* bottleneck: store misses or store burst or streaming over the cache */
#include <stdint.h>
#include <stdio.h>

#define COUNT 1500000

static uint8_t crossed[COUNT];

int main(void)
{
	static const unsigned primes[] = {61, 67, 71, 73, 79, 83, 89, 97};
	unsigned sum = 0;

	for (unsigned k = 0; k < sizeof(primes) / sizeof(primes[0]); k++)
		for (unsigned i = primes[k]; i < COUNT; i += primes[k])
			crossed[i] = 1; /* HERE */
	for (unsigned i = 0; i < 1000; i++)
		sum += crossed[i];
	printf("%u\n", sum);
	return 0;
}

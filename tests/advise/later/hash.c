/* bottleneck: scattered access */
#include <stdint.h>
#include <stdio.h>

#define SLOTS (1u << 20)

static uint64_t slots[SLOTS];

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15;
	return x ^ x >> 29;
}

int main(void)
{
	unsigned found = 0;

	for (uint64_t key = 0; key < 1000; key++)
		slots[mix(key) % SLOTS] = key + 1;
	for (uint64_t key = 0; key < 60000; key++)
		found += slots[mix(key) % SLOTS] == key + 1; /* HERE */
	printf("%u\n", found);
	return 0;
}

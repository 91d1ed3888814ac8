/* bottleneck: store-to-load forwarding fails */
#include <stdint.h>
#include <stdio.h>

static volatile union {
	uint32_t half[2];
	uint64_t whole;
} both;

int main(void)
{
	uint64_t sum = 1;

	for (unsigned i = 0; i < 40000; i++) {
		both.half[0] = (uint32_t)sum;
		both.half[1] = i;
		sum += both.whole; /* HERE */
	}
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

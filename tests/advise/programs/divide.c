/* bottleneck: long latency chain */
#include <stdint.h>
#include <stdio.h>

int main(void)
{
	uint64_t value = 12345, other = 0;

	for (unsigned i = 1; i < 40000; i++) {
		value = UINT64_C(0x123456789abcdef) / (value & 0xffff | 1); /* HERE */
		other += i ^ other >> 3;
	}
	printf("%llu %llu\n", (unsigned long long)value, (unsigned long long)other);
	return 0;
}

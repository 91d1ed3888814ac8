/* bottleneck: serialising instruction */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static _Atomic uint64_t counter;

int main(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 40000; i++) {
		sum = sum * 5 + (i ^ sum >> 7);
		atomic_fetch_add(&counter, sum & 3); /* HERE */
	}
	printf("%llu %llu\n", (unsigned long long)counter, (unsigned long long)sum);
	return 0;
}

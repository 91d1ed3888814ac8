/* bottleneck: unit taken or long operation */
#include <stdint.h>
#include <stdio.h>

#define COUNT 1024

static uint64_t above[COUNT], below[COUNT], ratio[COUNT];

int main(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		above[i] = i * 1000003u;
		below[i] = i % 17 + 3;
	}
	for (unsigned round = 0; round < 30; round++)
		for (unsigned i = 0; i < COUNT; i++)
			ratio[i] = above[i] / below[i]; /* HERE */
	for (unsigned i = 0; i < COUNT; i++)
		sum += ratio[i];
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

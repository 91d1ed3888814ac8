/* bottleneck: value passed through memory */
#include <stdint.h>
#include <stdio.h>

struct total {
	volatile uint64_t sum;
};

static uint64_t data[1024];

__attribute__((noinline)) static void add_all(struct total *total)
{
	for (unsigned i = 0; i < 1024; i++)
		total->sum += data[i]; /* HERE */
}

int main(void)
{
	struct total total = {0};

	for (unsigned i = 0; i < 1024; i++)
		data[i] = i;
	for (unsigned round = 0; round < 60; round++)
		add_all(&total);
	printf("%llu\n", (unsigned long long)total.sum);
	return 0;
}

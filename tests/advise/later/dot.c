/* bottleneck: long latency chain */
#include <stdio.h>

#define COUNT 1024

static double a[COUNT], b[COUNT];

__attribute__((noinline)) static double dot(void)
{
	double sum = 0;

	for (int i = 0; i < COUNT; i++)
		sum += a[i] * b[i]; /* HERE */
	return sum;
}

int main(void)
{
	double sum = 0;

	for (int i = 0; i < COUNT; i++)
		a[i] = i, b[i] = 1.0 / (i + 1);
	for (int round = 0; round < 100; round++) {
		sum += dot();
		__asm__ volatile("" ::: "memory");
	}
	printf("%g\n", sum);
	return 0;
}

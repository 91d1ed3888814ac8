/* bottleneck: serialising instruction */
#include <stdio.h>

#define COUNT 256

static double values[COUNT];

int main(void)
{
	double sum = 0;

	for (int i = 0; i < COUNT; i++)
		values[i] = i / 7.0;
	for (int round = 0; round < 60; round++)
		for (int i = 0; i < COUNT; i++) {
			double x = values[i];

			__asm__ volatile("fsrmi 3");				    /* HERE */
			__asm__ volatile("fadd.d %0, %0, %1" : "+f"(x) : "f"(sum)); /* HERE */
			__asm__ volatile("fsrmi 0");				    /* HERE */
			values[i] = x - sum;
			sum += 1;
		}
	printf("%g\n", sum + values[3]);
	return 0;
}

/* bottleneck: long latency chain */
#include <stdio.h>

#define DEGREE 512

static double coefficients[DEGREE];

/* Horner's rule: each step needs the sum of the one before. */
__attribute__((noinline)) static double value(double x)
{
	double sum = 0;

	for (int i = 0; i < DEGREE; i++)
		sum = sum * x + coefficients[i]; /* HERE */
	return sum;
}

int main(void)
{
	double sum = 0;

	for (int i = 0; i < DEGREE; i++)
		coefficients[i] = i % 7 - 3;
	for (int i = 0; i < 100; i++)
		sum += value(i / 128.0);
	printf("%g\n", sum);
	return 0;
}

/* bottleneck: unit taken */
#include <stdio.h>

/* Sixteen sums of products that need nothing of each other. */
__attribute__((noinline)) static double mix(double x, double y)
{
	double a = 0, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7;
	double i = 8, j = 9, k = 10, l = 11, m = 12, n = 13, o = 14, p = 15;

	for (int turn = 0; turn < 15000; turn++) {
		a = a * x + y, b = b * x + y, c = c * x + y, d = d * x + y; /* HERE */
		e = e * x + y, f = f * x + y, g = g * x + y, h = h * x + y; /* HERE */
		i = i * x + y, j = j * x + y, k = k * x + y, l = l * x + y; /* HERE */
		m = m * x + y, n = n * x + y, o = o * x + y, p = p * x + y; /* HERE */
	}
	return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p;
}

int main(int count, char **arguments)
{
	(void)arguments;
	printf("%g\n", mix(0.5 * count, 0.25 * count));
	return 0;
}

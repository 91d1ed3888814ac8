/* bottleneck: conflict misses or page working set over the TLB */
#include <stdio.h>

#define SIDE 256

static double matrix[SIDE][2 * SIDE], sums[SIDE];

int main(void)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			matrix[i][j] = i ^ j;
	/* Down each column: another row, page and line of the same set each time. */
	for (int j = 0; j < SIDE; j++) {
		double a = 0, b = 0, c = 0, d = 0;

		for (int i = 0; i < SIDE; i += 4) {
			a += matrix[i][j];     /* HERE */
			b += matrix[i + 1][j]; /* HERE */
			c += matrix[i + 2][j]; /* HERE */
			d += matrix[i + 3][j]; /* HERE */
		}
		sums[j] = a + b + c + d;
	}
	printf("%g\n", sums[3]);
	return 0;
}

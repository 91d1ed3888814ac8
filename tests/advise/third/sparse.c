/* bottleneck: dependent load */
#include <stdint.h>
#include <stdio.h>

#define COLUMNS	 (1 << 18)
#define ROWS	 2000
#define NONZEROS 16

static double x[COLUMNS], values[ROWS * NONZEROS], y[ROWS];
static uint32_t columns[ROWS * NONZEROS];

__attribute__((noinline)) static void multiply(void)
{
	for (unsigned row = 0; row < ROWS; row++) {
		double sum = 0;

		for (unsigned k = row * NONZEROS; k < (row + 1) * NONZEROS; k++)
			sum += values[k] * x[columns[k]]; /* HERE */
		y[row] = sum;
	}
}

int main(void)
{
	uint64_t state = 77;

	for (unsigned k = 0; k < ROWS * NONZEROS; k++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		columns[k] = state >> 46;
	}
	__asm__ volatile("" : : "r"(x), "r"(values) : "memory");
	multiply();
	printf("%g\n", y[3]);
	return 0;
}

/* bottleneck: conflict misses */
#include <stdint.h>
#include <stdio.h>

#define ROWS	  64
#define ROW_BYTES 65536

static uint8_t matrix[ROWS][ROW_BYTES];

int main(void)
{
	uint64_t sum = 0;

	__asm__ volatile("" : : "r"(matrix) : "memory");
	/* Few lines and few pages, but all in the same set. */
	for (unsigned round = 0; round < 500; round++)
		for (unsigned row = 0; row < ROWS; row++)
			sum += matrix[row * 29 & 63][round & 8]; /* HERE */
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

/* bottleneck: unit taken */
#include <stdint.h>
#include <stdio.h>

#define COUNT 512

static uint32_t in[COUNT + 4], out[COUNT];

/* Four products a turn, none of which needs another. */
__attribute__((noinline)) static void filter(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	for (unsigned i = 0; i < COUNT; i++)
		out[i] = in[i] * a + in[i + 1] * b + in[i + 2] * c + in[i + 3] * d; /* HERE */
}

int main(void)
{
	for (unsigned i = 0; i < COUNT + 4; i++)
		in[i] = i * i + 3;
	for (unsigned round = 0; round < 100; round++)
		filter(round, round * 3 + 1, round ^ 77, 5 - round);
	printf("%u\n", out[100]);
	return 0;
}

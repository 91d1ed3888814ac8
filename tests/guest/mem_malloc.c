/*
 * malloc, calloc, realloc and aligned allocation of all sizes; 300 MB touched here and there.
 */
#include "check.h"
#include <malloc.h>

static uint32_t state = 7;

static uint32_t next(void)
{
	state = state * 1664525 + 1013904223;
	return state >> 8;
}

int main(void)
{
	static unsigned char *blocks[500];
	static size_t sizes[500];
	size_t large = 300u << 20, errors = 0, sum = 0;
	unsigned char *big = malloc(large), *zeros;
	void *aligned;

	TRUTH(big != NULL);
	for (size_t i = 0; i < large; i += 1 << 20)
		big[i] = i >> 20;
	big[large - 1] = 1;
	for (size_t i = 0; i < large; i += 1 << 20)
		sum += big[i];
	SHOW(sum);
	free(big);
	zeros = calloc(50, 1 << 20);
	for (size_t i = 0; i < 50u << 20; i += 4093)
		errors += zeros[i] != 0;
	SHOW(errors);
	free(zeros);

	for (int round = 0; round < 20000; round++) {
		size_t slot = next() % 500, size = next() % (next() % 50 ? 300 : 200000);

		if (blocks[slot]) {
			for (size_t i = 0; i < sizes[slot]; i += 61)
				errors += blocks[slot][i] != (unsigned char)slot;
		}
		if (next() & 1) {
			blocks[slot] = realloc(blocks[slot], size + 1);
		} else {
			free(blocks[slot]);
			blocks[slot] = malloc(size + 1);
		}
		errors += blocks[slot] == NULL;
		memset(blocks[slot], (int)slot, size + 1);
		sizes[slot] = size + 1;
	}
	SHOW(errors);
	for (size_t alignment = 16; alignment <= 1 << 20; alignment *= 4) {
		SHOW(posix_memalign(&aligned, alignment, 100));
		SHOW((uintptr_t)aligned % alignment);
		memset(aligned, 1, 100);
		free(aligned);
	}
	large = PTRDIFF_MAX;
	TRUTH(malloc(large) == NULL);
	TRUTH(errno == ENOMEM);
	TRUTH(calloc(large, 4) == NULL);
	for (int i = 0; i < 500; i++)
		free(blocks[i]);
	SHOW(malloc_trim(0) >= 0);
	SHOW(mallinfo2().uordblks < 100000);
	return 0;
}

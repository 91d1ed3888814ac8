/* Two blocks, each with five lines that are a multiple of 4096 bytes apart, which share a set of
 * the L1D. In the one build the second begins at such a multiple too, so that ten lines compete for
 * eight ways; in the other (MOVED) it lies beside the first in another set. */
#include <stdint.h>
#include <stdlib.h>

#define LINES  5
#define STRIDE 4096
#define ROUNDS 100

static volatile long sink;

__attribute__((noinline)) static void touch(const char *block)
{
	for (long i = 0; i < LINES; i++)
		sink += block[i * STRIDE];
}

int main(void)
{
	char *first = aligned_alloc(STRIDE, LINES * STRIDE); /* site: first */
#ifdef MOVED
	char *second = aligned_alloc(64, LINES * STRIDE); /* site: second */
	int is_right = (uintptr_t)second % STRIDE >= 64;
#else
	char *second = aligned_alloc(STRIDE, LINES * STRIDE); /* site: second */
	int is_right = (uintptr_t)second % STRIDE == 0;
#endif

	for (int i = 0; i < ROUNDS; i++) {
		touch(first);
		touch(second);
	}
	return !is_right;
}

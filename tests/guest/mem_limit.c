/*
 * A block that is larger than half of the memory can be moved; the limit is named when it is
 * reached.
 *
 * only: cyclestack
 * stderr: system call m.*map at 0x.* needs [0-9]* bytes more memory
 * stderr: --memory SIZE
 */
#include "check.h"
#include <sys/mman.h>

#define GIGABYTE ((size_t)1 << 30)
#define PAGE	 4096

int main(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, wrong = 0;
	/* The memory is 4 GB. */
	char *block = mmap(NULL, 5 * GIGABYTE / 2 + PAGE, PROT_READ | PROT_WRITE, flags, -1, 0),
	     *moved;

	for (size_t i = 0; i < 5 * GIGABYTE / 2; i += GIGABYTE / 64)
		block[i] = (char)(i >> 20);
	/* What lies behind it keeps it from growing where it is. */
	mmap(block + 5 * GIGABYTE / 2, PAGE, PROT_NONE, flags | MAP_FIXED, -1, 0);
	moved = mremap(block, 5 * GIGABYTE / 2, 3 * GIGABYTE, MREMAP_MAYMOVE);
	TRUTH(moved != MAP_FAILED && moved != block);
	for (size_t i = 0; i < 5 * GIGABYTE / 2; i += GIGABYTE / 64)
		wrong += moved[i] != (char)(i >> 20);
	TRUTH(wrong == 0);
	TRUTH(moved[3 * GIGABYTE - 1] == 0);
	TRUTH(mremap(moved, 3 * GIGABYTE, 6 * GIGABYTE, MREMAP_MAYMOVE) == MAP_FAILED &&
	      errno == ENOMEM);
	TRUTH(malloc(2 * GIGABYTE) == NULL);
	moved = mremap(moved, 3 * GIGABYTE, PAGE, 0);
	TRUTH(moved[0] == 0);
	block = mmap(NULL, 3 * GIGABYTE, PROT_READ | PROT_WRITE, flags, -1, 0);
	TRUTH(block != MAP_FAILED && block[GIGABYTE] == 0);
	return 0;
}

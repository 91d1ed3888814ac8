/*
 * Memory is paid for when it is filled: more can be mapped than there is, by many threads' stacks
 * too; the limit is named where even that is too much.
 *
 * only: cyclestack
 * stderr: system call m.*map at 0x.* needs [0-9]* bytes more memory
 * stderr: --memory SIZE
 */
#include "check.h"
#include <pthread.h>
#include <sys/mman.h>

#define GIGABYTE ((size_t)1 << 30)
#define PAGE	 4096
#define THREADS	 1000

static pthread_barrier_t barrier;

static void *meet(void *argument)
{
	pthread_barrier_wait(&barrier);
	return argument;
}

static void many_stacks(void)
{
	static pthread_t threads[THREADS];
	int started = 0;

	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		started += pthread_create(&threads[i], NULL, meet, NULL) == 0;
	TRUTH(started == THREADS);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

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
	moved = mremap(block, 5 * GIGABYTE / 2, 6 * GIGABYTE, MREMAP_MAYMOVE);
	TRUTH(moved != MAP_FAILED && moved != block);
	for (size_t i = 0; i < 5 * GIGABYTE / 2; i += GIGABYTE / 64)
		wrong += moved[i] != (char)(i >> 20);
	TRUTH(wrong == 0);
	TRUTH(moved[6 * GIGABYTE - 1] == 0);
	moved[6 * GIGABYTE - 1] = 1;
	char *large = malloc(6 * GIGABYTE);
	TRUTH(large && large[5 * GIGABYTE] == 0);
	many_stacks();
	TRUTH(mremap(moved, 6 * GIGABYTE, 80 * GIGABYTE, MREMAP_MAYMOVE) == MAP_FAILED &&
	      errno == ENOMEM);
	TRUTH(malloc(80 * GIGABYTE) == NULL);
	moved = mremap(moved, 6 * GIGABYTE, PAGE, 0);
	TRUTH(moved[0] == 0);
	block = mmap(NULL, 3 * GIGABYTE, PROT_READ | PROT_WRITE, flags, -1, 0);
	TRUTH(block != MAP_FAILED && block[GIGABYTE] == 0);
	return 0;
}

/*
 * mmap, munmap, mremap, MAP_FIXED, madvise and their errors on anonymous memory.
 */
#include "check.h"
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define MAP(address, size, flags) \
	mmap(address, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (flags), -1, 0)
#define FAILS(call) \
	printf("%s -> %s\n", #call, (call) == MAP_FAILED ? check_error(errno) : "mapped")

static size_t count_not(const char *p, size_t size, char value)
{
	size_t wrong = 0;

	for (size_t i = 0; i < size; i++)
		wrong += p[i] != value;
	return wrong;
}

static void fixed(void)
{
	char *base = MAP(NULL, 8 * PAGE, 0), *again;

	memset(base, 'x', 8 * PAGE);
	again = MAP(base + 2 * PAGE, 2 * PAGE, MAP_FIXED);
	TRUTH(again == base + 2 * PAGE);
	SHOW(count_not(base, 2 * PAGE, 'x'));
	SHOW(count_not(again, 2 * PAGE, 0));
	SHOW(count_not(base + 4 * PAGE, 4 * PAGE, 'x'));
	TRY(munmap(base + PAGE, PAGE));
	TRUTH(MAP(base + PAGE, PAGE, MAP_FIXED_NOREPLACE) == base + PAGE);
	SHOW(count_not(base + PAGE, PAGE, 0));
	FAILS(MAP(base + 1, PAGE, MAP_FIXED));
	TRUTH(MAP(base + 1, PAGE, 0) != MAP_FAILED);
	TRY(munmap(base, 8 * PAGE));
	TRY(munmap(base, 8 * PAGE));
	TRUTH(MAP(base, PAGE, 0) == base);
}

static void resized(void)
{
	char *base = MAP(NULL, 4 * PAGE, 0), *moved, *target;

	memset(base, 'r', 4 * PAGE);
	moved = mremap(base, 4 * PAGE, 400 * PAGE, MREMAP_MAYMOVE);
	TRUTH(moved != MAP_FAILED);
	SHOW(count_not(moved, 4 * PAGE, 'r'));
	SHOW(count_not(moved + 4 * PAGE, 396 * PAGE, 0));
	moved[400 * PAGE - 1] = 1;
	TRUTH(mremap(moved, 400 * PAGE, 2 * PAGE, 0) == moved);
	SHOW(count_not(moved, 2 * PAGE, 'r'));
	target = MAP(NULL, 4 * PAGE, 0);
	memset(target, 't', 4 * PAGE);
	TRUTH(mremap(moved, 2 * PAGE, 3 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, target) == target);
	SHOW(count_not(target, 2 * PAGE, 'r'));
	SHOW(count_not(target + 2 * PAGE, PAGE, 0));
	SHOW(count_not(target + 3 * PAGE, PAGE, 't'));
	FAILS(mremap(target + 1, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
	TRY(munmap(target, 4 * PAGE));
}

static void advised(void)
{
	char *base = MAP(NULL, 4 * PAGE, 0);

	memset(base, 'a', 4 * PAGE);
	TRY(madvise(base, 4 * PAGE, MADV_WILLNEED));
	TRY(madvise(base, 4 * PAGE, MADV_SEQUENTIAL));
	TRY(madvise(base, 4 * PAGE, MADV_NORMAL));
	TRY(madvise(base + PAGE, PAGE, MADV_DONTNEED));
	SHOW(count_not(base, PAGE, 'a'));
	SHOW(count_not(base + PAGE, PAGE, 0));
	SHOW(count_not(base + 2 * PAGE, 2 * PAGE, 'a'));
	TRY(madvise(base + 1, PAGE, MADV_DONTNEED));
	TRY(msync(base, 4 * PAGE, MS_SYNC));
	TRY(mlock(base, PAGE));
	TRY(munlock(base, PAGE));
	TRY(munmap(base, 4 * PAGE));
}

int main(void)
{
	char *huge, *shared;
	size_t mapped = 0;
	void *pages[200];

	FAILS(MAP(NULL, 0, 0));
	FAILS(MAP(NULL, (size_t)1 << 62, 0));
	FAILS(mmap(NULL, PAGE, PROT_READ, MAP_ANONYMOUS, -1, 0));
	FAILS(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, -1, 0));
	FAILS(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 1));
	TRY(munmap((void *)1, PAGE));
	TRY(munmap((void *)(uintptr_t)PAGE, 0));
	fixed();
	resized();
	advised();
	huge = MAP(NULL, (size_t)1 << 30, MAP_NORESERVE);
	TRUTH(huge != MAP_FAILED);
	huge[0] = huge[((size_t)1 << 30) - 1] = 1;
	TRY(munmap(huge, (size_t)1 << 30));
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	SHOW(count_not(shared, PAGE, 0));
	for (int i = 0; i < 200; i++) {
		pages[i] = MAP(NULL, PAGE * (1 + i % 3), 0);
		mapped += pages[i] != MAP_FAILED;
		*(int *)pages[i] = i;
	}
	SHOW(mapped);
	for (int i = 0; i < 200; i++) {
		mapped -= *(int *)pages[i] == i;
		munmap(pages[i], PAGE * (1 + i % 3));
	}
	SHOW(mapped);
	return 0;
}

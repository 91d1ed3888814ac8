/*
 * limits MODE: asks for memory until there is no more, and must be told so with ENOMEM.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MB ((size_t)1 << 20)

static void *map(size_t size, int rights)
{
	return mmap(NULL, size, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int by_mmap(void)
{
	size_t got = 0;

	for (;;) {
		char *p = map(MB, PROT_READ | PROT_WRITE);

		if (p == MAP_FAILED)
			break;
		memset(p, 1, MB);
		if (++got > 100000)
			return 1;
	}
	printf("%s after %s\n", strerrorname_np(errno), got > 0 ? "some" : "none");
	return 0;
}

static int by_brk(void)
{
	char *start = sbrk(0);
	size_t got = 0;

	while (sbrk(MB) != (void *)-1) {
		memset(start + got * MB, 1, MB);
		if (++got > 100000)
			return 1;
	}
	printf("%s after %s\n", strerrorname_np(errno), got > 0 ? "some" : "none");
	return 0;
}

static int by_size(void)
{
	int refused = 0, sizes = 0;

	for (int bit = 40; bit < 64; bit++, sizes++)
		refused += map((size_t)1 << bit, PROT_READ | PROT_WRITE) == MAP_FAILED;
	for (int bit = 40; bit < 64; bit++, sizes++)
		refused += mmap((void *)((uintptr_t)1 << bit), ~(size_t)0 << 12, PROT_READ,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED;
	printf("%d of %d refused\n", refused, sizes);
	return refused != sizes;
}

static int million(void)
{
	char *first = NULL, *p;
	int got = 0;

	for (int i = 0; i < 1000000; i++) {
		/* Neighbours with different rights cannot become one mapping. */
		p = map(4096, i & 1 ? PROT_READ : PROT_READ | PROT_WRITE);
		if (p == MAP_FAILED)
			break;
		if (!first)
			first = p;
		got++;
	}
	if (got < 1000)
		return 1;
	first[0] = 7;
	munmap(first, 4096);
	p = map(4096, PROT_READ | PROT_WRITE);
	if (p == MAP_FAILED || p[0] != 0)
		return 1;
	puts("lived through a million mappings");
	return 0;
}

static int holes(void)
{
	char *base = map(512 * MB, PROT_NONE);
	size_t pages = 512 * MB / 4096;

	if (base == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < pages; i += 2)
		if (munmap(base + i * 4096, 4096))
			break;
	puts("lived through many holes");
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strcmp(mode, "mmap"))
		return by_mmap();
	if (!strcmp(mode, "brk"))
		return by_brk();
	if (!strcmp(mode, "size"))
		return by_size();
	if (!strcmp(mode, "million"))
		return million();
	if (!strcmp(mode, "holes"))
		return holes();
	return 2;
}

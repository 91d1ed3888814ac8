/*
 * mappings vanish: maps a shared mapping once more over itself, which ends it.
 * mappings FILE SEEDS: random calls on the address space, the heap and the files that are mapped.
 * After each sequence everything is given back, and there must be as much memory to be had as
 * before: what is charged is what is mapped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE   ((size_t)4096)
#define WINDOW 64 /* pages, of which the first are the heap's */
#define HEAP   24
#define FILES  3
#define STEPS  600

/* In static memory: the heap is given away. */
static char *pieces[4096];
static char bytes[4 * 4096];
static char *window;
static int files[FILES];
static uint32_t seed;

static uint32_t below(uint32_t end)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % end;
}

/* How many pieces of 64 KB there are. */
static int available(void)
{
	const size_t piece = 16 * PAGE;
	int got = 0;

	while (got < 4096 && (pieces[got] = mmap(NULL, piece, PROT_READ | PROT_WRITE,
						 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED)
		got++;
	for (int i = 0; i < got; i++)
		munmap(pieces[i], piece);
	return got;
}

static void step(void)
{
	char *a = window + below(WINDOW) * PAGE, *b = window + below(WINDOW) * PAGE;
	size_t some = (1 + below(8)) * PAGE, more = below(10) * PAGE;
	int fd = files[below(FILES)], prot = (int)below(8);
	off_t offset = below(8) * PAGE;

	switch (below(14)) {
	case 0: mmap(a, some, prot, MAP_SHARED | MAP_FIXED, fd, offset); break;
	case 1: mmap(a, some, prot, MAP_PRIVATE | MAP_FIXED, fd, offset); break;
	case 2: mmap(a, some, prot, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0); break;
	case 3: mmap(a, some, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); break;
	case 4: mremap(a, more, some, MREMAP_MAYMOVE | MREMAP_FIXED, b); break;
	case 5: mremap(a, more, some, MREMAP_MAYMOVE | MREMAP_FIXED, a); break;
	case 6: mremap(a, more, some, 0); break;
	case 7: munmap(a, some); break;
	case 8: mprotect(a, some, prot); break;
	case 9: brk(window + below(HEAP) * PAGE + below(2) * 100); break;
	case 10: ftruncate(fd, below(9 * PAGE)); break;
	case 11: madvise(a, some, MADV_DONTNEED); break;
	/* The kernel reads and writes where the program would fault. */
	case 12: pread(fd, a, some, offset); break;
	default: pwrite(fd, a, some, offset); break;
	}
}

static void sequence(void)
{
	for (int i = 0; i < STEPS; i++)
		step();
	brk(window);
	munmap(window, (WINDOW + 16) * PAGE);
	for (int i = 0; i < FILES; i++)
		ftruncate(files[i], 0);
}

static void vanish(void)
{
	char *p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (mremap(p, 0, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, p) != MAP_FAILED)
		puts("it is still there");
	else
		puts(strerrorname_np(errno));
}

int main(int argc, char **argv)
{
	if (argc == 2) {
		vanish();
		return 0;
	}
	window = sbrk(0);
	window += -(uintptr_t)window % PAGE;
	brk(window);
	files[0] = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0644);
	files[1] = memfd_create("plain", 0);
	files[2] = memfd_create("appending", 0);
	fcntl(files[2], F_SETFL, O_APPEND);
	pwrite(files[0], bytes, sizeof(bytes), 0);
	ftruncate(files[0], 0);
	int before = available();
	for (int i = 1; i <= atoi(argv[2]); i++) {
		seed = (uint32_t)i;
		sequence();
		int after = available();

		if (after != before) {
			printf("seed %d: %d pieces, %d before\n", i, after, before);
			return 1;
		}
	}
	printf("as before\n");
	return 0;
}

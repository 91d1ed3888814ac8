/*
 * mremap by a table: every place, old and new size around a mapping of four pages, and what each
 * page then holds; and arguments that are refused.
 *
 * beside: host
 */
#include "check.h"
#include <sys/mman.h>
#include <unistd.h>

#define PAGE  4096
#define PAGES 14
#define FIRST 5 /* the mapping that is moved: four pages, the n-th filled with '0' + n */

/* Nothing but the mapping is there; its neighbours are free. */
static char *lay_out(void)
{
	static char *base;

	if (!base)
		base = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(base, PAGES * PAGE);
	mmap(base + FIRST * PAGE, 4 * PAGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	for (int i = 0; i < 4; i++)
		memset(base + (FIRST + i) * PAGE, '0' + i, PAGE);
	return base;
}

/* A letter for each page: what fills it, '.' for zeros, '-' if it is not mapped. */
static void show(char *base)
{
	char line[PAGES + 1] = {0};

	for (int i = 0; i < PAGES; i++) {
		unsigned char resident;

		line[i] = mincore(base + i * PAGE, PAGE, &resident) != 0 ? '-'
			  : base[i * PAGE]				 ? base[i * PAGE]
									 : '.';
	}
	printf("%s\n", line);
}

static void move(int from, size_t old, size_t new, int flags, long to)
{
	char *base = lay_out();
	char *moved = mremap(base + from * PAGE, old, new, flags, base + to);

	printf("%d+%zu -> %ld+%zu, %d: ", from, old, to, new, flags);
	if (moved == MAP_FAILED)
		printf("%s ", check_error(errno));
	else
		printf("%td ", moved - base);
	show(base);
}

int main(void)
{
	for (int from = FIRST; from < FIRST + 3; from += 2)
		for (int old = 1; old <= 2; old++)
			for (int new = 1; new <= 3; new ++)
				for (int to = 0; to + new <= PAGES; to++)
					move(from, old * PAGE, new *PAGE,
					     MREMAP_MAYMOVE | MREMAP_FIXED, to * PAGE);
	/* In place: there is room behind the mapping, and none behind its second page. */
	move(FIRST, 4 * PAGE, 5 * PAGE, 0, 0);
	move(FIRST + 2, 2 * PAGE, 4 * PAGE, 0, 0);
	move(FIRST, 2 * PAGE, 3 * PAGE, 0, 0);
	move(FIRST, 4 * PAGE, 3 * PAGE, 0, 0);
	move(FIRST, 4 * PAGE - 1, 4 * PAGE + 1, 0, 0);
	/* Refused. */
	move(FIRST, 4 * PAGE, 0, MREMAP_MAYMOVE, 0);
	move(FIRST, 4 * PAGE, PAGE, MREMAP_FIXED, 0);
	move(FIRST, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, 1);
	move(FIRST, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED | 64, 0);
	move(FIRST, 6 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, 0);
	move(FIRST - 1, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, 0);
	return 0;
}

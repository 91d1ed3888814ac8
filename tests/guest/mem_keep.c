/*
 * mremap with MREMAP_DONTUNMAP moves what memory holds, and leaves the memory where it was, empty.
 *
 * link: static
 * beside: host
 */
#include "check.h"
#include <sys/mman.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#define BYTES ((size_t)16384)

static char *move(char *from, size_t old_bytes, size_t new_bytes, int flags, void *to)
{
	char *at = mremap(from, old_bytes, new_bytes, flags, to);

	printf("mremap -> %s\n", at == MAP_FAILED ? check_error(errno) : "moved");
	return at;
}

int main(void)
{
	const int keep = MREMAP_MAYMOVE | MREMAP_DONTUNMAP;
	char *from = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *to, *place;

	strcpy(from + 4096, "content");
	move(from, BYTES, BYTES, MREMAP_DONTUNMAP, NULL);
	move(from, BYTES, 2 * BYTES, keep, NULL);
	move(from, BYTES, 4096, keep, NULL);
	move(from + 1, BYTES, BYTES, keep, NULL);
	to = move(from, BYTES, BYTES, keep, NULL);
	TRUTH(to != from);
	puts(to + 4096);
	SHOW(from[4096]);
	from[4096] = 'x';
	SHOW(to[4096]);
	place = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	to = move(to, BYTES, BYTES, keep | MREMAP_FIXED, place);
	TRUTH(to == place);
	puts(to + 4096);
	move(to, BYTES, BYTES, keep | MREMAP_FIXED, to + 4096);
	return 0;
}

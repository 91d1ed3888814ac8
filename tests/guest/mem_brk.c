/*
 * The break grows, shrinks, and its pages come back zero.
 */
#include "check.h"
#include <unistd.h>

int main(void)
{
	static char buffer[4096];
	char *start, *grown;
	size_t dirty = 0;

	/* The library must have no reason of its own to move the break. */
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	start = sbrk(0);
	TRUTH(start != (void *)-1);
	grown = sbrk(1 << 20);
	TRUTH(grown == start);
	TRUTH((char *)sbrk(0) == start + (1 << 20));
	for (size_t i = 0; i < 1 << 20; i += 97)
		dirty += start[i] != 0;
	SHOW(dirty);
	memset(start, 0xaa, 1 << 20);
	TRUTH(sbrk(-(1 << 19)) != (void *)-1);
	TRUTH((char *)sbrk(0) == start + (1 << 19));
	TRUTH(start[(1 << 19) - 1] == (char)0xaa);
	sbrk(1 << 19);
	dirty = 0;
	for (size_t i = (1 << 19) + 4096; i < 1 << 20; i++)
		dirty += start[i] != 0;
	SHOW(dirty);
	TRUTH(brk(start) == 0);
	TRUTH((char *)sbrk(0) == start);
	TRUTH(sbrk(INT64_MAX / 2) == (void *)-1);
	TRUTH(errno == ENOMEM);
	TRUTH((char *)sbrk(0) == start);
	return 0;
}

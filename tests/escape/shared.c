/*
 * shared MODE FILE: writes to a file through a shared mapping; what the file then holds must be
 * what was written.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static char *map(int fd, size_t size, off_t offset)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	if (p == MAP_FAILED)
		puts(strerrorname_np(errno));
	return p;
}

static void check(int fd, off_t at, char expected)
{
	char got = 0;

	pread(fd, &got, 1, at);
	if (got != expected)
		printf("byte %ld is %c, not %c\n", (long)at, got, expected);
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0644) : -1;
	char *p, *q;

	ftruncate(fd, 6 * PAGE);
	pwrite(fd, "f", 1, 3 * PAGE);
	if (fd < 0) {
		return 2;
	} else if (!strcmp(argv[1], "move")) {
		p = map(fd, 2 * PAGE, PAGE);
		mmap(p + 2 * PAGE, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		p[0] = 'a';
		q = mremap(p, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE);
		q[1] = 'b';
		q[PAGE] = 'c';
		if (q == p || q[2 * PAGE] != 'f')
			puts("the mapping is not extended by the file");
		q[3 * PAGE] = 'd';
		munmap(q, 4 * PAGE);
		check(fd, PAGE, 'a');
		check(fd, PAGE + 1, 'b');
		check(fd, 2 * PAGE, 'c');
		check(fd, 3 * PAGE, 'f');
		check(fd, 4 * PAGE, 'd');
	} else if (!strcmp(argv[1], "part")) {
		/* The middle of a mapping moves, the rest stays. */
		p = map(fd, 3 * PAGE, 0);
		q = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		q = mremap(p + PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, q);
		p[0] = 'a';
		q[0] = 'b';
		p[2 * PAGE] = 'c';
		msync(q, PAGE, MS_SYNC);
		check(fd, PAGE, 'b');
		munmap(p, PAGE);
		munmap(p + 2 * PAGE, PAGE);
		check(fd, 0, 'a');
		check(fd, 2 * PAGE, 'c');
	} else if (!strcmp(argv[1], "shrink")) {
		p = map(fd, 2 * PAGE, 0);
		p[PAGE] = 'b';
		p = mremap(p, 2 * PAGE, PAGE, 0);
		p[0] = 'a';
		munmap(p, PAGE);
		check(fd, 0, 'a');
		check(fd, PAGE, 'b');
	} else if (!strcmp(argv[1], "descriptors")) {
		while (open(argv[2], O_RDONLY) >= 0)
			;
		p = map(fd, PAGE, 0);
		p[0] = 'a';
		munmap(p, PAGE);
		check(fd, 0, 'a');
		p = map(fd, 3 * PAGE, 0);
		munmap(p + PAGE, PAGE);
		p[2 * PAGE] = 'c';
		munmap(p, 3 * PAGE);
		check(fd, 2 * PAGE, 'c');
	} else {
		return 2;
	}
	puts("done");
	return 0;
}

/*
 * limits MODE [DIRECTORY]: asks for memory, or for what the tool needs memory for, until there is
 * no more, and must be told so.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

static int say(const char *what, int count, int most)
{
	if (count >= most)
		puts("no end");
	else
		printf("%s after %s\n", what, count > 0 ? "some" : "none");
	return count >= most;
}

static int open_in(const char *directory, const char *name, int flags)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return open(path, flags, 0644);
}

/* Mappings of a file that nobody may access. */
static int by_file(const char *directory)
{
	int fd = open_in(directory, "big", O_RDONLY), got = 0;

	while (got < 40 && mmap(NULL, 16 * MB, PROT_NONE, MAP_PRIVATE, fd, 0) != MAP_FAILED)
		got++;
	return say(strerrorname_np(errno), got, 40);
}

/* Filled memory that is made inaccessible and moved. */
static int by_mremap(void)
{
	int got = 0;

	for (; got < 40; got++) {
		char *p = map(16 * MB, PROT_READ | PROT_WRITE);

		if (p == MAP_FAILED)
			break;
		memset(p, 1, 16 * MB);
		mprotect(p, 16 * MB, PROT_NONE);
		map(4096, PROT_NONE);
		if (mremap(p, 16 * MB, 16 * MB + 4096, MREMAP_MAYMOVE) == MAP_FAILED)
			break;
	}
	return say(strerrorname_np(errno), got, 40);
}

/* Inaccessible memory that was never filled, moved. */
static int sparse(void)
{
	char *p = map(1024 * MB, PROT_NONE);

	p = mremap(p, 1024 * MB, 1024 * MB, MREMAP_MAYMOVE | MREMAP_FIXED, p - 2048 * MB);
	puts(p == MAP_FAILED ? strerrorname_np(errno) : "moved");
	return 0;
}

static int is_zero(char *p, size_t size)
{
	mprotect(p, size, PROT_READ | PROT_WRITE);
	for (size_t i = 0; i < size; i++)
		if (p[i])
			return 0;
	return 1;
}

static char *map_again(char *p, size_t size)
{
	return mmap(p, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* Anonymous memory is zero, whatever was at its address before. */
static int zero(const char *directory)
{
	int fd = open_in(directory, "big", O_RDONLY);
	char *p = mmap(NULL, MB, PROT_NONE, MAP_PRIVATE, fd, 0), *q;

	if (!is_zero(map_again(p, MB), MB))
		puts("a mapped file shows through");
	munmap(p, MB);
	p = mmap(NULL, MB, PROT_NONE, MAP_PRIVATE, fd, 0);
	munmap(p, MB);
	if (!is_zero(map_again(p, MB), MB))
		puts("an unmapped file shows through");
	memset(p, 1, MB);
	mprotect(p, MB, PROT_NONE);
	q = map(MB, PROT_NONE);
	q = mremap(p, MB, MB, MREMAP_MAYMOVE | MREMAP_FIXED, q);
	munmap(q, MB);
	if (!is_zero(map_again(q, MB), MB) || !is_zero(map_again(p, MB), MB))
		puts("moved memory shows through");
	p = map(2 * MB, PROT_READ | PROT_WRITE);
	memset(p, 1, 2 * MB);
	p = mremap(p, 2 * MB, MB, 0);
	p = mremap(p, MB, 2 * MB, MREMAP_MAYMOVE);
	if (!is_zero(p + MB, MB))
		puts("memory that was cut off comes back");
	memset(sbrk(MB), 1, MB);
	sbrk(-(intptr_t)MB);
	if (!is_zero(sbrk(MB), MB))
		puts("the old heap shows through");
	fd = open(directory, O_RDONLY);
	p = map(MB, PROT_READ | PROT_WRITE);
	memset(p, 1, MB);
	if (mmap(p, MB, PROT_NONE, MAP_PRIVATE | MAP_FIXED, fd, 0) != MAP_FAILED ||
	    !is_zero(map_again(p, MB), MB))
		puts("a mapping that failed leaves something");
	puts("done");
	return 0;
}

static int signals(void)
{
	sigset_t set;
	int sent = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	while (sent < 100000 && !sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = sent}))
		sent++;
	for (int i = 0; i < sent; i++) {
		siginfo_t info;

		if (sigwaitinfo(&set, &info) != SIGRTMIN || info.si_value.sival_int != i)
			return 1;
	}
	return say(strerrorname_np(errno), sent, 100000);
}

static int listings(const char *directory)
{
	char entries[4096];
	int got = 0, fd;

	while ((fd = open(directory, O_RDONLY | O_DIRECTORY)) >= 0) {
		if (getdents64(fd, entries, sizeof(entries)) < 0)
			return say(strerrorname_np(errno), got, 2000);
		got++;
	}
	puts("no more descriptors");
	return 0;
}

static int mappings(const char *directory)
{
	int fd = open_in(directory, "empty", O_RDWR | O_CREAT), got = 0;

	while (got < 70000 && mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE, fd, 0) != MAP_FAILED)
		got++;
	return say(strerrorname_np(errno), got, 70000);
}

/* Mappings of a file whose name is as long as names can be. */
static int by_name(const char *directory)
{
	char name[251];
	int got = 0;

	chdir(directory);
	for (int i = 0; i < 15; i++) {
		memset(name, 'a' + i, sizeof(name) - 1);
		name[sizeof(name) - 1] = 0;
		mkdir(name, 0755);
		chdir(name);
	}
	int fd = open("file", O_RDWR | O_CREAT, 0644);
	while (got < 20000 && mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE, fd, 0) != MAP_FAILED)
		got++;
	return say(strerrorname_np(errno), got, 20000);
}

/* Executes one instruction in every 512 bytes of a large area, each of which jumps to the next. */
static int spread(size_t size)
{
	const size_t step = 512;
	char *p = map(size, PROT_READ | PROT_WRITE | PROT_EXEC);

	if (p == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < size; i += step)
		*(uint32_t *)(p + i) = i + step < size ? 0x2000006f : 0x00008067; /* j .+512; ret */
	((void (*)(void))p)();
	puts("executed");
	return 0;
}

/* A file in memory that every write makes longer, whatever offset it names. */
static int by_append(void)
{
	static char block[1 << 20];
	int fd = memfd_create("appended", 0), got = 0;

	fcntl(fd, F_SETFL, O_APPEND);
	while (got < 400 && pwrite(fd, block, sizeof(block), 0) == sizeof(block))
		got++;
	return say(strerrorname_np(errno), got, 400);
}

/* The heap is covered with mappings of one small file and made shorter; then the file changes. */
static int by_heap(void)
{
	const int pieces = 400;
	char *start = sbrk(0), byte = 1;
	int fd = memfd_create("shown", 0), left = 0;

	start += -(uintptr_t)start % 4096;
	ftruncate(fd, MB);
	brk(start);
	for (int i = 0; i < pieces; i++)
		if (brk(start + (i + 1) * MB) != 0 ||
		    mmap(start + i * MB, MB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
			 0) == MAP_FAILED)
			return 1;
	brk(start);
	ftruncate(fd, MB / 2);
	ftruncate(fd, MB);
	for (size_t i = 0; i < pieces * MB; i += 4096)
		left += pread(fd, start + i, sizeof(byte), 0) == sizeof(byte);
	printf("%d pages left\n", left);
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
	if (!strcmp(mode, "append"))
		return by_append();
	if (!strcmp(mode, "heap"))
		return by_heap();
	if (!strcmp(mode, "size"))
		return by_size();
	if (!strcmp(mode, "million"))
		return million();
	if (!strcmp(mode, "holes"))
		return holes();
	if (!strcmp(mode, "mremap"))
		return by_mremap();
	if (!strcmp(mode, "sparse"))
		return sparse();
	if (!strcmp(mode, "signals"))
		return signals();
	if (!strcmp(mode, "spread") && argc > 2)
		return spread((size_t)atoi(argv[2]) * MB);
	if (!strcmp(mode, "file") && argc > 2)
		return by_file(argv[2]);
	if (!strcmp(mode, "zero") && argc > 2)
		return zero(argv[2]);
	if (!strcmp(mode, "listings") && argc > 2)
		return listings(argv[2]);
	if (!strcmp(mode, "name") && argc > 2)
		return by_name(argv[2]);
	if (!strcmp(mode, "mappings") && argc > 2)
		return mappings(argv[2]);
	return 2;
}

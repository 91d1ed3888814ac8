/*
 * Mappings that are moved, grown and cut refuse each wrong number, at the ends of what there is.
 *
 * data: yes
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <sys/stat.h>

#define PAGE	 4096l
#define RW	 (PROT_READ | PROT_WRITE)
#define ANON	 (MAP_PRIVATE | MAP_ANONYMOUS)
#define BEYOND	 (1ul << 62)
#define MOVES	 MREMAP_MAYMOVE
#define FIXED	 (MREMAP_MAYMOVE | MREMAP_FIXED)
#define KEEPS	 (MREMAP_MAYMOVE | MREMAP_DONTUNMAP)
#define IS(call) (errno = 0, check_mapped(#call, (long)(call)))

static char *map(size_t pages)
{
	return mmap(NULL, pages * PAGE, RW, ANON, -1, 0);
}

/* Whether it is an address, which is another on every system, or an error. */
static long check_mapped(const char *text, long result)
{
	printf("%s -> %s\n", text, result == -1 ? check_error(errno) : "mapped");
	return result;
}

static void mapping(int fd)
{
	puts("# mmap");
	IS(mmap(NULL, 0, RW, ANON, -1, 0));
	IS(mmap(NULL, BEYOND, RW, ANON, -1, 0));
	IS(mmap(NULL, -1ul, RW, ANON, -1, 0));
	IS(mmap(NULL, -PAGE, RW, ANON, -1, 0));
	IS(mmap((void *)1, PAGE, RW, ANON | MAP_FIXED, -1, 0));
	IS(mmap((void *)-PAGE, PAGE, RW, ANON | MAP_FIXED, -1, 0));
	IS(mmap((void *)-PAGE, 2 * PAGE, RW, ANON | MAP_FIXED, -1, 0));
	IS(mmap((void *)BEYOND, PAGE, RW, ANON | MAP_FIXED, -1, 0));
	IS(mmap((void *)BEYOND, PAGE, RW, ANON, -1, 0));
	IS(mmap((void *)1, PAGE, RW, ANON, -1, 0));
	IS(mmap(NULL, PAGE, RW, MAP_ANONYMOUS, -1, 0));
	IS(mmap(NULL, PAGE, RW, MAP_PRIVATE, -1, 0));
	IS(mmap(NULL, PAGE, RW, MAP_PRIVATE, 99, 0));
	IS(mmap(NULL, PAGE, RW, MAP_PRIVATE, fd, 1));
	IS(mmap(NULL, PAGE, RW, MAP_PRIVATE, fd, BEYOND));
	IS(mmap(NULL, 2 * PAGE, RW, MAP_PRIVATE, fd, INT64_MAX - PAGE + 1));
	IS(mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, INT64_MAX - PAGE + 1));
	IS(mmap(NULL, PAGE, RW, MAP_PRIVATE, fd, -PAGE));
	char *at = map(3);
	IS(mmap(at + PAGE, PAGE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0));
	munmap(at + PAGE, PAGE);
	IS(mmap(at + PAGE, PAGE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0));
	puts("# munmap");
	TRY(munmap(at, 0));
	TRY(munmap(at + 1, PAGE));
	TRY(munmap(at, -1ul));
	TRY(munmap(at, BEYOND));
	TRY(munmap((void *)BEYOND, PAGE));
	TRY(munmap(at, 1));
	TRY(munmap(at, PAGE));
	TRY(munmap(at, 3 * PAGE));
	puts("# mprotect");
	at = map(2);
	TRY(mprotect(at, 0, PROT_READ));
	TRY(mprotect(at + 1, PAGE, PROT_READ));
	TRY(mprotect(at, -1ul, PROT_READ));
	TRY(mprotect((void *)BEYOND, PAGE, PROT_READ));
	TRY(mprotect((void *)-PAGE, PAGE, PROT_READ));
	munmap(at + PAGE, PAGE);
	TRY(mprotect(at, 2 * PAGE, PROT_READ));
	TRY(mprotect(at, PAGE, 0x40));
	munmap(at, PAGE);
}

static void moving(int fd)
{
	char *at = map(8), *file = mmap(NULL, 2 * PAGE, RW, MAP_SHARED, fd, 0);
	char *private = mmap(NULL, 2 * PAGE, RW, MAP_PRIVATE, fd, 0);

	puts("# mremap");
	strcpy(at, "first");
	strcpy(at + PAGE, "second");
	IS(mremap(at, PAGE, 0, MOVES));
	IS(mremap(at, BEYOND, PAGE, MOVES));
	IS(mremap(at, -1ul, PAGE, MOVES));
	IS(mremap(at + 1, PAGE, PAGE, MOVES));
	IS(mremap(at, PAGE, PAGE, 8));
	IS(mremap(at, PAGE, PAGE, MREMAP_FIXED, at + 4 * PAGE));
	IS(mremap(at, PAGE, PAGE, FIXED, at + 1));
	IS(mremap(at, PAGE, PAGE, FIXED, at));
	IS(mremap(at, 2 * PAGE, 2 * PAGE, FIXED, at + PAGE));
	IS(mremap(at + PAGE, 2 * PAGE, 2 * PAGE, FIXED, at));
	IS(mremap(at, PAGE, PAGE, FIXED, BEYOND));
	IS(mremap(at, PAGE, PAGE, FIXED, -PAGE));
	IS(mremap(at, PAGE, BEYOND, FIXED, at + 4 * PAGE));
	IS(mremap(at, 0, PAGE, MOVES));
	IS(mremap(at, PAGE, 2 * PAGE, 0));
	IS(mremap((void *)BEYOND, PAGE, PAGE, MOVES));
	TRUTH(mremap(at, 2 * PAGE, PAGE, 0) == at);
	TRUTH(mremap(at, PAGE, PAGE, 0) == at);
	TRUTH(mremap(at, PAGE, 2 * PAGE, 0) == at);
	TRUTH(!at[PAGE]);
	strcpy(at + PAGE, "again");
	TRUTH(mremap(at, 2 * PAGE, 2 * PAGE, FIXED, at + 4 * PAGE) == at + 4 * PAGE);
	TRUTH(strcmp(at + 4 * PAGE, "first") == 0 && strcmp(at + 5 * PAGE, "again") == 0);
	/* Shrunk and moved at once; what was given up is not there any more. */
	TRUTH(mremap(at + 4 * PAGE, 2 * PAGE, PAGE, FIXED, at) == at);
	TRY(mprotect(at + 5 * PAGE, PAGE, PROT_READ));
	TRUTH(strcmp(at, "first") == 0);
	puts("# that keeps");
	IS(mremap(at, PAGE, 2 * PAGE, KEEPS, 0));
	IS(mremap(at, PAGE, PAGE, MREMAP_DONTUNMAP, 0));
	IS(mremap(at, 0, PAGE, KEEPS, 0));
	IS(mremap(at, BEYOND, BEYOND, KEEPS, 0));
	IS(mremap(at, PAGE, PAGE, KEEPS | MREMAP_FIXED, at + 1));
	IS(mremap(at, PAGE, PAGE, KEEPS | MREMAP_FIXED, at));
	char *moved = mremap(at, PAGE, PAGE, KEEPS, 0);
	TRUTH(strcmp(moved, "first") == 0 && !*at);
	TRUTH(mremap(moved, PAGE, PAGE, KEEPS | MREMAP_FIXED, at + 6 * PAGE) == at + 6 * PAGE);
	TRUTH(strcmp(at + 6 * PAGE, "first") == 0 && !*moved);
	puts("# of files");
	IS(mremap(file, 0, PAGE, 0));
	char *twice = mremap(file, 0, 2 * PAGE, MOVES);
	strcpy(file, "both");
	TRUTH(twice != file && strcmp(twice, "both") == 0);
	char *third = mremap(file, 0, PAGE, FIXED, at + 2 * PAGE);
	TRUTH(third == at + 2 * PAGE && strcmp(third, "both") == 0);
	IS(mremap(private, 0, PAGE, MOVES));
	IS(mremap(file, PAGE, 3 * PAGE, 0));
	TRUTH(mremap(file, 2 * PAGE, PAGE, 0) == file);
	TRY(mprotect(file, 2 * PAGE, RW));
	IS(mremap(file, 2 * PAGE, 3 * PAGE, MOVES));
	strcpy(private, "own");
	private = mremap(private, 2 * PAGE, 2 * PAGE, FIXED, at + 2 * PAGE);
	TRUTH(strcmp(private, "own") == 0 && strcmp(twice, "both") == 0);
	puts("# msync");
	TRY(msync(twice, PAGE, MS_SYNC));
	TRY(msync(twice, PAGE, MS_SYNC | MS_ASYNC));
	TRY(msync(twice, PAGE, 8));
	TRY(msync(twice + 1, PAGE, MS_SYNC));
	TRY(msync(twice, -1ul, MS_SYNC));
	TRY(msync(twice, 0, MS_SYNC));
	TRY(msync((void *)BEYOND, PAGE, MS_SYNC));
	TRY(msync(twice, BEYOND, MS_SYNC));
}

static void breaking(void)
{
	char *start = sbrk(0);

	puts("# brk");
	TRY(brk((void *)1) == -1);
	TRY(brk((void *)BEYOND));
	TRUTH(sbrk(0) == start);
	TRUTH(sbrk(3 * PAGE) == start);
	start[3 * PAGE - 1] = 1;
	TRUTH(sbrk(-2 * PAGE) == start + 3 * PAGE);
	TRUTH(sbrk(2 * PAGE) == start + PAGE);
	TRUTH(!start[3 * PAGE - 1]);
	puts("# hints");
	char *at = map(3);
	unsigned char there[4];
	TRY(madvise(at + 1, PAGE, MADV_DONTNEED));
	TRY(madvise(at, -1ul, MADV_DONTNEED));
	TRY(madvise(at, 0, MADV_DONTNEED));
	TRY(madvise(at, PAGE, 999));
	TRY(madvise(at, PAGE, MADV_NORMAL));
	strcpy(at, "x");
	TRY(madvise(at, 1, MADV_DONTNEED));
	TRUTH(!*at);
	TRY(mincore(at, PAGE, there));
	TRY(mincore(at + 1, PAGE, there));
	TRY(mincore(at, PAGE, (void *)1));
	TRY(mincore(at, -1ul, there));
	TRY(mlock(at, PAGE));
	TRY(mlock(at, BEYOND));
	TRY(mlock(at, -1ul));
	TRY(munlock(at, PAGE));
	TRY(munlock(at, BEYOND));
	munmap(at + PAGE, PAGE);
	TRY(mlock(at, 3 * PAGE));
	TRY(munlock(at, 3 * PAGE));
	TRY(mincore(at, 3 * PAGE, there));
	TRY(madvise(at, 3 * PAGE, MADV_DONTNEED));
}

int main(int argc, char **argv)
{
	check_enter(argc, argv, chdir);
	int fd = open("file", O_RDWR | O_CREAT, 0644);

	ftruncate(fd, 3 * PAGE);
	mapping(fd);
	moving(fd);
	breaking();
	return 0;
}

/*
 * Shared mappings where qemu differs from Linux: mremap of nothing, code with two addresses.
 *
 * data: yes
 * only: cyclestack
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static void try_one(int fd, int flags)
{
	char *one = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0);
	char *two = mremap(one, 0, 2 * PAGE, MREMAP_MAYMOVE);

	TRUTH(two != MAP_FAILED && two != one);
	strcpy(two + PAGE, "once more");
	TRUTH(strcmp(one + PAGE, "once more") == 0);
	munmap(one, 2 * PAGE);
	TRUTH(strcmp(two + PAGE, "once more") == 0);
	munmap(two, 2 * PAGE);
}

/* Code written through one mapping is executed through another. */
static void code_twice(int fd)
{
	static const unsigned short returns[2][2] = {{0x4505, 0x8082}, {0x4509, 0x8082}};
	unsigned short *text = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int (*call)(void) =
		(int (*)(void))mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);

	for (int i = 0; i < 4; i++) {
		memcpy(text, returns[i % 2], 4);
		__builtin___clear_cache((char *)call, (char *)call + 4);
		TRUTH(call() == 1 + i % 2);
	}
	pwrite(fd, returns[0], 4, 0);
	__builtin___clear_cache((char *)call, (char *)call + 4);
	TRUTH(call() == 1);
	munmap(text, PAGE);
	munmap((void *)call, PAGE);
}

int main(int argc, char **argv)
{
	char buffer[10] = "", *own;
	int fd;

	check_enter(argc, argv, chdir);
	fd = open("file", O_CREAT | O_RDWR, 0644);
	ftruncate(fd, 2 * PAGE);
	try_one(fd, 0);
	try_one(-1, MAP_ANONYMOUS);
	pread(fd, buffer, 9, PAGE);
	TRUTH(strcmp(buffer, "once more") == 0);
	code_twice(fd);
	own = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TRUTH(mremap(own, 0, PAGE, MREMAP_MAYMOVE) == MAP_FAILED && errno == EINVAL);
	return 0;
}

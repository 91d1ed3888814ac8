/*
 * A file in memory cannot be sealed against writing while it is mapped so that it could be written,
 * and cannot be mapped so once it is sealed.
 *
 * link: static
 * beside: host
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static void *map(int fd, int protection, int type)
{
	void *at = mmap(NULL, 4096, protection, type, fd, 0);

	printf("mmap -> %s\n", at == MAP_FAILED ? check_error(errno) : "mapped");
	return at;
}

int main(void)
{
	int fd = memfd_create("sealed", MFD_ALLOW_SEALING);
	void *writable, *readable;

	TRY(ftruncate(fd, 8192));
	writable = map(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	TRY(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	TRY(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW));
	TRY(fcntl(fd, F_GET_SEALS));
	TRY(munmap(writable, 4096));
	map(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	TRY(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	map(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	readable = map(fd, PROT_READ, MAP_SHARED);
	TRY(mprotect(readable, 4096, PROT_READ | PROT_WRITE));
	map(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	TRY(write(fd, "x", 1));
	return 0;
}

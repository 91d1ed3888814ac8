/*
 * Files under /dev/shm end at --memory with ENOSPC, their number is bounded, and what is removed is
 * room again.
 *
 * link: static
 * only: cyclestack
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char block[1 << 20];
/* The memory is 4 GB; sizes that are only set take none of the host. */
#define STEP (256LL << 20)

int main(void)
{
	char name[64];
	int fd = open("/dev/shm/large", O_RDWR | O_CREAT, 0600), count = 0;
	long long size = 0;

	TRUTH(ftruncate(fd, 1LL << 40) == -1 && errno == ENOSPC);
	TRUTH(ftruncate(fd, 1LL << 62) == -1 && (errno == ENOSPC || errno == EFBIG));
	TRUTH(pwrite(fd, "x", 1, 1LL << 50) == -1 && errno == ENOSPC);
	while (ftruncate(fd, size + STEP) == 0)
		size += STEP;
	TRUTH(errno == ENOSPC);
	TRUTH(size >= 8 * STEP && size <= 16 * STEP);
	TRUTH(pwrite(fd, block, 1, size + STEP) == -1 && errno == ENOSPC);
	int other = open("/dev/shm/other", O_RDWR | O_CREAT, 0600);
	TRUTH(ftruncate(other, STEP) == -1 && errno == ENOSPC);
	TRUTH(ftruncate(fd, size - STEP) == 0);
	TRUTH(ftruncate(other, STEP) == 0);
	TRUTH(close(other) == 0 && unlink("/dev/shm/other") == 0);
	TRUTH(ftruncate(fd, size) == 0);
	TRUTH(ftruncate(fd, 0) == 0);
	TRUTH(write(fd, block, sizeof(block)) == sizeof(block));
	close(fd);
	TRUTH(unlink("/dev/shm/large") == 0);
	for (;; count++) {
		snprintf(name, sizeof(name), "/dev/shm/%d", count);
		if (mkdir(name, 0700) != 0)
			break;
	}
	TRUTH(errno == ENOSPC);
	TRUTH(count > 1000 && count < 100000);
	while (count--) {
		snprintf(name, sizeof(name), "/dev/shm/%d", count);
		if (rmdir(name) != 0)
			puts("rmdir: NO");
	}
	TRUTH(mkdir("/dev/shm/again", 0700) == 0);
	TRUTH(rmdir("/dev/shm") == -1 && errno == EBUSY);
	return 0;
}

/*
 * A file in memory is read, written, mapped, truncated and sealed.
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	struct stat info;
	char text[16] = "", name[300];

	memset(name, 'n', sizeof(name));
	name[299] = 0;
	TRY(memfd_create(name, 0));
	TRY(memfd_create("x", 0x1000));
	TRY(memfd_create((char *)8, 0));
	int fd = OPEN(memfd_create("in memory", MFD_ALLOW_SEALING | MFD_CLOEXEC));
	TRY(fcntl(fd, F_GETFD));
	TRY(fcntl(fd, F_GET_SEALS));
	TRY(write(fd, "contents", 8));
	TRY(lseek(fd, 0, SEEK_CUR));
	TRY(pread(fd, text, 16, 0));
	puts(text);
	TRY(ftruncate(fd, 10000));
	TRY(fstat(fd, &info));
	SHOW(info.st_size);
	SHOW(S_ISREG(info.st_mode));
	char *map = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	TRUTH(map != MAP_FAILED);
	puts(map);
	memcpy(map + 9000, "mapped", 6);
	TRY(msync(map, 10000, MS_SYNC));
	memset(text, 0, sizeof(text));
	TRY(pread(fd, text, 6, 9000));
	puts(text);
	TRY(munmap(map, 10000));
	TRY(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
	TRY(fcntl(fd, F_GET_SEALS));
	TRY(ftruncate(fd, 5));
	TRY(ftruncate(fd, 50000));
	TRY(pwrite(fd, "x", 1, 20000));
	TRY(pwrite(fd, "x", 1, 0));
	TRY(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL));
	TRY(pwrite(fd, "x", 1, 0));
	TRY(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	int plain = memfd_create("plain", 0);
	TRY(fcntl(plain, F_ADD_SEALS, F_SEAL_WRITE));
	TRY(fcntl(plain, F_GET_SEALS));
	TRY(fcntl(0, F_GET_SEALS));
	TRY(close(fd));
	return 0;
}

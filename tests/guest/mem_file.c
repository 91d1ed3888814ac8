/*
 * A mapped file is seen privately or shared, past its end zero, and after its descriptor closed.
 *
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define FAILS(call) \
	printf("%s -> %s\n", #call, (call) == MAP_FAILED ? check_error(errno) : "mapped")

int main(int argc, char **argv)
{
	static unsigned char bytes[3 * PAGE], back[3 * PAGE];
	unsigned char *own, *shared, *second;
	size_t size = 2 * PAGE + 100, wrong = 0;
	int fd, readable, writable;

	check_enter(argc, argv, chdir);
	for (size_t i = 0; i < size; i++)
		bytes[i] = i * 7 + (i >> 8);
	fd = open("mapped", O_CREAT | O_RDWR, 0644);
	write(fd, bytes, size);

	own = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	TRUTH(own != MAP_FAILED);
	SHOW(memcmp(own, bytes, size));
	for (size_t i = size; i < 3 * PAGE; i++)
		wrong += own[i] != 0;
	SHOW(wrong);
	memset(own, 0xee, PAGE);
	pread(fd, back, size, 0);
	SHOW(memcmp(back, bytes, size));

	second = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, PAGE);
	SHOW(memcmp(second, bytes + PAGE, PAGE));
	FAILS(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 100));

	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared == MAP_FAILED) {
		printf("shared mapping: %s\n", check_error(errno));
	} else {
		memcpy(shared + 10, "through the mapping", 19);
		TRY(msync(shared, size, MS_SYNC));
		pread(fd, back, 19, 10);
		printf("<%.19s>\n", back);
		TRY(munmap(shared, size));
		pread(fd, back, 19, 10);
		printf("<%.19s>\n", back);
	}
	readable = open("mapped", O_RDONLY);
	writable = open("mapped", O_WRONLY);
	FAILS(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, readable, 0));
	FAILS(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, readable, 0));
	FAILS(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, writable, 0));
	FAILS(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, 999, 0));
	TRY(close(fd));
	TRY(unlink("mapped"));
	SHOW(memcmp(second, bytes + PAGE, PAGE));
	SHOW(own[0] == 0xee && own[PAGE] == bytes[PAGE]);
	return 0;
}

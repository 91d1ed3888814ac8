/*
 * What was stored to a shared mapping is in the file however the program ends.
 *
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

/* Stores to clean pages behind branches that nothing predicts: half of them on a wrong path. */
static void guess(char *at, int fd, int rounds)
{
	uint64_t state = 88172645463325252u;
	long taken = 0;

	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < 200; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			if (state & 1) {
				at[state % (8 * PAGE)] = (char)(state >> 32);
				taken++;
			} else {
				taken += at[state % (8 * PAGE)];
			}
		}
		msync(at, 8 * PAGE, MS_SYNC);
	}
	printf("%ld\n", taken);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	char *at, back[8] = "";
	int fd;

	check_enter(argc, argv, chdir);
	fd = open("ends", O_CREAT | O_RDWR, 0644);
	ftruncate(fd, 8 * PAGE);
	at = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	guess(at, fd, strcmp(how, "") ? 1 : 20);
	strcpy(at + 5 * PAGE, "kept");
	close(fd);
	fflush(stdout);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "loop"))
		for (;;)
			at[5 * PAGE + 10]++;
	if (!strcmp(how, "_exit"))
		_exit(3);
	fd = open("ends", O_RDONLY);
	pread(fd, back, 5, 5 * PAGE);
	puts(back);
	return 0;
}

/*
 * Descriptors are given lowest first, and the limit on them is EMFILE.
 *
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rlimit limit = {64, 64};
	int first, last = -1, fd, count = 0;

	check_enter(argc, argv, chdir);
	first = open("file", O_CREAT | O_RDWR, 0644);
	for (int i = 1; i <= 5; i++) {
		fd = open("file", O_RDONLY);
		TRUTH(fd == first + i);
	}
	close(first + 2);
	close(first + 4);
	TRUTH(dup(first) == first + 2);
	TRUTH(open("file", O_RDONLY) == first + 4);
	TRY(setrlimit(RLIMIT_NOFILE, &limit));
	while ((fd = open("file", O_RDONLY)) >= 0 && count < 1000) {
		last = fd;
		count++;
	}
	printf("stopped by %s after descriptor %d\n", check_error(errno), last);
	TRY(dup(first));
	TRY(close(last));
	TRUTH(open("file", O_RDONLY) == last);
	return 0;
}

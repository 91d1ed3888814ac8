/*
 * readv, writev, holes, dup and fcntl: one description behind several descriptors.
 *
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void vectors(int fd)
{
	char a[4] = "abc", b[5] = "defg", c[3] = "hi", x[6] = "", y[32] = "";
	struct iovec out[] = {{a, 3}, {NULL, 0}, {b, 4}, {c, 2}};
	struct iovec in[] = {{x, 5}, {y, 20}};

	TRY(writev(fd, out, 4));
	TRY(lseek(fd, 0, SEEK_SET));
	TRY(readv(fd, in, 2));
	printf("<%s> <%s>\n", x, y);
	/* Three that have something, of unequal lengths, and one that is filled in part. */
	char one[2] = "", two[4] = "", three[3] = "", four[9] = "";
	struct iovec parts[] = {{one, 1}, {two, 3}, {NULL, 0}, {three, 2}, {four, 8}};
	TRY(lseek(fd, 0, SEEK_SET));
	TRY(readv(fd, parts, 5));
	printf("<%s> <%s> <%s> <%s>\n", one, two, three, four);
	TRY(pwritev(fd, out + 2, 2, 100));
	memset(y, 0, sizeof(y));
	TRY(preadv(fd, in + 1, 1, 98));
	for (int i = 0; i < 8; i++)
		printf(" %d", y[i]);
	putchar('\n');
	TRY(writev(fd, out, -1));
	TRY(writev(fd, out, 0));
	TRY(readv(fd, in, 5000));
}

static void holes(void)
{
	static char block[8192];
	struct stat st;
	int fd = OPEN(open("hole", O_CREAT | O_RDWR, 0644));
	size_t nonzero = 0;

	TRY(lseek(fd, 1 << 20, SEEK_SET));
	TRY(write(fd, "x", 1));
	TRY(fstat(fd, &st));
	SHOW(st.st_size);
	TRY(pread(fd, block, sizeof(block), (1 << 20) - 8191));
	for (size_t i = 0; i < sizeof(block); i++)
		nonzero += block[i] != 0;
	SHOW(nonzero);
	TRY(close(fd));
}

static void descriptors(int fd)
{
	char text[8] = "";
	int copy = OPEN(dup(fd)), high;

	TRY(lseek(fd, 5, SEEK_SET));
	TRY(lseek(copy, 0, SEEK_CUR));
	TRY(read(copy, text, 2));
	puts(text);
	TRY(lseek(fd, 0, SEEK_CUR));
	TRY(dup2(fd, 100));
	TRY(read(100, text, 2));
	puts(text);
	TRY(dup2(fd, fd) == fd);
	TRY(dup3(fd, fd, 0));
	TRY(dup2(fd, -1));
	TRY(dup3(fd, 101, O_CLOEXEC));
	SHOW(fcntl(101, F_GETFD));
	SHOW(fcntl(100, F_GETFD));
	TRY(fcntl(100, F_SETFD, FD_CLOEXEC));
	SHOW(fcntl(100, F_GETFD));
	high = TRY(fcntl(fd, F_DUPFD, 200));
	SHOW(fcntl(high, F_GETFD));
	SHOW(fcntl(high, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK));
	TRY(fcntl(high, F_SETFL, O_APPEND));
	SHOW(fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK));
	TRY(fcntl(high, 9999, 0));
	TRY(close(high));
	TRY(close(100));
	TRY(close(101));
	TRY(close(copy));
	TRY(write(fd, "z", 1));
}

static void copied(int from)
{
	off_t at = 2;
	char text[8] = "";
	int to = OPEN(open("copy", O_CREAT | O_RDWR, 0644));

	TRY(sendfile(to, from, &at, 4));
	SHOW(at);
	TRY(pread(to, text, sizeof(text), 0));
	puts(text);
	TRY(close(to));
}

int main(int argc, char **argv)
{
	int fd;

	check_enter(argc, argv, chdir);
	fd = OPEN(open("vectors", O_CREAT | O_RDWR, 0644));
	vectors(fd);
	holes();
	descriptors(fd);
	copied(fd);
	TRY(close(fd));
	return 0;
}

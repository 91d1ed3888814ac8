/*
 * Files are created, written, read, sought, appended to, truncated, renamed and removed.
 *
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char paths[4][512];

static const char *in(const char *directory, const char *name)
{
	static int next;
	char *path = paths[next++ & 3];

	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

static void contents(const char *path)
{
	char text[128];
	int fd = open(path, O_RDONLY);
	ssize_t got = read(fd, text, sizeof(text));

	printf("contents (%zd):", got);
	for (ssize_t i = 0; i < got; i++)
		printf(text[i] >= ' ' ? " %c" : " \\%o", text[i]);
	putchar('\n');
	close(fd);
}

int main(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : ".";
	char text[64] = "";
	struct stat st;
	int fd;

	umask(022);
	fd = OPEN(open(in(dir, "a"), O_CREAT | O_RDWR | O_TRUNC, 0644));
	TRY(write(fd, "hello, world", 12));
	TRY(lseek(fd, 0, SEEK_CUR));
	TRY(lseek(fd, 7, SEEK_SET));
	TRY(read(fd, text, sizeof(text)));
	printf("<%.5s>\n", text);
	TRY(read(fd, text, sizeof(text)));
	TRY(lseek(fd, -5, SEEK_END));
	TRY(write(fd, "W", 1));
	TRY(lseek(fd, -100, SEEK_CUR));
	TRY(lseek(fd, 0, 77));
	TRY(pread(fd, text, 5, 7));
	printf("<%.5s>\n", text);
	TRY(pread(fd, text, 5, -1));
	TRY(pwrite(fd, "HELL", 4, 0));
	TRY(lseek(fd, 0, SEEK_CUR));
	contents(in(dir, "a"));
	TRY(ftruncate(fd, 5));
	TRY(fstat(fd, &st));
	SHOW(st.st_size);
	TRY(ftruncate(fd, 9));
	contents(in(dir, "a"));
	TRY(lseek(fd, 20, SEEK_SET));
	TRY(write(fd, "end", 3));
	contents(in(dir, "a"));
	TRY(fsync(fd));
	TRY(fdatasync(fd));
	TRY(close(fd));
	TRY(close(fd));
	TRY(write(fd, "x", 1));

	fd = OPEN(open(in(dir, "a"), O_WRONLY | O_APPEND));
	TRY(lseek(fd, 0, SEEK_SET));
	TRY(write(fd, "+", 1));
	TRY(read(fd, text, 1));
	TRY(lseek(fd, 0, SEEK_CUR));
	TRY(close(fd));
	fd = OPEN(open(in(dir, "a"), O_RDONLY));
	TRY(write(fd, "x", 1));
	TRY(close(fd));

	TRY(truncate(in(dir, "a"), 3));
	contents(in(dir, "a"));
	TRY(rename(in(dir, "a"), in(dir, "b")));
	TRY(access(in(dir, "a"), F_OK));
	TRY(access(in(dir, "b"), R_OK | W_OK));
	TRY(stat(in(dir, "b"), &st));
	printf("mode %o size %lld links %d regular %d\n", st.st_mode & 07777, (long long)st.st_size,
	       (int)st.st_nlink, S_ISREG(st.st_mode));
	TRY(chmod(in(dir, "b"), 0600));
	TRY(stat(in(dir, "b"), &st));
	printf("mode %o\n", st.st_mode & 07777);

	fd = OPEN(open(in(dir, "b"), O_RDWR));
	TRY(unlink(in(dir, "b")));
	TRY(access(in(dir, "b"), F_OK));
	TRY(read(fd, text, 3));
	printf("<%.3s>\n", text);
	TRY(fstat(fd, &st));
	SHOW(st.st_nlink);
	TRY(close(fd));
	return 0;
}

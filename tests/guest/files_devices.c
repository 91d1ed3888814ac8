/*
 * Devices and directories read, write, seek and wait as those of Linux; space is given and taken.
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

static void device(const char *path)
{
	char bytes[16];
	int fd = open(path, O_RDWR);

	printf("%s: %s\n", path, fd < 0 ? check_error(errno) : "opened");
	if (fd < 0)
		return;
	memset(bytes, 'x', sizeof(bytes));
	TRY(read(fd, bytes, 8));
	if (strcmp(path, "/dev/urandom") != 0)
		printf("%d %d\n", bytes[0], bytes[7]);
	SHOW(bytes[8]);
	TRY(read(fd, bytes, 0));
	TRY(pread(fd, bytes, 4, 100));
	TRY(write(fd, bytes, 8));
	TRY(write(fd, bytes, 0));
	TRY(pwrite(fd, bytes, 4, 100));
	TRY(lseek(fd, 10, SEEK_SET));
	TRY(lseek(fd, 0, SEEK_CUR) >= 0);
	struct pollfd one = {fd, POLLIN | POLLOUT | POLLHUP, 0};
	TRY(poll(&one, 1, 0));
	SHOW(one.revents);
	struct stat info;
	TRY(fstat(fd, &info));
	SHOW(S_ISCHR(info.st_mode));
	TRY(ftruncate(fd, 5));
	TRY(fsync(fd));
	TRY(fallocate(fd, 0, 0, 10));
	close(fd);
}

static void directory(void)
{
	char byte;
	int fd;

	mkdir("d", 0755);
	fd = OPEN(open("d", O_RDONLY | O_DIRECTORY));
	TRY(read(fd, &byte, 1));
	TRY(pread(fd, &byte, 1, 0));
	TRY(write(fd, &byte, 1));
	TRY(lseek(fd, 0, SEEK_SET));
	TRY(lseek(fd, 0, SEEK_CUR));
	TRY(lseek(fd, -1, SEEK_SET));
	TRY(ftruncate(fd, 0));
	TRY(fallocate(fd, 0, 0, 1));
	TRY(fsync(fd));
	TRY(unlinkat(fd, ".", AT_REMOVEDIR));
	TRY(unlinkat(fd, "..", AT_REMOVEDIR));
	TRY(unlinkat(fd, ".", 0));
	TRY(unlink("d"));
	TRY(rmdir("d/"));
	TRY(rmdir("d"));
	close(fd);
}

static void space(void)
{
	struct stat info;
	char text[32] = "";
	int fd = OPEN(open("f", O_RDWR | O_CREAT | O_TRUNC, 0644)), other;

	TRY(write(fd, "abcdefghijklmnopqrst", 20));
	TRY(fallocate(fd, 0, 10, 100));
	fstat(fd, &info);
	SHOW(info.st_size);
	TRY(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 5000));
	fstat(fd, &info);
	SHOW(info.st_size);
	TRY(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 3, 4));
	TRY(pread(fd, text, 12, 0));
	for (int i = 0; i < 12; i++)
		printf("%d ", text[i]);
	puts("");
	TRY(fallocate(fd, FALLOC_FL_PUNCH_HOLE, 3, 4));
	TRY(fallocate(fd, 0, -1, 10));
	TRY(fallocate(fd, 0, 10, 0));
	TRY(fallocate(fd, 0, 10, -1));
	TRY(fallocate(fd, 0, INT64_MAX, 10));
	TRY(fallocate(fd, 0x4000, 0, 10));
	TRY(fallocate(99, 0, 0, 10));
	other = OPEN(open("f", O_RDONLY));
	TRY(fallocate(other, 0, 0, 10));
	close(other);
	int ends[2];
	pipe(ends);
	TRY(fallocate(ends[1], 0, 0, 10));
	TRY(lseek(fd, 0, SEEK_DATA));
	TRY(lseek(fd, 110, SEEK_DATA));
	TRY(lseek(fd, 109, SEEK_HOLE));
	TRY(lseek(fd, INT64_MAX, SEEK_CUR));
	close(fd);
}

int main(int argc, char **argv)
{
	check_enter(argc, argv, chdir);
	device("/dev/null");
	device("/dev/zero");
	device("/dev/full");
	device("/dev/urandom");
	directory();
	space();
	return 0;
}

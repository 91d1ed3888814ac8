/*
 * Calls on open files refuse what they cannot do, and transfer as many bytes as they say.
 *
 * data: yes
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>

static char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";

static void show_bytes(const char *what, const char *bytes, size_t count)
{
	printf("%s: %.*s\n", what, (int)count, bytes);
}

static void transfers(int rw, int r, int w, int dir, int path)
{
	char in[64] = {0}, *edge = edge_new();
	struct iovec two[2] = {{text, 3}, {text + 10, 5}},
		     out[3] = {{in, 2}, {in + 10, 0}, {in + 20, 40}};
	struct iovec many[1025], bad[2] = {{text, 3}, {(void *)1, 5}},
				 huge[2] = {{text, 3}, {text, -1}};

	for (int i = 0; i < 1025; i++)
		many[i] = (struct iovec){text + i % 36, 1};
	puts("# read and write");
	TRY(write(rw, text, 36));
	TRY(write(r, text, 1));
	TRY(read(w, in, 1));
	TRY(read(dir, in, 1));
	TRY(write(dir, in, 1));
	TRY(read(path, in, 1));
	TRY(write(path, in, 1));
	TRY(pread(rw, in, 10, 30));
	show_bytes("pread", in, 10);
	TRY(pread(rw, in, 1, 35));
	TRY(pread(rw, in, 1, 36));
	TRY(pread(rw, in, 1, -1));
	TRY(pwrite(rw, "XY", 2, 4));
	TRY(pwrite(rw, "X", 1, -1));
	TRY(pwrite(r, "X", 1, 0));
	TRY(pread(w, in, 1, 0));
	TRY(pread(dir, in, 1, 0));
	TRY(lseek(rw, 0, SEEK_CUR));
	TRY(lseek(rw, 2, SEEK_SET));
	TRY(readv(rw, out, 3));
	show_bytes("first", in, 2);
	show_bytes("third", in + 20, 36);
	TRY(lseek(rw, 0, SEEK_CUR));
	TRY(writev(rw, two, 2));
	TRY(preadv(rw, out, 3, 33));
	show_bytes("first", in, 2);
	show_bytes("third", in + 20, 9);
	TRY(preadv(rw, out, 1, -1));
	TRY(pwritev(rw, two, 2, 40));
	TRY(pwritev(rw, two, 2, -1));
	TRY(preadv(rw, out, 3, 40));
	show_bytes("first", in, 2);
	show_bytes("third", in + 20, 8);
	TRY(readv(rw, out, 0));
	TRY(writev(rw, many, 1024));
	TRY(writev(rw, many, 1025));
	TRY(readv(rw, many, 1025));
	TRY(writev(rw, two, -1));
	TRY(writev(rw, bad, 2));
	TRY(writev(rw, bad, 1));
	TRY(writev(rw, huge, 2));
	TRY(writev(rw, (void *)1, 1));
	TRY(writev(r, two, 2));
	TRY(readv(w, out, 3));
	TRY(readv(-1, out, 3));
	TRY(preadv(-1, out, 3, 0));
	TRY(writev(rw, BEFORE(two), 2));
	puts("# at the edge of memory");
	memset(edge - 8, 'e', 8);
	TRY(write(rw, edge - 8, 8));
	TRY(write(rw, edge - 8, 9));
	TRY(write(rw, edge, 1));
	TRY(write(rw, edge, 0));
	TRY(write(rw, (void *)-1, 1));
	TRY(pread(rw, edge - 8, 8, 0));
	show_bytes("whole", edge - 8, 8);
	TRY(pread(rw, edge - 8, 9, 1));
	show_bytes("part", edge - 8, 8);
	TRY(pread(rw, edge, 1, 0));
	TRY(pread(rw, edge, 1, 100000));
	TRY(pread(rw, (void *)-1, 1, 0));
	out[0] = (struct iovec){edge - 3, 4};
	TRY(preadv(rw, out, 1, 2));
	TRY(preadv(rw, out, 3, 2));
	two[1] = (struct iovec){edge - 2, 3};
	TRY(pwritev(rw, two, 2, 200));
	TRY(pread(rw, in, 10, 200));
	show_bytes("written", in, 5);
}

static void seeks(int rw, int r, int dir, int path)
{
	int pipes[2];

	puts("# lseek");
	pipe(pipes);
	ftruncate(rw, 100);
	TRY(lseek(rw, 5, SEEK_SET));
	TRY(lseek(rw, 7, SEEK_CUR));
	TRY(lseek(rw, -12, SEEK_CUR));
	TRY(lseek(rw, -1, SEEK_CUR));
	TRY(lseek(rw, -100, SEEK_END));
	TRY(lseek(rw, -101, SEEK_END));
	TRY(lseek(rw, 3, SEEK_END));
	TRY(lseek(rw, 99, SEEK_DATA));
	TRY(lseek(rw, 100, SEEK_DATA));
	TRY(lseek(rw, 99, SEEK_HOLE));
	TRY(lseek(rw, 100, SEEK_HOLE));
	TRY(lseek(rw, 0, 5));
	TRY(lseek(rw, 0, -1));
	TRY(lseek(r, 0, SEEK_END));
	TRY(lseek(pipes[0], 0, SEEK_SET));
	TRY(lseek(pipes[0], 0, 5));
	TRY(lseek(path, 0, SEEK_SET));
	TRY(lseek(dir, 0, SEEK_SET));
	TRY(pread(pipes[0], text, 1, 0));
	TRY(pwrite(pipes[1], text, 1, 0));
	TRY(read(pipes[1], text, 1));
	TRY(write(pipes[0], text, 1));
}

static void sizes(int rw, int r, int dir, int path)
{
	struct stat info;
	int pipes[2];

	puts("# sizes");
	pipe(pipes);
	TRY(ftruncate(rw, 10));
	TRY(ftruncate(rw, -1));
	TRY(ftruncate(r, 10));
	TRY(ftruncate(dir, 10));
	TRY(ftruncate(path, 10));
	TRY(ftruncate(pipes[1], 10));
	TRY(ftruncate(-1, 10));
	TRY(truncate("file", 20));
	TRY(truncate("file", -1));
	TRY(truncate("", 1));
	TRY(truncate("none", 1));
	TRY(truncate("dir", 1));
	fstat(rw, &info);
	SHOW(info.st_size);
	TRY(fallocate(rw, 0, 0, 30));
	fstat(rw, &info);
	SHOW(info.st_size);
	TRY(fallocate(rw, 0, 25, 15));
	fstat(rw, &info);
	SHOW(info.st_size);
	TRY(fallocate(rw, 0, 0, 5));
	TRY(fallocate(rw, FALLOC_FL_KEEP_SIZE, 0, 500));
	fstat(rw, &info);
	SHOW(info.st_size);
	TRY(pwrite(rw, text, 36, 0));
	TRY(fallocate(rw, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 3, 4));
	char in[10];
	pread(rw, in, 10, 0);
	for (int i = 0; i < 10; i++)
		printf("%d ", in[i]);
	puts("");
	TRY(fallocate(rw, FALLOC_FL_PUNCH_HOLE, 3, 4));
	TRY(fallocate(rw, FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_KEEP_SIZE, 0, 4096));
	TRY(fallocate(rw, FALLOC_FL_INSERT_RANGE | FALLOC_FL_KEEP_SIZE, 0, 4096));
	TRY(fallocate(rw, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 0, 4));
	TRY(fallocate(rw, 0x1000, 0, 4));
	TRY(fallocate(rw, 0, -1, 4));
	TRY(fallocate(rw, 0, 0, 0));
	TRY(fallocate(rw, 0, 0, -1));
	TRY(fallocate(rw, 0, LONG_MAX, 1));
	TRY(fallocate(rw, 0, LONG_MAX, 2));
	TRY(fallocate(r, 0, 0, 1));
	TRY(fallocate(dir, 0, 0, 1));
	TRY(fallocate(path, 0, 0, 1));
	TRY(fallocate(pipes[1], 0, 0, 1));
	TRY(fallocate(pipes[0], 0, 0, 1));
	TRY(fallocate(-1, 0, 0, 1));
	TRY(fallocate(-1, 0, -1, 1));
	fstat(rw, &info);
	SHOW(info.st_size);
}

static void descriptors(int rw, int path)
{
	int a, b, pipes[2];

	puts("# descriptors");
	pipe(pipes);
	a = dup(rw);
	TRY(fcntl(a, F_GETFD));
	b = fcntl(rw, F_DUPFD, 100);
	SHOW(b);
	TRY(fcntl(b, F_GETFD));
	SHOW(fcntl(rw, F_DUPFD, 100));
	SHOW(fcntl(rw, F_DUPFD_CLOEXEC, 101));
	SHOW(fcntl(rw, F_DUPFD_CLOEXEC, 101));
	TRY(fcntl(102, F_GETFD));
	TRY(fcntl(103, F_GETFD));
	TRY(fcntl(101, F_GETFD));
	TRY(fcntl(rw, F_DUPFD, -1));
	TRY(fcntl(rw, F_DUPFD, 1 << 20));
	TRY(fcntl(a, F_SETFD, 3));
	TRY(fcntl(a, F_GETFD));
	TRY(fcntl(a, F_SETFD, 2));
	TRY(fcntl(a, F_GETFD));
	TRY(dup2(rw, 200));
	TRY(dup3(rw, 201, O_CLOEXEC));
	TRY(fcntl(201, F_GETFD));
	TRY(dup3(rw, 201, 0));
	TRY(fcntl(201, F_GETFD));
	TRY(dup3(rw, rw, 0));
	TRY(dup3(rw, 202, O_NONBLOCK));
	TRY(dup3(-1, 202, 0));
	TRY(dup3(rw, -1, 0));
	TRY(dup3(rw, 1 << 20, 0));
	TRY(dup2(rw, rw) == rw);
	TRY(dup2(999, 999));
	TRY(dup(999));
	TRY(ioctl(201, FIOCLEX));
	TRY(fcntl(201, F_GETFD));
	TRY(ioctl(201, FIONCLEX));
	TRY(fcntl(201, F_GETFD));
	TRY(ioctl(999, FIOCLEX));
	int on = 1, off = 0, left = -1;
	TRY(ioctl(pipes[0], FIONBIO, &on));
	SHOW(fcntl(pipes[0], F_GETFL) & (O_NONBLOCK | O_ACCMODE));
	TRY(ioctl(pipes[0], FIONBIO, &off));
	SHOW(fcntl(pipes[0], F_GETFL) & (O_NONBLOCK | O_ACCMODE));
	TRY(ioctl(pipes[0], FIONBIO, BEFORE(on)));
	TRY(ioctl(pipes[0], FIONBIO, PAST(on)));
	TRY(write(pipes[1], text, 7));
	TRY(ioctl(pipes[0], FIONREAD, &left));
	SHOW(left);
	TRY(ioctl(pipes[1], FIONREAD, &left));
	SHOW(left);
	TRY(ioctl(pipes[1], FIONREAD, BEFORE(left)));
	TRY(ioctl(pipes[1], FIONREAD, PAST(left)));
	TRY(lseek(rw, 15, SEEK_SET));
	TRY(ftruncate(rw, 40));
	TRY(ioctl(rw, FIONREAD, &left));
	SHOW(left);
	TRY(ioctl(rw, TCGETS, text));
	TRY(ioctl(path, FIOCLEX));
	TRY(ioctl(rw, 0x12345678, 0));
	puts("# status flags");
	TRY(fcntl(rw, F_SETFL, O_APPEND));
	SHOW(fcntl(rw, F_GETFL) & (O_APPEND | O_NONBLOCK | O_ACCMODE));
	TRY(lseek(rw, 0, SEEK_SET));
	TRY(write(rw, "end", 3));
	TRY(lseek(rw, 0, SEEK_CUR));
	TRY(fcntl(rw, F_SETFL, O_NONBLOCK));
	SHOW(fcntl(rw, F_GETFL) & (O_APPEND | O_NONBLOCK | O_ACCMODE));
	TRY(fcntl(rw, F_SETFL, O_RDONLY));
	SHOW(fcntl(rw, F_GETFL) & (O_APPEND | O_NONBLOCK | O_ACCMODE));
	TRY(fcntl(path, F_SETFL, 0));
	SHOW(fcntl(path, F_GETFL) & (O_PATH | O_ACCMODE));
	TRY(fcntl(path, F_GETFD));
	TRY(fcntl(path, F_SETFD, FD_CLOEXEC));
	TRY(fcntl(path, F_GETFD));
	TRY(fcntl(path, F_GETLK, text));
	TRY(fcntl(rw, 9999));
	TRY(fcntl(pipes[0], F_GETPIPE_SZ));
	TRY(fcntl(pipes[1], F_GETPIPE_SZ));
	TRY(fcntl(pipes[1], F_SETPIPE_SZ, 65536));
	TRY(fcntl(pipes[0], F_SETPIPE_SZ, 65535));
	TRY(fcntl(rw, F_GETPIPE_SZ));
	TRY(fcntl(rw, F_SETPIPE_SZ, 65536));
	TRY(fcntl(rw, F_ADD_SEALS, 0) < 0);
	puts("# closing");
	TRY(syscall(SYS_close_range, 100, 102, 4));
	TRY(fcntl(101, F_GETFD));
	TRY(fcntl(99, F_GETFD));
	TRY(fcntl(103, F_GETFD));
	TRY(fcntl(200, F_GETFD));
	TRY(syscall(SYS_close_range, 100, 100, 0));
	TRY(fcntl(100, F_GETFD));
	TRY(fcntl(101, F_GETFD));
	TRY(syscall(SYS_close_range, 102, 101, 0));
	TRY(syscall(SYS_close_range, 101, 103, 8));
	TRY(syscall(SYS_close_range, 101, 103, 0));
	TRY(fcntl(101, F_GETFD));
	TRY(fcntl(103, F_GETFD));
	TRY(fcntl(200, F_GETFD));
	TRY(syscall(SYS_close_range, 150, -1, 4));
	TRY(fcntl(200, F_GETFD));
	TRY(syscall(SYS_close_range, 150, -1, 0));
	TRY(fcntl(200, F_GETFD));
	TRY(close(200));
	TRY(close(path));
	TRY(close(path));
}

static void locks(int rw, int r, int w, int path)
{
	static const int commands[] = {F_GETLK,	    F_SETLK,	 F_SETLKW,
				       F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW};
	static const char *const names[] = {"F_GETLK",	   "F_SETLK",	  "F_SETLKW",
					    "F_OFD_GETLK", "F_OFD_SETLK", "F_OFD_SETLKW"};
	const int files[] = {rw, r, w};

	puts("# locks");
	for (int c = 0; c < 6; c++)
		for (int type = -1; type <= 3; type++)
			for (int f = 0; f < 3; f++) {
				struct flock lock = {
					.l_type = type, .l_whence = SEEK_SET, .l_len = 10};
				int got = fcntl(files[f], commands[c], &lock);

				printf("%s type %d on %d: %s, %d\n", names[c], type, f,
				       got < 0 ? check_error(errno) : "done", lock.l_type);
				/* Locks of the process and of a file exclude each other. */
				lock = (struct flock){.l_type = F_UNLCK};
				fcntl(files[f], F_SETLK, &lock);
				fcntl(files[f], F_OFD_SETLK, &lock);
			}
	for (int whence = -1; whence <= 3; whence++) {
		struct flock lock = {.l_type = F_RDLCK, .l_whence = whence, .l_len = 1};
		int got = fcntl(rw, F_SETLK, &lock);

		printf("whence %d: %s\n", whence, got < 0 ? check_error(errno) : "done");
	}
	struct flock lock = {.l_type = F_RDLCK, .l_len = 1};
	TRY(fcntl(rw, F_SETLK, BEFORE(lock)));
	TRY(fcntl(rw, F_SETLK, PAST(lock)));
	TRY(fcntl(rw, F_GETLK, BEFORE(lock)));
	TRY(fcntl(rw, F_GETLK, PAST(lock)));
	lock.l_pid = 7;
	TRY(fcntl(rw, F_SETLK, &lock));
	TRY(fcntl(rw, F_OFD_SETLK, &lock));
	TRY(fcntl(rw, F_OFD_GETLK, &lock));
	TRY(fcntl(path, F_SETLK, &lock));
	TRY(flock(rw, LOCK_SH));
	TRY(flock(rw, LOCK_EX | LOCK_NB));
	TRY(flock(rw, LOCK_UN));
	TRY(flock(rw, LOCK_SH | LOCK_EX));
	TRY(flock(rw, 0));
	TRY(flock(rw, 16));
	TRY(flock(path, LOCK_SH));
	TRY(flock(-1, LOCK_SH));
	TRY(flock(-1, 0));
}

int main(int argc, char **argv)
{
	check_enter(argc, argv, chdir);
	mkdir("dir", 0755);
	int rw = open("file", O_RDWR | O_CREAT, 0644), r = open("file", O_RDONLY);
	int w = open("file", O_WRONLY), dir = open("dir", O_RDONLY), path = open("file", O_PATH);

	transfers(rw, r, w, dir, path);
	seeks(rw, r, dir, path);
	sizes(rw, r, dir, path);
	locks(rw, r, w, path);
	descriptors(rw, path);
	puts("# advice and writing through");
	TRY(fsync(rw));
	TRY(fdatasync(rw));
	TRY(fsync(r));
	TRY(fsync(-1));
	TRY(fdatasync(-1));
	TRY(posix_fadvise(rw, 0, 10, POSIX_FADV_NOREUSE));
	TRY(posix_fadvise(rw, 0, 10, POSIX_FADV_NORMAL));
	TRY(posix_fadvise(rw, 0, 10, 6));
	TRY(posix_fadvise(rw, 0, 0, 3));
	TRY(posix_fadvise(rw, 0, -1, 3));
	TRY(posix_fadvise(-1, 0, 1, 3));
	return 0;
}

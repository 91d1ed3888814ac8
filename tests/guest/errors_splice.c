/*
 * splice, tee, vmsplice, sendfile and copy_file_range: what they refuse, move and leave behind.
 *
 * data: yes
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

static char in[200000];

static void drain(const char *what, int fd)
{
	memset(in, 0, 100);
	ssize_t got = read(fd, in, sizeof(in));

	printf("%s: %zd %.12s\n", what, got, got > 0 ? in : "");
}

int main(int argc, char **argv)
{
	int p[2], q[2], full[2], ended[2], broken[2];
	loff_t at = 3, to = 2, negative = -1;
	off_t position;

	signal(SIGPIPE, SIG_IGN);
	check_enter(argc, argv, chdir);
	mkdir("dir", 0755);
	int rw = open("file", O_RDWR | O_CREAT, 0644), r = open("file", O_RDONLY),
	    w = open("file", O_WRONLY);
	int out = open("out", O_RDWR | O_CREAT, 0644), append = open("out", O_WRONLY | O_APPEND),
	    dir = open("dir", O_RDONLY);
	write(rw, "0123456789abcdef", 16);
	pipe2(p, O_NONBLOCK);
	pipe2(q, O_NONBLOCK);
	pipe2(full, O_NONBLOCK);
	pipe(ended);
	pipe(broken);
	close(ended[1]);
	close(broken[0]);
	while (write(full[1], in, 4096) > 0)
		;

	puts("# splice");
	RAW(splice, r, &at, p[1], NULL, 5, 0);
	SHOW(at);
	drain("from an offset", p[0]);
	RAW(splice, r, NULL, p[1], NULL, 4, 0);
	SHOW(lseek(r, 0, SEEK_CUR));
	drain("from its position", p[0]);
	write(p[1], "ABCDEF", 6);
	RAW(splice, p[0], NULL, out, &to, 3, 0);
	SHOW(to);
	SHOW(lseek(out, 0, SEEK_CUR));
	RAW(splice, p[0], NULL, out, NULL, 100, 0);
	SHOW(lseek(out, 0, SEEK_CUR));
	SHOW(pread(out, in, 100, 0));
	for (int i = 0; i < 5; i++)
		printf("%c", in[i] ? in[i] : '.');
	puts("");
	write(p[1], "pipes", 5);
	RAW(splice, p[0], NULL, q[1], NULL, 2, 0);
	drain("to a pipe", q[0]);
	drain("left", p[0]);
	RAW(splice, p[0], NULL, q[1], NULL, 2, 0);
	RAW(splice, ended[0], NULL, q[1], NULL, 2, 0);
	RAW(splice, r, NULL, broken[1], NULL, 2, 0);
	write(p[1], "x", 1);
	RAW(splice, p[0], NULL, broken[1], NULL, 2, 0);
	RAW(splice, p[0], NULL, full[1], NULL, 2, SPLICE_F_NONBLOCK);
	drain("kept", p[0]);
	RAW(splice, r, NULL, full[1], NULL, 2, 0);
	RAW(splice, p[0], NULL, p[1], NULL, 2, 0);
	RAW(splice, r, NULL, out, NULL, 2, 0);
	RAW(splice, r, NULL, p[1], NULL, 0, 0);
	RAW(splice, 999, NULL, p[1], NULL, 0, 0);
	RAW(splice, 999, NULL, p[1], NULL, 1, 0);
	RAW(splice, r, NULL, 999, NULL, 1, 0);
	RAW(splice, r, NULL, p[1], NULL, 1, 16);
	RAW(splice, p[0], &at, out, NULL, 1, 0);
	RAW(splice, r, NULL, p[1], &at, 1, 0);
	RAW(splice, r, &negative, p[1], NULL, 1, 0);
	RAW(splice, p[0], NULL, out, &negative, 1, 0);
	RAW(splice, r, (void *)1, p[1], NULL, 1, 0);
	RAW(splice, p[0], NULL, out, (void *)1, 1, 0);
	RAW(splice, r, BEFORE(at), p[1], NULL, 1, 0);
	drain("one", p[0]);
	RAW(splice, r, PAST(at), p[1], NULL, 1, 0);
	RAW(splice, w, NULL, p[1], NULL, 1, 0);
	RAW(splice, p[0], NULL, r, NULL, 1, 0);
	RAW(splice, p[1], NULL, out, NULL, 1, 0);
	RAW(splice, r, NULL, p[0], NULL, 1, 0);
	write(p[1], "x", 1);
	RAW(splice, p[0], NULL, append, NULL, 1, 0);
	drain("kept", p[0]);
	at = 16;
	RAW(splice, r, &at, p[1], NULL, 1, 0);
	at = 14;
	RAW(splice, r, &at, p[1], NULL, 10, 0);
	SHOW(at);
	drain("to the end", p[0]);

	puts("# tee and vmsplice");
	write(p[1], "tee time", 8);
	RAW(tee, p[0], q[1], 3, 0);
	drain("copied", q[0]);
	RAW(tee, p[0], q[1], 300000, 0);
	drain("all", q[0]);
	drain("still there", p[0]);
	RAW(tee, p[0], q[1], 3, 0);
	RAW(tee, p[0], p[1], 3, 0);
	RAW(tee, r, q[1], 3, 0);
	RAW(tee, p[0], out, 3, 0);
	RAW(tee, p[0], q[1], 0, 0);
	RAW(tee, 999, q[1], 0, 0);
	RAW(tee, 999, q[1], 1, 0);
	RAW(tee, p[0], 999, 1, 0);
	RAW(tee, p[0], q[1], 1, 16);
	RAW(tee, p[1], q[1], 1, 0);
	RAW(tee, p[0], q[0], 1, 0);
	RAW(tee, ended[0], q[1], 1, 0);
	write(p[1], "x", 1);
	RAW(tee, p[0], broken[1], 1, 0);
	RAW(tee, p[0], full[1], 1, 0);
	drain("kept", p[0]);
	struct iovec ranges[2] = {{"vm", 2}, {"splice", 6}}, into[1] = {{in, 5}};
	RAW(vmsplice, p[1], ranges, 2, 0);
	RAW(vmsplice, p[0], into, 1, 0);
	printf("%.5s\n", in);
	drain("rest", p[0]);
	RAW(vmsplice, p[1], ranges, 2, 16);
	RAW(vmsplice, 999, ranges, 2, 0);
	RAW(vmsplice, out, ranges, 2, 0);
	RAW(vmsplice, out, ranges, 0, 0);
	RAW(vmsplice, p[1], (void *)1, 2, 0);
	RAW(vmsplice, p[1], ranges, 1025, 0);

	puts("# sendfile");
	position = 2;
	RAW(sendfile, p[1], r, &position, 5);
	SHOW(position);
	drain("from an offset", p[0]);
	lseek(r, 1, SEEK_SET);
	RAW(sendfile, p[1], r, NULL, 4);
	SHOW(lseek(r, 0, SEEK_CUR));
	drain("from its position", p[0]);
	RAW(sendfile, out, r, NULL, 100);
	SHOW(lseek(r, 0, SEEK_CUR));
	RAW(sendfile, out, r, NULL, 100);
	RAW(sendfile, out, r, NULL, 0);
	RAW(sendfile, out, 999, NULL, 1);
	RAW(sendfile, 999, r, NULL, 1);
	RAW(sendfile, out, w, NULL, 1);
	RAW(sendfile, r, rw, NULL, 1);
	RAW(sendfile, out, dir, NULL, 1);
	RAW(sendfile, out, p[0], &position, 1);
	position = -1;
	RAW(sendfile, out, r, &position, 1);
	RAW(sendfile, out, r, (void *)1, 1);
	position = 0;
	RAW(sendfile, out, r, BEFORE(position), 1);
	RAW(sendfile, out, r, PAST(position), 1);
	RAW(sendfile, append, r, &position, 1);
	RAW(sendfile, full[1], r, &position, 1);
	RAW(sendfile, broken[1], r, &position, 1);
	SHOW(position);

	puts("# copy_file_range");
	at = 1, to = 5;
	ftruncate(out, 0);
	RAW(copy_file_range, r, &at, out, &to, 4, 0);
	SHOW(at);
	SHOW(to);
	lseek(r, 10, SEEK_SET);
	lseek(out, 9, SEEK_SET);
	RAW(copy_file_range, r, NULL, out, NULL, 100, 0);
	SHOW(lseek(r, 0, SEEK_CUR));
	SHOW(lseek(out, 0, SEEK_CUR));
	SHOW(pread(out, in, 100, 5));
	printf("%.10s\n", in);
	RAW(copy_file_range, r, NULL, out, NULL, 0, 0);
	RAW(copy_file_range, r, NULL, out, NULL, 1, 1);
	RAW(copy_file_range, 999, NULL, out, NULL, 1, 0);
	RAW(copy_file_range, r, NULL, 999, NULL, 1, 0);
	RAW(copy_file_range, w, NULL, out, NULL, 1, 0);
	RAW(copy_file_range, r, NULL, r, NULL, 1, 0);
	RAW(copy_file_range, r, NULL, append, NULL, 1, 0);
	RAW(copy_file_range, dir, NULL, out, NULL, 1, 0);
	RAW(copy_file_range, r, NULL, dir, NULL, 1, 0);
	RAW(copy_file_range, p[0], NULL, out, NULL, 1, 0);
	RAW(copy_file_range, r, NULL, p[1], NULL, 1, 0);
	RAW(copy_file_range, r, (void *)1, out, NULL, 1, 0);
	RAW(copy_file_range, r, NULL, out, (void *)1, 1, 0);
	/* Within one file the ranges must not overlap; they may touch. */
	static const int rows[][3] = {{0, 4, 4}, {0, 3, 4}, {4, 0, 4},
				      {3, 0, 4}, {2, 2, 4}, {8, 0, 4}};
	for (int i = 0; i < 6; i++) {
		at = rows[i][0], to = rows[i][1];
		errno = 0;
		long got = syscall(SYS_copy_file_range, rw, &at, rw, &to, rows[i][2], 0);
		printf("%d to %d: %ld %s\n", rows[i][0], rows[i][1], got, check_error(errno));
	}
	memset(in, 0, 20);
	SHOW(pread(rw, in, 20, 0));
	printf("%s\n", in);

	puts("# files in memory");
	static char name[300];
	memset(name, 'n', 249);
	int fd = OPEN(memfd_create(name, MFD_CLOEXEC));
	SHOW(fcntl(fd, F_GETFD));
	SHOW(fcntl(fd, F_GETFL) & O_ACCMODE);
	name[249] = 'n';
	OPEN(memfd_create(name, 0));
	OPEN(memfd_create("m", 0x1000));
	OPEN(memfd_create((void *)1, 0));
	TRY(fcntl(fd, F_GET_SEALS));
	TRY(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	fd = OPEN(memfd_create("m", MFD_ALLOW_SEALING));
	SHOW(fcntl(fd, F_GETFD));
	TRY(fcntl(fd, F_GET_SEALS));
	TRY(ftruncate(fd, 10));
	TRY(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
	TRY(ftruncate(fd, 9));
	TRY(ftruncate(fd, 11));
	TRY(fcntl(fd, F_GET_SEALS));
	TRY(fcntl(fd, F_ADD_SEALS, 0x1000));
	return 0;
}

/*
 * sendfile, copy_file_range, splice, tee and vmsplice move bytes and positions as they should.
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];

static void *write_later(void *unused)
{
	usleep(10000);
	write(ends[1], "late", 4);
	return unused;
}

static void show_file(const char *name)
{
	char text[128];
	int fd = open(name, O_RDONLY);
	ssize_t got = read(fd, text, sizeof(text));

	printf("%s: %.*s\n", name, (int)got, text);
	close(fd);
}

int main(int argc, char **argv)
{
	char text[64] = "";
	int other[2], sockets[2];
	off_t from = 3, to = 20;
	pthread_t thread;

	check_enter(argc, argv, chdir);
	pipe(ends);
	pipe(other);
	int in = open("in", O_CREAT | O_RDWR, 0600), out = open("out", O_CREAT | O_RDWR, 0600);
	write(in, "0123456789abcdef", 16);
	lseek(in, 0, SEEK_SET);

	puts("sendfile");
	TRY(sendfile(ends[1], in, NULL, 4));
	TRY(lseek(in, 0, SEEK_CUR));
	TRY(sendfile(ends[1], in, &from, 4));
	SHOW(from);
	TRY(lseek(in, 0, SEEK_CUR));
	TRY(read(ends[0], text, 64));
	puts(text);
	TRY(sendfile(out, in, NULL, 100));
	TRY(sendfile(out, in, NULL, 100));
	TRY(sendfile(in, ends[0], NULL, 1));
	TRY(sendfile(999, in, NULL, 1));
	TRY(sendfile(ends[0], in, NULL, 1));
	from = -1;
	TRY(sendfile(out, in, &from, 1));
	show_file("out");

	puts("copy_file_range");
	from = 10;
	TRY(copy_file_range(in, &from, out, &to, 6, 0));
	SHOW(from);
	SHOW(to);
	TRY(lseek(out, 0, SEEK_CUR));
	TRY(lseek(in, 0, SEEK_SET));
	TRY(copy_file_range(in, NULL, out, NULL, 3, 0));
	TRY(copy_file_range(in, NULL, out, NULL, 3, 1));
	TRY(copy_file_range(in, NULL, ends[1], NULL, 3, 0));
	TRY(copy_file_range(in, NULL, 999, NULL, 3, 0));
	from = 100;
	TRY(copy_file_range(in, &from, out, NULL, 3, 0));
	from = 0;
	to = 1;
	TRY(copy_file_range(in, &from, in, &to, 5, 0));
	TRY(lseek(out, 0, SEEK_END));

	puts("splice");
	write(ends[1], "from the pipe", 13);
	TRY(splice(ends[0], NULL, out, NULL, 8, 0));
	TRY(splice(ends[0], NULL, other[1], NULL, 100, 0));
	TRY(read(other[0], text, 64));
	from = 2;
	TRY(splice(in, &from, other[1], NULL, 3, 0));
	SHOW(from);
	TRY(splice(ends[0], NULL, other[1], NULL, 100, SPLICE_F_NONBLOCK));
	pthread_create(&thread, NULL, write_later, NULL);
	TRY(splice(ends[0], NULL, other[1], NULL, 100, 0));
	pthread_join(thread, NULL);
	TRY(read(other[0], text, 64));
	text[7] = 0;
	puts(text);
	TRY(splice(in, NULL, out, NULL, 1, 0));
	TRY(splice(ends[0], &from, out, NULL, 1, 0));
	TRY(splice(ends[0], NULL, ends[1], NULL, 1, 0));
	TRY(splice(ends[1], NULL, out, NULL, 1, 0));
	TRY(splice(ends[0], NULL, out, NULL, 0, 0));
	TRY(splice(ends[0], NULL, out, NULL, 1, 64));
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	write(ends[1], "to a socket", 11);
	TRY(splice(ends[0], NULL, sockets[0], NULL, 100, 0));
	memset(text, 0, sizeof(text));
	TRY(read(sockets[1], text, 64));
	puts(text);

	puts("tee");
	write(ends[1], "twice", 5);
	TRY(tee(ends[0], other[1], 100, 0));
	memset(text, 0, sizeof(text));
	TRY(read(ends[0], text, 64));
	puts(text);
	TRY(read(other[0], text, 64));
	TRY(tee(ends[0], other[1], 100, SPLICE_F_NONBLOCK));
	TRY(tee(ends[0], ends[1], 100, 0));
	TRY(tee(in, other[1], 100, 0));

	puts("vmsplice");
	struct iovec parts[2] = {{"gathered ", 9}, {"parts", 5}};
	TRY(vmsplice(ends[1], parts, 2, 0));
	memset(text, 0, sizeof(text));
	TRY(read(ends[0], text, 64));
	puts(text);
	TRY(vmsplice(in, parts, 2, 0));
	close(ends[1]);
	TRY(splice(ends[0], NULL, out, NULL, 5, 0));
	TRY(tee(ends[0], other[1], 5, 0));
	return 0;
}

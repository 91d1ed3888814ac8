/*
 * Reads and writes of more than a megabyte are done whole, and end where the buffer, the file or
 * the reader does.
 *
 * data: yes
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define MEGABYTE (1 << 20)
#define LARGE	 (3 * MEGABYTE + 12345)

static unsigned char *data, *in, *edge;

static unsigned long sum(const unsigned char *from, size_t bytes)
{
	unsigned long value = 5381;

	for (size_t i = 0; i < bytes; i++)
		value = value * 33 + from[i];
	return value;
}

static void show_sum(const char *what)
{
	printf("%s: %lx\n", what, sum(in, LARGE));
	memset(in, 0, LARGE);
}

static void of_files(void)
{
	struct iovec out[] = {{data, 2 * MEGABYTE + 7},
			      {NULL, 0},
			      {data + 2 * MEGABYTE + 7, 100},
			      {data + 2 * MEGABYTE + 107, LARGE - 2 * MEGABYTE - 107}};
	struct iovec back[] = {{in, 99}, {in + 99, LARGE - 99}};
	int fd = OPEN(open("file", O_RDWR | O_CREAT | O_TRUNC, 0644)), zero, other;

	TRY(write(fd, data, LARGE));
	TRY(lseek(fd, 0, SEEK_CUR));
	TRY(pread(fd, in, LARGE, 0));
	show_sum("pread");
	TRY(lseek(fd, 5, SEEK_SET));
	TRY(read(fd, in, LARGE));
	show_sum("read to the end");
	TRY(ftruncate(fd, 0));
	TRY(lseek(fd, 0, SEEK_SET));
	TRY(writev(fd, out, 4));
	TRY(preadv(fd, back, 2, 0));
	show_sum("lists");
	TRY(pwrite(fd, data, LARGE, MEGABYTE));
	TRY(pread(fd, in, LARGE, MEGABYTE));
	show_sum("at an offset");
	fcntl(fd, F_SETFL, O_APPEND);
	TRY(write(fd, data, LARGE));
	TRY(lseek(fd, 0, SEEK_END));
	fcntl(fd, F_SETFL, 0);
	other = OPEN(open("other", O_RDWR | O_CREAT | O_TRUNC, 0644));
	TRY(lseek(fd, 0, SEEK_SET));
	TRY(sendfile(other, fd, NULL, LARGE));
	TRY(lseek(fd, 0, SEEK_CUR));
	TRY(pread(other, in, LARGE, 0));
	show_sum("sendfile");
	TRY(ftruncate(other, 0));
	TRY(lseek(other, 0, SEEK_SET));
	TRY(copy_file_range(fd, &(off_t){MEGABYTE}, other, NULL, LARGE, 0));
	TRY(pread(other, in, LARGE, 0));
	show_sum("copy_file_range");
	zero = OPEN(open("/dev/zero", O_RDONLY));
	memset(in, 1, LARGE);
	TRY(read(zero, in, LARGE));
	show_sum("zeros");
	close(zero);
	close(other);
	close(fd);
}

/* The buffer ends after two and a half megabytes. */
static void past_the_edge(void)
{
	int fd = OPEN(open("file", O_RDWR | O_CREAT | O_TRUNC, 0644));
	unsigned char *from = edge - 5 * MEGABYTE / 2;

	memcpy(from, data, 5 * MEGABYTE / 2);
	TRY(write(fd, from, LARGE));
	TRY(lseek(fd, 0, SEEK_CUR));
	TRY(pwrite(fd, data, LARGE, 0));
	TRY(lseek(fd, 0, SEEK_SET));
	TRY(read(fd, from, LARGE));
	TRY(lseek(fd, 0, SEEK_CUR));
	printf("%lx\n", sum(from, 5 * MEGABYTE / 2));
	TRY(read(fd, edge, 1));
	TRY(write(fd, edge, LARGE));
	close(fd);
}

static void of_limits(void)
{
	const size_t most = (size_t)3 << 30;
	void *at = mmap(NULL, most, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct iovec twice[] = {{at, (size_t)3 << 29}, {at, (size_t)3 << 29}};
	int fd = OPEN(open("/dev/null", O_WRONLY));

	TRY(write(fd, at, most));
	TRY(writev(fd, twice, 2));
	munmap(at, most);
	close(fd);
}

static void *drain(void *argument)
{
	const int *fd = argument;
	size_t have = 0;
	ssize_t got;

	while ((got = read(*fd, in + have, LARGE - have)) > 0)
		have += (size_t)got;
	return (void *)have;
}

/* A blocking write ends when somebody has read all of it. */
static void through(const char *what, int reader, int writer,
		    ssize_t (*put)(int fd, const void *from, size_t bytes))
{
	pthread_t thread;
	void *have;

	pthread_create(&thread, NULL, drain, &reader);
	printf("%s: %zd\n", what, put(writer, data, LARGE));
	close(writer);
	pthread_join(thread, &have);
	printf("%zu read\n", (size_t)have);
	show_sum(what);
	close(reader);
}

static ssize_t put_message(int fd, const void *from, size_t bytes)
{
	struct iovec ranges[] = {{(void *)from, 10}, {(char *)from + 10, bytes - 10}};
	struct msghdr message = {.msg_iov = ranges, .msg_iovlen = 2};

	return sendmsg(fd, &message, 0);
}

static ssize_t put_send(int fd, const void *from, size_t bytes)
{
	return send(fd, from, bytes, 0);
}

static void of_streams(void)
{
	int ends[2], fill = 0;

	TRY(pipe(ends));
	through("pipe", ends[0], ends[1], write);
	TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	through("socket", ends[0], ends[1], write);
	TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	through("send", ends[0], ends[1], put_send);
	TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	through("sendmsg", ends[0], ends[1], put_message);
	TRY(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
	TRY(write(ends[0], data, LARGE));
	TRY(send(ends[0], data, LARGE, 0));
	close(ends[0]);
	close(ends[1]);
	TRY(pipe2(ends, O_NONBLOCK));
	TRY(fcntl(ends[1], F_SETPIPE_SZ, MEGABYTE));
	TRY(write(ends[1], data, 10));
	TRY(write(ends[1], data, LARGE));
	TRY(write(ends[1], data, LARGE));
	TRY(read(ends[0], in, LARGE));
	show_sum("what fits");
	TRY(write(ends[1], edge - MEGABYTE / 2, MEGABYTE));
	TRY(read(ends[0], in, LARGE));
	while (write(ends[1], data, MEGABYTE / 4) > 0)
		fill++;
	SHOW(fill);
	close(ends[0]);
	close(ends[1]);
}

int main(int argc, char **argv)
{
	check_enter(argc, argv, chdir);
	data = malloc(LARGE);
	in = calloc(1, LARGE);
	edge = mmap(NULL, 4 * MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	edge += 3 * MEGABYTE;
	mprotect(edge, MEGABYTE, PROT_NONE);
	for (size_t i = 0; i < LARGE; i++)
		data[i] = (unsigned char)(i * 2654435761u >> 13);
	of_files();
	past_the_edge();
	of_limits();
	of_streams();
	return 0;
}

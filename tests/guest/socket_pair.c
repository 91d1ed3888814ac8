/*
 * Pairs of sockets carry streams, datagrams and packets, end, and pass descriptors.
 */
#include "check.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];
static char big[400000], got[400000];

static void *drain(void *unused)
{
	size_t sum = 0;
	ssize_t part;

	usleep(10000);
	while (sum < sizeof(big) && (part = read(ends[1], got + sum, sizeof(got) - sum)) > 0)
		sum += (size_t)part;
	return unused;
}

static void *send_later(void *unused)
{
	usleep(10000);
	send(ends[1], "late", 4, 0);
	usleep(10000);
	send(ends[1], "r", 1, 0);
	return unused;
}

static short poll_now(int fd)
{
	struct pollfd one = {fd, POLLIN | POLLOUT | POLLRDHUP, 0};

	poll(&one, 1, 0);
	return one.revents;
}

static int option(int fd, int name)
{
	int value = -1;
	socklen_t bytes = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &bytes) ? -errno : value;
}

static void pass_descriptors(void)
{
	char control[CMSG_SPACE(2 * sizeof(int))], byte = 'd', text[8] = "";
	struct iovec range = {&byte, 1};
	struct msghdr message = {.msg_iov = &range,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	int files[2], received[2];

	pipe(files);
	memset(control, 0, sizeof(control));
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(header), files, sizeof(files));
	TRY(sendmsg(ends[0], &message, 0));
	close(files[0]);
	close(files[1]);
	memset(control, 0, sizeof(control));
	TRY(recvmsg(ends[1], &message, MSG_CMSG_CLOEXEC));
	header = CMSG_FIRSTHDR(&message);
	SHOW(header->cmsg_type);
	SHOW(header->cmsg_len);
	SHOW(message.msg_flags & MSG_CTRUNC);
	memcpy(received, CMSG_DATA(header), sizeof(received));
	TRY(fcntl(received[0], F_GETFD));
	TRY(write(received[1], "passed", 6));
	TRY(read(received[0], text, 8));
	puts(text);
	close(received[0]);
	close(received[1]);
	int wrong = 999;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &wrong, sizeof(wrong));
	message.msg_controllen = CMSG_SPACE(sizeof(int));
	TRY(sendmsg(ends[0], &message, 0));
	/* Without room for them, descriptors are lost. */
	memcpy(CMSG_DATA(header), &ends[0], sizeof(int));
	TRY(sendmsg(ends[0], &message, 0));
	message.msg_controllen = 0;
	TRY(recvmsg(ends[1], &message, 0));
	SHOW(message.msg_flags & MSG_CTRUNC);
}

int main(void)
{
	char text[16] = "";
	struct stat info;
	pthread_t other;
	int value = 1;

	signal(SIGPIPE, SIG_IGN);
	TRY(socketpair(AF_UNIX, 77, 0, ends));
	TRY(socketpair(AF_UNIX, SOCK_STREAM, 5, ends));
	TRY(socketpair(AF_UNIX, SOCK_STREAM, 0, NULL));

	puts("stream");
	TRY(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
	SHOW(poll_now(ends[0]));
	TRY(send(ends[0], "hello", 5, 0));
	TRY(write(ends[0], " world", 6));
	SHOW(poll_now(ends[1]));
	ioctl(ends[1], FIONREAD, &value);
	SHOW(value);
	TRY(recv(ends[1], text, 4, MSG_PEEK));
	TRY(recv(ends[1], text, 16, 0));
	puts(text);
	TRY(recv(ends[1], text, 16, MSG_DONTWAIT));
	TRY(fstat(ends[0], &info));
	SHOW(S_ISSOCK(info.st_mode));
	TRY(lseek(ends[0], 0, SEEK_SET));
	TRY(pread(ends[0], text, 1, 0));
	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (char)(i * 7 + i / 251);
	pthread_create(&other, NULL, drain, NULL);
	TRY(write(ends[0], big, sizeof(big)));
	pthread_join(other, NULL);
	SHOW(memcmp(big, got, sizeof(big)));
	pthread_create(&other, NULL, send_later, NULL);
	TRY(recv(ends[0], text, 5, MSG_WAITALL));
	pthread_join(other, NULL);
	pass_descriptors();
	TRY(shutdown(ends[0], SHUT_WR));
	SHOW(poll_now(ends[1]));
	TRY(read(ends[1], text, 1));
	TRY(send(ends[0], "x", 1, 0));
	TRY(send(ends[1], "back", 4, 0));
	TRY(close(ends[1]));
	SHOW(poll_now(ends[0]));
	TRY(read(ends[0], text, 16));
	TRY(read(ends[0], text, 16));
	TRY(send(ends[0], "x", 1, MSG_NOSIGNAL));
	TRY(shutdown(ends[0], 9));
	close(ends[0]);

	puts("unread data resets");
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	send(ends[0], "lost", 4, 0);
	close(ends[1]);
	SHOW(poll_now(ends[0]));
	TRY(read(ends[0], text, 16));
	TRY(read(ends[0], text, 16));
	close(ends[0]);

	puts("datagrams");
	TRY(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends));
	TRY(send(ends[0], "one", 3, 0));
	TRY(send(ends[0], "", 0, 0));
	TRY(send(ends[0], "three", 5, 0));
	TRY(recv(ends[1], text, 2, MSG_TRUNC));
	TRY(recv(ends[1], text, 16, 0));
	TRY(recv(ends[1], text, 16, 0));
	TRY(recv(ends[1], text, 16, 0));
	int sent = 0;
	while (send(ends[0], "fill", 4, 0) == 4)
		sent++;
	SHOW(errno == EAGAIN);
	TRUTH(sent >= 10);
	SHOW(poll_now(ends[0]) & POLLOUT);
	for (int i = 0; i < sent; i++)
		recv(ends[1], text, 16, 0);
	SHOW(poll_now(ends[0]) & POLLOUT);
	TRY(send(ends[0], big, sizeof(big), 0));
	close(ends[1]);
	TRY(send(ends[0], "x", 1, 0));
	TRY(send(ends[0], "x", 1, 0));
	close(ends[0]);

	puts("packets");
	TRY(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends));
	TRY(send(ends[0], "one", 3, 0));
	TRY(send(ends[0], "two", 3, 0));
	TRY(recv(ends[1], text, 2, 0));
	TRY(recv(ends[1], text, 16, 0));
	close(ends[0]);
	TRY(recv(ends[1], text, 16, 0));
	SHOW(option(ends[1], SO_TYPE));
	SHOW(option(ends[1], SO_DOMAIN));
	SHOW(option(ends[1], SO_ERROR));
	SHOW(option(ends[1], SO_ACCEPTCONN));
	SHOW(option(ends[1], 9999));
	TRY(setsockopt(ends[1], SOL_SOCKET, SO_REUSEADDR, &value, sizeof(value)));
	SHOW(option(ends[1], SO_REUSEADDR));
	TRY(recv(0, text, 1, 0));
	TRY(recv(999, text, 1, 0));
	return 0;
}

/*
 * Messages carry names, credentials and descriptors into space of any size.
 * beside: host
 * link: static
 */
#include "check.h"
#include <limits.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static char text[64], control[2048];

static struct msghdr message_of(struct iovec *range, size_t bytes, size_t control_bytes)
{
	*range = (struct iovec){text, bytes};
	memset(control, 0, sizeof(control));
	return (struct msghdr){.msg_iov = range,
			       .msg_iovlen = 1,
			       .msg_control = control_bytes ? control : NULL,
			       .msg_controllen = control_bytes};
}

static int send_descriptors(int fd, int count)
{
	static int many[300];
	struct iovec range;
	struct msghdr message = message_of(&range, 3, CMSG_SPACE((size_t)count * sizeof(int)));
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
	memcpy(CMSG_DATA(header), many, (size_t)count * sizeof(int));
	return (int)sendmsg(fd, &message, 0);
}

/* Receives and prints all that came; descriptors are closed. */
static void receive(int fd, size_t bytes, size_t control_bytes, int flags)
{
	struct iovec range;
	struct msghdr message = message_of(&range, bytes, control_bytes);

	memset(text, 0, sizeof(text));
	long got = recvmsg(fd, &message, flags | MSG_DONTWAIT);
	printf("%zu, %zu: %ld \"%s\", flags %x, control %zu:", bytes, control_bytes, got, text,
	       message.msg_flags, (size_t)message.msg_controllen);
	if (got < 0)
		printf(" %s", check_error(errno));
	for (struct cmsghdr *h = CMSG_FIRSTHDR(&message); h && got >= 0;
	     h = CMSG_NXTHDR(&message, h)) {
		if (h->cmsg_len < sizeof(*h))
			break;
		printf(" kind %d of %zu", h->cmsg_type, (size_t)h->cmsg_len);
		if (h->cmsg_type == SCM_CREDENTIALS) {
			struct ucred who;

			memcpy(&who, CMSG_DATA(h), sizeof(who));
			if (h->cmsg_len == CMSG_LEN(sizeof(who)))
				printf(" %d %d %d", who.pid == getpid(), who.uid == getuid(),
				       who.gid == getgid());
		}
		for (size_t i = 0; h->cmsg_type == SCM_RIGHTS &&
				   (i + 1) * sizeof(int) <= h->cmsg_len - sizeof(*h);
		     i++) {
			int one;

			memcpy(&one, CMSG_DATA(h) + i * sizeof(int), sizeof(one));
			close(one);
		}
	}
	puts("");
}

static void credentials(void)
{
	static const size_t sizes[] = {0, 8, 15, 16, 20, 27, 28, 32, 33, 64};
	int ends[2], on = 1;

	puts("credentials");
	socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
	TRY(setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		send(ends[0], "who", 3, 0);
		receive(ends[1], 8, sizes[i], 0);
	}
	for (size_t i = 3; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		TRY(send_descriptors(ends[0], 2));
		receive(ends[1], 2, sizes[i] + 24, 0);
	}
	receive(ends[1], 8, 64, MSG_DONTWAIT);
	on = 0;
	TRY(setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)));
	send(ends[0], "who", 3, 0);
	receive(ends[1], 8, 64, 0);
	close(ends[0]);
	close(ends[1]);
}

static void rights(void)
{
	static const size_t sizes[] = {0, 15, 16, 19, 20, 23, 24, 28, 32, 40};
	int ends[2];

	puts("rights");
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		send_descriptors(ends[0], 3);
		receive(ends[1], 8, sizes[i], 0);
	}
	TRY(send_descriptors(ends[0], 253));
	receive(ends[1], 8, sizeof(control), 0);
	TRY(send_descriptors(ends[0], 254));
	close(ends[0]);
	close(ends[1]);
}

static void names(void)
{
	static const socklen_t sizes[] = {0, 1, 2, 5, 8, 110};
	int to = socket(AF_UNIX, SOCK_DGRAM, 0), from = socket(AF_UNIX, SOCK_DGRAM, 0);
	struct sockaddr_un mine = {.sun_family = AF_UNIX}, theirs, got;
	socklen_t bytes = sizeof(theirs);

	puts("names that the kernel chooses");
	TRY(bind(to, (struct sockaddr *)&mine, sizeof(sa_family_t)));
	TRY(bind(from, (struct sockaddr *)&mine, sizeof(sa_family_t)));
	TRY(bind(from, (struct sockaddr *)&mine, sizeof(sa_family_t)));
	TRY(getsockname(to, (struct sockaddr *)&theirs, &bytes));
	SHOW(bytes);
	SHOW(theirs.sun_path[0]);
	bytes = sizeof(mine);
	TRY(getsockname(from, (struct sockaddr *)&mine, &bytes));
	SHOW(bytes);
	TRUTH(memcmp(&mine, &theirs, bytes) != 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct iovec range = {text, sizeof(text)};
		struct msghdr message = {.msg_iov = &range,
					 .msg_iovlen = 1,
					 .msg_name = &got,
					 .msg_namelen = sizes[i]};

		memset(&got, 0x55, sizeof(got));
		TRY(sendto(from, "named", 5, 0, (struct sockaddr *)&theirs, bytes));
		TRY(recvmsg(to, &message, MSG_DONTWAIT));
		printf("room %d: %d bytes, %d equal, the next is %02x\n", (int)sizes[i],
		       (int)message.msg_namelen,
		       memcmp(&got, &mine, sizes[i] < bytes ? sizes[i] : bytes) == 0,
		       ((unsigned char *)&got)[sizes[i] < 109 ? sizes[i] : 109]);
	}
	puts("connected and not");
	TRY(send(from, "x", 1, 0));
	TRY(connect(from, (struct sockaddr *)&theirs, bytes));
	TRY(send(from, "direct", 6, 0));
	receive(to, 16, 0, 0);
	got = (struct sockaddr_un){.sun_family = AF_UNSPEC};
	TRY(connect(from, (struct sockaddr *)&got, sizeof(sa_family_t)));
	TRY(send(from, "x", 1, 0));
	TRY(connect(from, (struct sockaddr *)&got, 1));
	close(to);
	TRY(sendto(from, "x", 1, 0, (struct sockaddr *)&theirs, bytes));
	close(from);
}

static void cut(void)
{
	static struct iovec ranges[IOV_MAX + 1];
	struct msghdr message = {.msg_iov = ranges};
	int ends[2];

	puts("what is cut off, and ranges");
	socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
	send(ends[0], "abcdefgh", 8, 0);
	receive(ends[1], 3, 0, 0);
	send(ends[0], "abcdefgh", 8, 0);
	receive(ends[1], 3, 0, MSG_TRUNC);
	send(ends[0], "abcdefgh", 8, 0);
	receive(ends[1], 8, 0, MSG_PEEK);
	receive(ends[1], 9, 0, 0);
	for (int i = 0; i <= IOV_MAX; i++)
		ranges[i] = (struct iovec){"x", i % 3 == 0};
	message.msg_iovlen = IOV_MAX + 1;
	TRY(sendmsg(ends[0], &message, 0));
	message.msg_iovlen = IOV_MAX;
	TRY(sendmsg(ends[0], &message, 0));
	receive(ends[1], 8, 0, 0);
	ranges[0].iov_len = SIZE_MAX;
	TRY(sendmsg(ends[0], &message, 0));
	message.msg_iovlen = 0;
	TRY(sendmsg(ends[0], &message, 0));
	receive(ends[1], 8, 0, 0);
	TRY(recvmsg(ends[1], NULL, MSG_DONTWAIT));
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	memset(text, 'm', 8);
	credentials();
	rights();
	names();
	cut();
	return 0;
}

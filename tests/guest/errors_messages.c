/*
 * Messages: what sendmsg and recvmsg refuse, cut, join and hand over.
 *
 * data: yes
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>

static char block[400000], in[400000];

struct parts {
	struct msghdr head;
	struct iovec ranges[3];
	char control[256];
	struct sockaddr_un name;
};

static struct parts *receiver(size_t first, size_t second, size_t control, size_t name)
{
	static struct parts p;

	memset(in, '-', 100);
	p = (struct parts){.ranges = {{in, first}, {in + 50, second}}};
	memset(p.control, '-', sizeof(p.control));
	memset(&p.name, '-', sizeof(p.name));
	p.head = (struct msghdr){.msg_iov = p.ranges,
				 .msg_iovlen = 2,
				 .msg_name = name ? &p.name : NULL,
				 .msg_namelen = name,
				 .msg_control = control ? p.control : NULL,
				 .msg_controllen = control,
				 .msg_flags = 0x55};
	return &p;
}

/* What one message brought; descriptors by whether they can be used. */
static void receive(const char *what, int fd, struct parts *p, int flags)
{
	errno = 0;
	ssize_t got = recvmsg(fd, &p->head, flags);

	printf("%s: ", what);
	if (got < 0) {
		puts(check_error(errno));
		return;
	}
	printf("%zd bytes %.5s %.5s flags %x name %u", got, in, in + 50, p->head.msg_flags,
	       p->head.msg_name ? p->head.msg_namelen : 0);
	if (p->head.msg_name && p->head.msg_namelen > 2)
		printf(" %.3s", p->name.sun_path + 1);
	printf(" control %zu", p->head.msg_controllen);
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&p->head); c; c = CMSG_NXTHDR(&p->head, c)) {
		printf(" [%zu %d %d]", c->cmsg_len, c->cmsg_level, c->cmsg_type);
		if (c->cmsg_type == SCM_RIGHTS)
			for (size_t i = 0; i < (c->cmsg_len - 16) / 4; i++) {
				int one;

				memcpy(&one, CMSG_DATA(c) + 4 * i, 4);
				printf(" fd %d", fcntl(one, F_GETFD));
				close(one);
			}
	}
	puts("");
}

static ssize_t send_rights(int fd, const int *list, size_t count, const char *text, size_t bytes)
{
	struct iovec range = {(void *)text, bytes};
	static char control[2000];
	struct msghdr head = {.msg_iov = &range,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = 16 + 4 * count};
	struct cmsghdr *c = (void *)control;

	*c = (struct cmsghdr){
		.cmsg_len = 16 + 4 * count, .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	memcpy(control + 16, list, 4 * count);
	return sendmsg(fd, &head, 0);
}

static void plain(void)
{
	int s[2], d[2];
	struct iovec ranges[2] = {{"abc", 3}, {"defgh", 5}}, many[1025],
		     big[2] = {{block, -1ul >> 1}, {block, 1}};
	struct msghdr head = {.msg_iov = ranges, .msg_iovlen = 2};

	puts("# messages");
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, d);
	for (int i = 0; i < 1025; i++)
		many[i] = (struct iovec){block, 0};
	RAW(sendmsg, d[0], &head, 0);
	receive("parts", d[1], receiver(2, 10, 0, 0), 0);
	RAW(sendmsg, d[0], &head, 0);
	receive("cut", d[1], receiver(2, 3, 0, 0), 0);
	RAW(sendmsg, d[0], &head, 0);
	receive("cut, whole length", d[1], receiver(2, 3, 0, 0), MSG_TRUNC);
	RAW(sendmsg, d[0], &head, 0);
	receive("looked at", d[1], receiver(2, 3, 0, 0), MSG_PEEK);
	receive("none of it", d[1], receiver(0, 0, 0, 0), 0);
	receive("empty", d[1], receiver(1, 1, 0, 0), MSG_DONTWAIT);
	TRY(send(d[0], "", 0, 0));
	receive("nothing", d[1], receiver(1, 1, 0, 0), 0);
	RAW(sendmsg, s[0], &head, 0);
	RAW(sendmsg, s[0], &head, 0);
	receive("stream", s[1], receiver(2, 4, 0, 0), 0);
	receive("stream, looked at", s[1], receiver(2, 40, 0, 0), MSG_PEEK);
	receive("stream, all", s[1], receiver(2, 40, 0, 0), 0);
	RAW(sendmsg, s[0], &head, 0);
	TRY(recv(s[1], in, 0, 0));
	TRY(recv(s[1], in, 5, MSG_WAITALL));
	TRY(recv(s[1], in, 5, MSG_WAITALL | MSG_DONTWAIT));
	TRY(recv(s[1], in, 5, MSG_DONTWAIT));
	puts("# messages refused");
	head.msg_iov = many;
	head.msg_iovlen = 1024;
	RAW(sendmsg, d[0], &head, 0);
	head.msg_iovlen = 1025;
	RAW(sendmsg, d[0], &head, 0);
	RAW(recvmsg, d[1], &head, 0);
	head.msg_iovlen = 2;
	receive("of 1024 parts", d[1], receiver(1, 1, 0, 0), 0);
	head.msg_iov = big;
	RAW(sendmsg, d[0], &head, 0);
	head.msg_iov = (void *)1;
	RAW(sendmsg, d[0], &head, 0);
	head.msg_iov = ranges;
	ranges[1].iov_base = (void *)1;
	RAW(sendmsg, d[0], &head, 0);
	ranges[1].iov_base = "defgh";
	RAW(sendmsg, d[0], (void *)1, 0);
	RAW(sendmsg, d[0], BEFORE(head), 0);
	RAW(sendmsg, d[0], PAST(head), 0);
	RAW(recvmsg, d[1], BEFORE(head), 0);
	RAW(recvmsg, d[1], PAST(head), 0);
	RAW(sendmsg, 999, &head, 0);
	RAW(sendmsg, 1, &head, 0);
	RAW(recvmsg, 999, &head, 0);
	head.msg_control = (void *)1;
	head.msg_controllen = 16;
	RAW(sendmsg, d[0], &head, 0);
	head.msg_controllen = 0;
	RAW(sendmsg, d[0], &head, 0);
	receive("without control", d[1], receiver(10, 1, 0, 0), 0);
	RAW(sendto, 999, block, 1, 0, NULL, 0);
	RAW(sendto, d[0], (void *)1, 1, 0, NULL, 0);
	RAW(sendto, d[0], (void *)-1, 1, 0, NULL, 0);
	RAW(recvfrom, d[1], (void *)-1, 1, MSG_DONTWAIT, NULL, NULL);
	RAW(recvfrom, 999, in, 1, 0, NULL, NULL);
	RAW(sendto, d[0], "x", 1, 0, NULL, 0);
	RAW(recvfrom, d[1], (void *)1, 1, 0, NULL, NULL);
	RAW(recvfrom, d[1], in, 1, MSG_DONTWAIT, NULL, NULL);
	int alone = socket(AF_UNIX, SOCK_STREAM, 0), packets = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	int datagrams = socket(AF_UNIX, SOCK_DGRAM, 0);
	TRY(send(alone, "x", 1, 0));
	TRY(recv(alone, in, 1, 0));
	TRY(send(packets, "x", 1, 0));
	TRY(recv(packets, in, 1, 0));
	TRY(send(datagrams, "x", 1, 0));
	TRY(recv(datagrams, in, 1, MSG_DONTWAIT));
}

static void named(void)
{
	struct sockaddr_un a = {AF_UNIX, "\0aaa"}, b = {AF_UNIX, "\0bbb"}, from;
	int x = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0),
	    y = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	int z = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0), s[2];
	socklen_t room;

	puts("# names of senders");
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	bind(x, (void *)&a, 6);
	bind(y, (void *)&b, 6);
	TRY(sendto(x, "one", 3, 0, (void *)&b, 6));
	receive("from a", y, receiver(9, 9, 0, 110), 0);
	TRY(sendto(x, "two", 3, 0, (void *)&b, 6));
	receive("cut name", y, receiver(9, 9, 0, 4), 0);
	TRY(sendto(z, "three", 5, 0, (void *)&b, 6));
	receive("from nobody", y, receiver(9, 9, 0, 110), 0);
	for (int given = -1; given <= 7; given += 4) {
		sendto(x, "four", 4, 0, (void *)&b, 6);
		room = given;
		memset(&from, '-', sizeof(from));
		errno = 0;
		ssize_t got = recvfrom(y, in, 9, 0, (void *)&from, &room);
		printf("room %d: %zd %s %d %.2s\n", given, got, check_error(errno), room,
		       from.sun_path + 1);
	}
	sendto(z, "five", 4, 0, (void *)&b, 6);
	room = 50;
	TRY(recvfrom(y, in, 9, 0, (void *)&from, &room));
	SHOW(room);
	sendto(x, "six", 3, 0, (void *)&b, 6);
	RAW(recvfrom, y, in, 9, 0, &from, (void *)1);
	sendto(x, "seven", 5, 0, (void *)&b, 6);
	room = 50;
	RAW(recvfrom, y, in, 9, 0, (void *)1, &room);
	TRY(sendto(x, "x", 1, 0, (void *)&b, 5));
	TRY(sendto(x, "x", 1, 0, (void *)&b, 1));
	TRY(sendto(x, "x", 1, 0, (void *)&b, 129));
	TRY(sendto(x, "x", 1, 0, (void *)1, 6));
	TRY(sendto(s[0], "x", 1, 0, (void *)&b, 6));
	TRY(sendto(socket(AF_UNIX, SOCK_STREAM, 0), "x", 1, 0, (void *)&b, 6));
	puts("# connected datagrams");
	TRY(connect(x, (void *)&b, 6));
	TRY(send(x, "eight", 5, 0));
	receive("to its peer", y, receiver(9, 9, 0, 0), 0);
	TRY(sendto(y, "back", 4, 0, (void *)&a, 6));
	receive("from its peer", x, receiver(9, 9, 0, 0), 0);
	TRY(sendto(z, "other", 5, 0, (void *)&a, 6));
	TRY(connect(z, (void *)&a, 6));
	TRY(connect(z, (void *)&b, 1));
	b.sun_family = AF_UNSPEC;
	TRY(connect(x, (void *)&b, 2));
	b.sun_family = AF_UNIX;
	TRY(send(x, "nobody", 6, 0));
	TRY(connect(z, (void *)&a, 6));
	TRY(connect(x, (void *)&b, 6));
	close(y);
	TRY(send(x, "gone", 4, 0));
	TRY(send(x, "gone", 4, 0));
	TRY(sendto(x, "gone", 4, 0, (void *)&b, 6));
}

static void limits(void)
{
	struct sockaddr_un a = {AF_UNIX, "\0lll"};
	int s[2], d[2], to = socket(AF_UNIX, SOCK_DGRAM, 0),
			from = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	int count = 0;

	puts("# limits");
	socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, d);
	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s);
	bind(to, (void *)&a, 6);
	while (sendto(from, "x", 1, 0, (void *)&a, 6) == 1)
		count++;
	SHOW(count);
	SHOW(errno == EAGAIN);
	TRY(read(to, in, 5));
	TRY(sendto(from, "y", 1, 0, (void *)&a, 6));
	TRY(sendto(from, "z", 1, 0, (void *)&a, 6));
	TRY(send(d[0], block, 212960, 0));
	TRY(recv(d[1], in, sizeof(in), 0));
	TRY(send(d[0], block, 212961, 0));
	TRY(send(d[0], block, 212992, 0));
	TRUTH(write(s[0], block, 400000) > 100000);
	TRY(write(s[0], block, 1));
	TRY(read(s[1], in, 400000) > 100000);
	TRY(write(s[0], block, 1));
}

static void rights(void)
{
	int s[2], d[2], p[2], list[300], bad[2] = {1, 999};

	puts("# rights");
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, d);
	pipe(p);
	for (int i = 0; i < 300; i++)
		list[i] = i % 2 ? p[0] : p[1];
	SHOW(send_rights(s[0], list, 3, "abc", 3));
	receive("three", s[1], receiver(9, 9, 200, 0), 0);
	SHOW(send_rights(s[0], list, 3, "abc", 3));
	receive("for exec no more", s[1], receiver(9, 9, 200, 0), MSG_CMSG_CLOEXEC);
	SHOW(send_rights(s[0], list, 3, "abc", 3));
	receive("room for two", s[1], receiver(9, 9, 16 + 8, 0), 0);
	SHOW(send_rights(s[0], list, 3, "abc", 3));
	receive("room for two and a half", s[1], receiver(9, 9, 16 + 11, 0), 0);
	SHOW(send_rights(s[0], list, 1, "abc", 3));
	receive("room for none", s[1], receiver(9, 9, 16 + 3, 0), 0);
	SHOW(send_rights(s[0], list, 1, "abc", 3));
	receive("no room", s[1], receiver(9, 9, 0, 0), 0);
	/* What has rights is read alone. */
	write(s[0], "1", 1);
	SHOW(send_rights(s[0], list, 1, "22", 2));
	write(s[0], "333", 3);
	receive("before", s[1], receiver(9, 9, 200, 0), 0);
	receive("looked at", s[1], receiver(1, 0, 200, 0), MSG_PEEK);
	receive("with", s[1], receiver(1, 0, 200, 0), 0);
	receive("after", s[1], receiver(9, 9, 200, 0), 0);
	SHOW(send_rights(d[0], list, 2, "dd", 2));
	receive("datagram, looked at", d[1], receiver(9, 9, 200, 0), MSG_PEEK);
	receive("datagram", d[1], receiver(9, 9, 200, 0), 0);
	/* A read throws them away. */
	SHOW(send_rights(s[0], list, 1, "gone", 4));
	TRY(read(s[1], in, 9));
	SHOW(send_rights(s[0], list, 253, "m", 1));
	TRY(read(s[1], in, 9));
	SHOW(send_rights(s[0], list, 254, "m", 1));
	SHOW(errno);
	SHOW(send_rights(s[0], bad, 2, "m", 1));
	SHOW(errno);
	SHOW(send_rights(s[0], list, 0, "m", 1));
	receive("none", s[1], receiver(9, 9, 200, 0), 0);
	/* The pipe lives on in a message. */
	int only[2];
	pipe(only);
	SHOW(send_rights(d[0], &only[1], 1, "w", 1));
	close(only[1]);
	struct pollfd one = {only[0], POLLIN, 0};
	SHOW(poll(&one, 1, 0));
	receive("the writer", d[1], receiver(9, 9, 200, 0), 0);
	SHOW(poll(&one, 1, 0));
	SHOW(one.revents);
	pipe(only);
	SHOW(send_rights(d[0], &only[1], 1, "w", 1));
	close(only[1]);
	close(d[1]);
	one.fd = only[0];
	SHOW(poll(&one, 1, 0));
	puts("# credentials");
	int on = 1;
	setsockopt(s[1], SOL_SOCKET, SO_PASSCRED, &on, 4);
	write(s[0], "c", 1);
	struct parts *r = receiver(9, 9, 200, 0);
	SHOW(recvmsg(s[1], &r->head, 0));
	SHOW(r->head.msg_controllen);
	int who[3];
	memcpy(who, r->control + 16, 12);
	TRUTH(who[0] == getpid() && who[1] == (int)getuid() && who[2] == (int)getgid());
	for (int control = 0; control <= 32; control += 4) {
		write(s[0], "c", 1);
		printf("%d ", control);
		receive("credentials", s[1], receiver(9, 9, control, 0), 0);
	}
	SHOW(send_rights(s[0], list, 1, "both", 4));
	receive("both", s[1], receiver(9, 9, 200, 0), 0);
	SHOW(send_rights(s[0], list, 1, "both", 4));
	receive("room for one", s[1], receiver(9, 9, 40, 0), 0);
	puts("# control refused");
	char control[64] = {0};
	struct cmsghdr *c = (void *)control;
	struct iovec range = {"x", 1};
	struct msghdr head = {
		.msg_iov = &range, .msg_iovlen = 1, .msg_control = control, .msg_controllen = 20};
	static const struct {
		size_t length;
		int level, type;
	} rows[] = {{15, SOL_SOCKET, SCM_RIGHTS}, {16, SOL_SOCKET, SCM_RIGHTS},
		    {20, SOL_SOCKET, SCM_RIGHTS}, {21, SOL_SOCKET, SCM_RIGHTS},
		    {20, SOL_SOCKET, 99},	  {20, 99, 99}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		*c = (struct cmsghdr){.cmsg_len = rows[i].length,
				      .cmsg_level = rows[i].level,
				      .cmsg_type = rows[i].type};
		errno = 0;
		ssize_t got = sendmsg(s[0], &head, 0);
		printf("%zu %d %d: %zd %s\n", rows[i].length, rows[i].level, rows[i].type, got,
		       check_error(errno));
	}
	head.msg_controllen = 15;
	SHOW(sendmsg(s[0], &head, 0));
	head.msg_controllen = 1ul << 30;
	SHOW(sendmsg(s[0], &head, 0));
	SHOW(errno);
}

static void batches(void)
{
	struct mmsghdr list[4] = {{{0}}};
	struct iovec ranges[4] = {{"a", 1}, {"bb", 2}, {"ccc", 3}, {"dddd", 4}};
	int d[2];

	puts("# batches");
	socketpair(AF_UNIX, SOCK_DGRAM, 0, d);
	for (int i = 0; i < 4; i++)
		list[i] = (struct mmsghdr){{.msg_iov = &ranges[i], .msg_iovlen = 1}, 77};
	RAW(sendmmsg, d[0], list, 3, 0);
	for (int i = 0; i < 4; i++)
		printf("%d ", list[i].msg_len);
	puts("");
	for (int i = 0; i < 4; i++)
		ranges[i] = (struct iovec){in + 10 * i, 9}, list[i].msg_len = 77;
	RAW(recvmmsg, d[1], list, 2, 0, NULL);
	RAW(recvmmsg, d[1], list + 2, 2, MSG_WAITFORONE, NULL);
	for (int i = 0; i < 4; i++)
		printf("%d ", list[i].msg_len);
	puts("");
	RAW(recvmmsg, d[1], list, 2, MSG_DONTWAIT, NULL);
	RAW(sendmmsg, d[0], list, 0, 0);
	RAW(sendmmsg, 999, list, 1, 0);
	RAW(sendmmsg, d[0], (void *)1, 1, 0);
	list[1].msg_hdr.msg_iov = (void *)1;
	RAW(sendmmsg, d[0], list, 2, 0);
	RAW(sendmmsg, d[0], list + 1, 1, 0);
}

static int pair[2];

static void *send_more(void *unused)
{
	(void)unused;
	SHOW(write(pair[0], block, 300000));
	return NULL;
}

static void *receive_all(void *unused)
{
	(void)unused;
	SHOW(recv(pair[1], in, 6, MSG_WAITALL));
	return NULL;
}

static void waiting(void)
{
	pthread_t thread;
	long total = 0;

	puts("# waiting");
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	for (int i = 0; i < (int)sizeof(block); i++)
		block[i] = i * 7 + i / 999;
	pthread_create(&thread, NULL, send_more, NULL);
	uint64_t digest = DIGEST_START;
	while (total < 300000) {
		long got = read(pair[1], in, 70000);

		digest = check_digest(digest, in, got);
		total += got;
	}
	pthread_join(thread, NULL);
	SHOW(digest == check_digest(DIGEST_START, block, 300000));
	pthread_create(&thread, NULL, receive_all, NULL);
	for (int i = 0; i < 20; i++)
		sched_yield();
	write(pair[0], "abc", 3);
	for (int i = 0; i < 20; i++)
		sched_yield();
	write(pair[0], "defg", 4);
	pthread_join(thread, NULL);
	SHOW(recv(pair[1], in, 9, MSG_DONTWAIT));
	pthread_create(&thread, NULL, receive_all, NULL);
	for (int i = 0; i < 20; i++)
		sched_yield();
	write(pair[0], "hi", 2);
	close(pair[0]);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	check_enter(argc, argv, chdir);
	plain();
	named();
	limits();
	rights();
	batches();
	waiting();
	return 0;
}

/*
 * Sockets: types, names, options and messages at their limits.
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
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>

static char block[300000];

static void types(void)
{
	int pair[2];

	puts("# types");
	for (int type = 0; type <= 11; type++) {
		int fd = socket(AF_UNIX, type, 0), kind = -1;
		socklen_t room = 4;

		printf("type %d: %s", type, fd < 0 ? check_error(errno) : "made");
		if (fd >= 0 && !getsockopt(fd, SOL_SOCKET, SO_TYPE, &kind, &room))
			printf(", %d", kind);
		puts("");
		close(fd);
	}
	OPEN(socket(AF_UNIX, SOCK_STREAM, 1));
	OPEN(socket(AF_UNIX, SOCK_STREAM, 2));
	OPEN(socket(AF_UNIX, SOCK_STREAM, -1));
	OPEN(socket(AF_UNIX, SOCK_STREAM | 16, 0));
	OPEN(socket(-1, SOCK_STREAM, 0));
	OPEN(socket(-1, 99, 0));
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	SHOW(fcntl(fd, F_GETFD));
	SHOW(fcntl(fd, F_GETFL) & O_NONBLOCK);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	SHOW(fcntl(fd, F_GETFD));
	SHOW(fcntl(fd, F_GETFL) & (O_NONBLOCK | O_ACCMODE));
	TRY(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair));
	SHOW(fcntl(pair[1], F_GETFD));
	SHOW(fcntl(pair[1], F_GETFL) & O_NONBLOCK);
	RAW(socketpair, AF_UNIX, SOCK_STREAM, 0, BEFORE(pair));
	RAW(socketpair, AF_UNIX, SOCK_STREAM, 0, PAST(pair));
	RAW(socketpair, AF_UNIX, SOCK_STREAM | 16, 0, pair);
	RAW(socketpair, AF_UNIX, 11, 0, pair);
}

static void show_name(const char *what, int fd, int is_peer)
{
	struct sockaddr_un name;
	socklen_t room = sizeof(name);

	memset(&name, '-', sizeof(name));
	int got = is_peer ? getpeername(fd, (void *)&name, &room)
			  : getsockname(fd, (void *)&name, &room);
	printf("%s: ", what);
	if (got) {
		puts(check_error(errno));
		return;
	}
	printf("%d bytes, family %d, ", room, name.sun_family);
	for (unsigned i = 2; i < room && i < sizeof(name) && i < 30; i++)
		putchar(name.sun_path[i - 2] ? name.sun_path[i - 2] : '@');
	puts("");
}

static void names(void)
{
	struct sockaddr_un name = {AF_UNIX, "\0abstract"}, other = {AF_UNIX, "path"},
			   longest = {AF_UNIX, ""};
	struct sockaddr_storage wide = {.ss_family = AF_UNIX};
	int a = socket(AF_UNIX, SOCK_STREAM, 0), b = socket(AF_UNIX, SOCK_STREAM, 0);
	int c = socket(AF_UNIX, SOCK_STREAM, 0), d = socket(AF_UNIX, SOCK_DGRAM, 0);
	socklen_t room;

	puts("# names");
	show_name("new", a, 0);
	show_name("new, peer", a, 1);
	RAW(bind, a, &name, 1);
	RAW(bind, a, &wide, 111);
	RAW(bind, a, &wide, 129);
	RAW(bind, a, &name, -1);
	RAW(bind, a, (void *)1, 10);
	RAW(bind, 999, &name, 11);
	RAW(bind, 1, &name, 11);
	RAW(connect, a, &name, 11);
	RAW(listen, a, 1);
	RAW(bind, a, &name, 11);
	show_name("abstract", a, 0);
	RAW(bind, a, &name, 11);
	RAW(bind, a, &name, 2);
	RAW(bind, b, &name, 11);
	RAW(bind, b, &name, 10);
	show_name("shorter", b, 0);
	RAW(bind, d, &name, 11);
	show_name("datagrams", d, 0);
	RAW(bind, c, &other, sizeof(other));
	show_name("path", c, 0);
	struct stat info;
	stat("path", &info);
	int e = socket(AF_UNIX, SOCK_STREAM, 0);
	RAW(bind, e, &other, 7);
	strcpy(other.sun_path, "none/path");
	RAW(bind, e, &other, sizeof(other));
	memset(longest.sun_path, 'n', 108);
	RAW(bind, e, &longest, 110);
	show_name("longest", e, 0);
	int f = socket(AF_UNIX, SOCK_STREAM, 0);
	longest.sun_path[0] = 0;
	RAW(bind, f, &longest, 110);
	show_name("longest abstract", f, 0);
	int g = socket(AF_UNIX, SOCK_STREAM, 0);
	RAW(bind, g, &name, 2);
	room = 100;
	TRY(getsockname(g, (void *)&wide, &room));
	SHOW(room);
	puts("# room for names");
	for (int given = -1; given <= 12; given += given == 3 ? 7 : 1) {
		room = given;
		memset(&wide, '-', sizeof(wide));
		int got = getsockname(a, (void *)&wide, &room);
		printf("%d: %s %d %02x %02x %02x\n", given, got ? check_error(errno) : "told", room,
		       ((unsigned char *)&wide)[1], ((unsigned char *)&wide)[2],
		       ((unsigned char *)&wide)[10]);
	}
	RAW(getsockname, a, (void *)1, &room);
	RAW(getsockname, a, &wide, (void *)1);
	RAW(getsockname, 999, &wide, &room);
	RAW(getpeername, 999, &wide, &room);
	puts("# connections");
	RAW(listen, d, 1);
	RAW(listen, 999, 1);
	int client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	RAW(connect, client, &name, 11);
	RAW(listen, a, 0);
	RAW(connect, client, &name, 12);
	RAW(connect, client, &name, 9);
	RAW(connect, client, &name, 1);
	RAW(connect, client, &name, 2);
	RAW(connect, client, (void *)1, 11);
	RAW(connect, client, &wide, 129);
	RAW(connect, 999, &name, 11);
	RAW(connect, d, &other, 2);
	strcpy(other.sun_path, "none");
	RAW(connect, client, &other, sizeof(other));
	strcpy(other.sun_path, "path");
	RAW(connect, client, &other, sizeof(other));
	RAW(connect, d, &other, sizeof(other));
	close(open("plain", O_CREAT | O_RDWR, 0777));
	strcpy(other.sun_path, "plain");
	RAW(connect, client, &other, sizeof(other));
	RAW(accept4, a, NULL, NULL, 1);
	RAW(accept4, d, NULL, NULL, 0);
	RAW(accept4, b, NULL, NULL, 0);
	RAW(accept4, 999, NULL, NULL, 1);
	RAW(connect, client, &name, 11);
	show_name("client", client, 0);
	show_name("client's peer", client, 1);
	RAW(connect, client, &name, 11);
	RAW(listen, client, 1);
	int second = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct sockaddr_un its = {AF_UNIX, "\0client"};
	RAW(bind, second, &its, 9);
	RAW(connect, second, &name, 11);
	RAW(listen, a, 1);
	RAW(connect, second, &name, 11);
	int third = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	RAW(connect, third, &name, 11);
	room = sizeof(wide);
	write(client, "1", 1);
	write(second, "22", 2);
	int one = OPEN(accept4(a, (void *)&wide, &room, SOCK_CLOEXEC));
	SHOW(room);
	SHOW(fcntl(one, F_GETFD));
	SHOW(fcntl(one, F_GETFL) & O_NONBLOCK);
	room = sizeof(wide);
	int two = OPEN(accept4(a, (void *)&wide, &room, SOCK_NONBLOCK));
	SHOW(room);
	SHOW(fcntl(two, F_GETFD));
	SHOW(fcntl(two, F_GETFL) & O_NONBLOCK);
	SHOW(((char *)&wide)[3]);
	show_name("accepted", two, 0);
	show_name("its peer", two, 1);
	TRY(read(one, block, 10));
	TRY(read(two, block, 10));
	fcntl(a, F_SETFL, O_NONBLOCK);
	RAW(accept4, a, NULL, NULL, 0);
	RAW(connect, third, &name, 11);
	room = -1;
	RAW(accept4, a, &wide, &room, 0);
	/* Who is not accepted before the listener closes learns of it. */
	int fourth = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	RAW(connect, fourth, &name, 11);
	TRY(write(fourth, "4", 1));
	TRY(close(a));
	TRY(read(fourth, block, 1));
	TRY(read(fourth, block, 1));
	TRY(write(fourth, "4", 1));
	RAW(connect, fourth, &name, 11);
}

static void number(int fd, const char *what, int option)
{
	int got = -77;
	socklen_t room = 4;
	int failed = getsockopt(fd, SOL_SOCKET, option, &got, &room);

	printf("%s: %s %d, %d bytes\n", what, failed ? check_error(errno) : "told", got, room);
}
#define NUMBER(option) number(fd, #option, option)
#define SET(option, given)                                                                   \
	(value = given,                                                                      \
	 printf("%s = %d: %s\n", #option, value,                                             \
		setsockopt(fd, SOL_SOCKET, option, &value, 4) ? check_error(errno) : "set"), \
	 NUMBER(option))

static void options(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), value, pair[2];
	struct timeval time = {3, 260000}, got;
	socklen_t room;

	puts("# options");
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	NUMBER(SO_TYPE);
	NUMBER(SO_DOMAIN);
	NUMBER(SO_PROTOCOL);
	NUMBER(SO_ACCEPTCONN);
	NUMBER(SO_ERROR);
	NUMBER(SO_SNDBUF);
	NUMBER(SO_RCVBUF);
	NUMBER(SO_RCVLOWAT);
	NUMBER(SO_SNDLOWAT);
	NUMBER(9999);
	SET(SO_REUSEADDR, 5);
	SET(SO_REUSEADDR, 0);
	SET(SO_KEEPALIVE, 5);
	SET(SO_BROADCAST, 5);
	SET(SO_DONTROUTE, 5);
	SET(SO_OOBINLINE, 5);
	SET(SO_PRIORITY, 5);
	SET(SO_TIMESTAMP, 5);
	SET(SO_PASSCRED, 5);
	SET(SO_PASSCRED, 0);
	SET(SO_RCVLOWAT, 7);
	SET(SO_RCVLOWAT, 0);
	SET(SO_RCVLOWAT, -1);
	SET(SO_SNDLOWAT, 7);
	SET(SO_TYPE, 1);
	SET(SO_ERROR, 1);
	SET(SO_DOMAIN, 1);
	SET(SO_PROTOCOL, 1);
	SET(SO_ACCEPTCONN, 1);
	SET(SO_SNDBUF, 10000);
	SET(SO_RCVBUF, 20000);
	SET(SO_SNDBUF, 2303);
	SET(SO_SNDBUF, 2304);
	SET(SO_SNDBUF, 2305);
	SET(SO_RCVBUF, 212991);
	NUMBER(SO_SNDBUF);
	/* Each has a place of its own. */
	NUMBER(SO_REUSEADDR);
	NUMBER(SO_KEEPALIVE);
	NUMBER(SO_BROADCAST);
	NUMBER(SO_PRIORITY);
	number(pair[0], "of another", SO_KEEPALIVE);
	struct sockaddr_un name = {AF_UNIX, "\0options"};
	bind(fd, (void *)&name, 10);
	listen(fd, 1);
	NUMBER(SO_ACCEPTCONN);
	puts("# options: times");
	RAW(setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	time = (struct timeval){4, 140000};
	RAW(setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
	room = sizeof(got);
	RAW(getsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &got, &room);
	printf("%ld %ld %d\n", (long)got.tv_sec, (long)got.tv_usec, room);
	room = 100;
	RAW(getsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &got, &room);
	printf("%ld %ld %d\n", (long)got.tv_sec, (long)got.tv_usec, room);
	RAW(setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &time, 15);
	RAW(setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, PAST(time), 16);
	RAW(setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, BEFORE(time), 16);
	time.tv_usec = 1000000;
	RAW(setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &time, 16);
	time.tv_usec = -1;
	RAW(setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &time, 16);
	time = (struct timeval){-5, 0};
	RAW(setsockopt, pair[0], SOL_SOCKET, SO_RCVTIMEO, &time, 16);
	TRY(read(pair[0], block, 1));
	time = (struct timeval){0, 20000};
	RAW(setsockopt, pair[0], SOL_SOCKET, SO_RCVTIMEO, &time, 16);
	TRY(read(pair[0], block, 1));
	RAW(setsockopt, pair[0], SOL_SOCKET, SO_SNDTIMEO, &time, 16);
	TRY(write(pair[0], block, 300000) > 100000);
	TRY(write(pair[0], block, 300000));
	puts("# options: wrong");
	value = 1;
	RAW(setsockopt, fd, SOL_SOCKET, SO_KEEPALIVE, &value, 3);
	RAW(setsockopt, fd, SOL_SOCKET, SO_KEEPALIVE, &value, -1);
	RAW(setsockopt, fd, SOL_SOCKET, SO_KEEPALIVE, (void *)1, 4);
	RAW(setsockopt, fd, SOL_SOCKET, SO_KEEPALIVE, BEFORE(value), 4);
	RAW(setsockopt, fd, SOL_SOCKET, SO_KEEPALIVE, PAST(value), 4);
	RAW(setsockopt, fd, SOL_SOCKET, 9999, &value, 4);
	RAW(setsockopt, fd, 77, SO_KEEPALIVE, &value, 4);
	RAW(setsockopt, 999, SOL_SOCKET, SO_KEEPALIVE, &value, 4);
	RAW(setsockopt, 1, SOL_SOCKET, SO_KEEPALIVE, &value, 4);
	struct linger linger = {0};
	RAW(setsockopt, fd, SOL_SOCKET, SO_LINGER, &linger, 7);
	RAW(setsockopt, fd, SOL_SOCKET, SO_LINGER, &linger, 8);
	room = 8;
	RAW(getsockopt, fd, SOL_SOCKET, SO_LINGER, &linger, &room);
	printf("%d %d %d\n", linger.l_onoff, linger.l_linger, room);
	for (int given = -1; given <= 5; given++) {
		room = given;
		value = -1;
		int failed = getsockopt(fd, SOL_SOCKET, SO_TYPE, &value, &room);
		printf("room %d: %s %x, %d\n", given, failed ? check_error(errno) : "told", value,
		       room);
	}
	room = 4;
	RAW(getsockopt, fd, SOL_SOCKET, SO_TYPE, (void *)1, &room);
	RAW(getsockopt, fd, SOL_SOCKET, SO_TYPE, &value, (void *)1);
	RAW(getsockopt, fd, 77, SO_TYPE, &value, &room);
	RAW(getsockopt, 999, SOL_SOCKET, SO_TYPE, &value, &room);
	int who[3] = {7, 7, 7};
	room = 12;
	RAW(getsockopt, pair[0], SOL_SOCKET, SO_PEERCRED, who, &room);
	TRUTH(who[0] == getpid() && who[1] == (int)getuid() && who[2] == (int)getgid() &&
	      room == 12);
	int alone = socket(AF_UNIX, SOCK_STREAM, 0);
	room = 20;
	RAW(getsockopt, alone, SOL_SOCKET, SO_PEERCRED, who, &room);
	printf("%d %d %d %d\n", who[0], who[1], who[2], room);
}

static void ends(void)
{
	int s[2], left;

	puts("# shutdown");
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	RAW(shutdown, s[0], 3);
	RAW(shutdown, s[0], -1);
	RAW(shutdown, 999, 0);
	RAW(shutdown, 1, 0);
	write(s[0], "abc", 3);
	TRY(ioctl(s[1], FIONREAD, &left));
	SHOW(left);
	RAW(shutdown, s[0], SHUT_WR);
	TRY(write(s[0], "d", 1));
	TRY(read(s[1], block, 2));
	TRY(ioctl(s[1], FIONREAD, &left));
	SHOW(left);
	TRY(read(s[1], block, 9));
	TRY(read(s[1], block, 9));
	TRY(write(s[1], "e", 1));
	TRY(read(s[0], block, 9));
	RAW(shutdown, s[0], SHUT_RD);
	TRY(read(s[0], block, 9));
	TRY(write(s[1], "e", 1));
	TRY(send(s[1], "e", 1, MSG_NOSIGNAL));
	close(s[0]);
	TRY(read(s[1], block, 1));
	close(s[1]);
	for (int type = SOCK_STREAM; type <= SOCK_SEQPACKET; type += type == SOCK_STREAM ? 1 : 3) {
		printf("type %d\n", type);
		socketpair(AF_UNIX, type, 0, s);
		write(s[0], "unread", 6);
		TRY(ioctl(s[1], FIONREAD, &left));
		SHOW(left);
		close(s[1]);
		TRY(write(s[0], "x", 1));
		TRY(write(s[0], "x", 1));
		TRY(recv(s[0], block, 9, MSG_DONTWAIT));
		TRY(recv(s[0], block, 9, MSG_DONTWAIT));
		TRY(send(s[0], "x", 1, MSG_NOSIGNAL));
		close(s[0]);
		socketpair(AF_UNIX, type, 0, s);
		write(s[0], "unread", 6);
		close(s[0]);
		TRY(read(s[1], block, 9));
		TRY(recv(s[1], block, 9, MSG_DONTWAIT));
		TRY(write(s[1], "x", 1));
		close(s[1]);
		socketpair(AF_UNIX, type, 0, s);
		TRY(shutdown(s[0], SHUT_RD));
		TRY(write(s[1], "x", 1));
		TRY(recv(s[0], block, 9, MSG_DONTWAIT));
		close(s[0]);
		close(s[1]);
	}
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	check_enter(argc, argv, chdir);
	types();
	names();
	options();
	ends();
	return 0;
}

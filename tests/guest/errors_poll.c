/*
 * poll, select and epoll: wrong arguments, every kind of descriptor, and who is woken by what.
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
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>

#define ALL (POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM | POLLRDHUP | POLLPRI | POLLRDBAND)

static void show(const char *what, int fd)
{
	struct pollfd one = {fd, ALL, 0}, bare = {fd, 0, 0};
	int ready = poll(&one, 1, 0), bare_ready = poll(&bare, 1, 0);

	printf("%s: %d %x, unasked %d %x\n", what, ready, one.revents, bare_ready, bare.revents);
}

static void fill(int fd, long bytes)
{
	static char block[1 << 20];

	while (bytes > 0) {
		long put =
			write(fd, block, bytes < (long)sizeof(block) ? bytes : (long)sizeof(block));

		if (put <= 0)
			break;
		bytes -= put;
	}
}

static void kinds(void)
{
	char block[5000];
	int p[2], s[2], e, t;
	unsigned long big = -2ul;
	struct itimerspec soon = {{0, 0}, {0, 1}};

	puts("# kinds");
	pipe2(p, O_NONBLOCK);
	show("empty pipe, reader", p[0]);
	show("empty pipe, writer", p[1]);
	fill(p[1], 61440);
	show("a page of room, reader", p[0]);
	show("a page of room, writer", p[1]);
	fill(p[1], 1);
	show("less than a page of room", p[1]);
	TRY(write(p[1], block, 4096));
	TRY(write(p[1], block, 4095));
	show("no room", p[1]);
	TRY(write(p[1], block, 1));
	TRY(write(p[1], block, 5000));
	TRY(read(p[0], block, 4096));
	show("a page again", p[1]);
	close(p[1]);
	show("no writer, data", p[0]);
	while (read(p[0], block, sizeof(block)) > 0)
		;
	show("no writer", p[0]);
	TRY(read(p[0], block, 1));
	close(p[0]);
	pipe(p);
	close(p[0]);
	show("no reader", p[1]);
	close(p[1]);
	e = eventfd(0, EFD_NONBLOCK);
	show("event 0", e);
	TRY(write(e, &(long){1}, 8));
	show("event 1", e);
	TRY(write(e, &(long){-2}, 8));
	TRY(read(e, block, 8));
	TRY(write(e, &big, 8));
	show("event full", e);
	TRY(write(e, &(long){1}, 8));
	TRY(write(e, &(long){-1}, 8));
	TRY(write(e, &(long){0}, 8));
	TRY(write(e, block, 7));
	TRY(read(e, block, 7));
	TRY(read(e, block, 9));
	TRY(read(e, block, 8));
	big = -3ul;
	TRY(write(e, &big, 8));
	show("event nearly full", e);
	TRY(write(e, &(long){2}, 8));
	TRY(write(e, &(long){1}, 8));
	TRY(lseek(e, 5, SEEK_SET));
	TRY(pread(e, block, 8, 0));
	t = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	show("timer off", t);
	TRY(timerfd_settime(t, 0, &soon, NULL));
	nanosleep(&(struct timespec){0, 1000}, NULL);
	show("timer out", t);
	TRY(read(t, block, 7));
	TRY(read(t, block, 8));
	show("timer read", t);
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	show("socket", s[0]);
	TRY(write(s[1], block, 3));
	show("socket, data", s[0]);
	TRY(shutdown(s[1], SHUT_WR));
	show("peer writes no more", s[0]);
	show("writes no more", s[1]);
	TRY(shutdown(s[1], SHUT_RD));
	show("peer does neither", s[0]);
	show("does neither", s[1]);
	close(s[0]);
	show("peer closed with data unread", s[1]);
	TRY(read(s[1], block, 1));
	show("told", s[1]);
	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s);
	show("packets", s[0]);
	close(s[1]);
	show("packets, peer closed", s[0]);
	s[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	show("never connected", s[0]);
	s[1] = socket(AF_UNIX, SOCK_DGRAM, 0);
	show("datagrams", s[1]);
	struct sockaddr_un name = {AF_UNIX, "\0listens here"};
	bind(s[0], (void *)&name, 14);
	listen(s[0], 5);
	show("listens", s[0]);
	int c = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(c, (void *)&name, 14);
	show("listens, one waits", s[0]);
	show("connected", c);
	int o = open("file", O_RDWR | O_CREAT, 0644);
	show("file", o);
	show("directory", open(".", O_RDONLY));
	show("place", open(".", O_PATH));
	show("not open", 999);
	struct pollfd negative = {-5, ALL, 77};
	SHOW(poll(&negative, 1, 0));
	SHOW(negative.revents);
}

static void polling(void)
{
	struct pollfd list[3] = {{-1, POLLIN, 5}, {1, 0, 5}, {-1, POLLIN, 5}};
	struct timespec none = {0}, bad = {0, 1000000000}, bad2 = {-1, 0}, brief = {0, 50};
	int p[2];

	puts("# poll");
	pipe(p);
	RAW(ppoll, list, 3, &none, NULL, 8);
	SHOW(list[0].revents);
	SHOW(list[2].revents);
	RAW(ppoll, list, 0, &none, NULL, 8);
	RAW(ppoll, NULL, 0, &none, NULL, 8);
	RAW(ppoll, NULL, 1, &none, NULL, 8);
	RAW(ppoll, (void *)1, 1, &none, NULL, 8);
	RAW(ppoll, list, 1, &bad, NULL, 8);
	RAW(ppoll, list, 1, &bad2, NULL, 8);
	RAW(ppoll, list, 1, (void *)1, NULL, 8);
	RAW(ppoll, list, 1, &none, list, 7);
	RAW(ppoll, list, 1, &none, (void *)1, 8);
	RAW(ppoll, list, 1 << 30, &none, NULL, 8);
	RAW(ppoll, BEFORE(list), 3, &none, NULL, 8);
	RAW(ppoll, PAST(list), 3, &none, NULL, 8);
	RAW(ppoll, list, 1, BEFORE(none), NULL, 8);
	RAW(ppoll, list, 1, PAST(none), NULL, 8);
	list[0] = (struct pollfd){p[0], POLLIN, 0};
	list[2] = (struct pollfd){p[1], POLLOUT, 0};
	RAW(ppoll, list, 3, NULL, NULL, 8);
	SHOW(list[0].revents);
	SHOW(list[2].revents);
	RAW(ppoll, list, 1, &brief, NULL, 8);
	SHOW(brief.tv_sec);
	SHOW(brief.tv_nsec);
	brief = (struct timespec){1000, 0};
	RAW(ppoll, list + 2, 1, &brief, NULL, 8);
	TRUTH(brief.tv_sec == 999 || brief.tv_nsec == 0);
	TRUTH(brief.tv_sec >= 998);
	puts("# select");
	fd_set in, out, odd;
#define CLEAR (in = out = odd = (fd_set){0})
#define SETS                                                                       \
	printf("in %d out %d odd %d\n", FD_ISSET(p[0], &in), FD_ISSET(p[1], &out), \
	       FD_ISSET(p[0], &odd))
	CLEAR;
	FD_SET(p[0], &in);
	FD_SET(p[1], &out);
	FD_SET(p[0], &odd);
	RAW(pselect6, p[1] + 1, &in, &out, &odd, &none, NULL);
	SETS;
	write(p[1], "x", 1);
	CLEAR;
	FD_SET(p[0], &in);
	FD_SET(p[1], &out);
	FD_SET(p[0], &odd);
	RAW(pselect6, p[1] + 1, &in, &out, &odd, &none, NULL);
	SETS;
	CLEAR;
	FD_SET(p[0], &in);
	FD_SET(p[1], &out);
	RAW(pselect6, p[1], &in, &out, NULL, &none, NULL);
	SETS;
	CLEAR;
	FD_SET(p[0], &in);
	RAW(pselect6, p[0], &in, NULL, NULL, &none, NULL);
	SETS;
	CLEAR;
	FD_SET(p[0], &odd);
	RAW(pselect6, p[0] + 1, NULL, NULL, &odd, &none, NULL);
	SETS;
	CLEAR;
	/* The kernel looks at 64 at least. */
	FD_SET(60, &in);
	RAW(pselect6, 61, &in, NULL, NULL, &none, NULL);
	RAW(pselect6, 60, &in, NULL, NULL, &none, NULL);
	RAW(pselect6, -1, &in, NULL, NULL, &none, NULL);
	RAW(pselect6, 5, (void *)1, NULL, NULL, &none, NULL);
	RAW(pselect6, 5, NULL, NULL, (void *)1, &none, NULL);
	RAW(pselect6, 0, (void *)1, NULL, NULL, &none, NULL);
	RAW(pselect6, 0, NULL, NULL, NULL, &bad, NULL);
	RAW(pselect6, 0, NULL, NULL, NULL, (void *)1, NULL);
	RAW(pselect6, 0, NULL, NULL, NULL, &none, (void *)1);
	unsigned long mask[2] = {(unsigned long)&in, 7}, word = 0;
	RAW(pselect6, 0, NULL, NULL, NULL, &none, mask);
	mask[1] = 8;
	RAW(pselect6, 0, NULL, NULL, NULL, &none, BEFORE(mask));
	RAW(pselect6, 0, NULL, NULL, NULL, &none, PAST(mask));
	mask[0] = 1;
	RAW(pselect6, 0, NULL, NULL, NULL, &none, mask);
	/* Sets are read and written in words of 64. */
	dup2(p[0], 62);
	dup2(p[0], 63);
	dup2(p[0], 64);
	word = 1ul << 63;
	RAW(pselect6, 64, BEFORE(word), NULL, NULL, &none, NULL);
	RAW(pselect6, 63, BEFORE(word), NULL, NULL, &none, NULL);
	RAW(pselect6, 1, BEFORE(word), NULL, NULL, &none, NULL);
	RAW(pselect6, 65, BEFORE(word), NULL, NULL, &none, NULL);
	RAW(pselect6, 1, PAST(word), NULL, NULL, &none, NULL);
	CLEAR;
	FD_SET(62, &in);
	FD_SET(64, &in);
	RAW(pselect6, 65, &in, NULL, NULL, &none, NULL);
	printf("%d %d %d\n", FD_ISSET(62, &in), FD_ISSET(63, &in), FD_ISSET(64, &in));
	close(p[1]);
	read(p[0], &word, 1);
	CLEAR;
	FD_SET(p[0], &in);
	FD_SET(p[0], &odd);
	RAW(pselect6, p[0] + 1, &in, NULL, &odd, &none, NULL);
	SETS;
	pipe(p);
	close(p[0]);
	CLEAR;
	FD_SET(p[1], &in);
	FD_SET(p[1], &out);
	RAW(pselect6, p[1] + 1, &in, &out, NULL, &none, NULL);
	printf("%d %d\n", FD_ISSET(p[1], &in), FD_ISSET(p[1], &out));
}

static void report(int ep, int most)
{
	struct epoll_event got[8];
	int count = epoll_wait(ep, got, most, 0);

	printf("%d:", count);
	for (int i = 0; i < count; i++)
		printf(" %x/%lx", got[i].events, got[i].data.u64);
	puts("");
}

static void events(void)
{
	int ep = epoll_create1(EPOLL_CLOEXEC), p[2], q[2], file = open("file", O_RDWR), deep[7];
	struct epoll_event ev = {EPOLLIN, {.u64 = 0x1111111122222222}};
	char in[8];

	puts("# epoll");
	pipe2(p, O_NONBLOCK);
	pipe2(q, O_NONBLOCK);
	SHOW(fcntl(ep, F_GETFD));
	RAW(epoll_create1, 1);
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, p[0], &ev);
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, p[0], &ev);
	RAW(epoll_ctl, ep, EPOLL_CTL_MOD, q[0], &ev);
	RAW(epoll_ctl, ep, EPOLL_CTL_DEL, q[0], NULL);
	RAW(epoll_ctl, ep, 4, p[0], &ev);
	RAW(epoll_ctl, ep, 0, p[0], &ev);
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, ep, &ev);
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, 999, &ev);
	RAW(epoll_ctl, 999, EPOLL_CTL_ADD, p[0], &ev);
	RAW(epoll_ctl, p[0], EPOLL_CTL_ADD, q[0], &ev);
	RAW(epoll_ctl, p[0], EPOLL_CTL_ADD, p[0], &ev);
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, file, &ev);
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, q[0], (void *)1);
	RAW(epoll_ctl, ep, EPOLL_CTL_DEL, 999, (void *)1);
	report(ep, 8);
	write(p[1], "ab", 2);
	report(ep, 8);
	report(ep, 8);
	ev = (struct epoll_event){EPOLLIN | EPOLLET, {.u64 = 2}};
	RAW(epoll_ctl, ep, EPOLL_CTL_MOD, p[0], &ev);
	report(ep, 8);
	report(ep, 8);
	write(p[1], "c", 1);
	report(ep, 8);
	report(ep, 8);
	ev = (struct epoll_event){EPOLLIN | EPOLLONESHOT, {.u64 = 3}};
	RAW(epoll_ctl, ep, EPOLL_CTL_MOD, p[0], &ev);
	report(ep, 8);
	write(p[1], "d", 1);
	report(ep, 8);
	RAW(epoll_ctl, ep, EPOLL_CTL_MOD, p[0], &ev);
	report(ep, 8);
	ev = (struct epoll_event){EPOLLOUT, {.u64 = 4}};
	RAW(epoll_ctl, ep, EPOLL_CTL_MOD, p[0], &ev);
	report(ep, 8);
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, p[1], &ev);
	report(ep, 8);
	ev = (struct epoll_event){EPOLLIN, {.u64 = 5}};
	RAW(epoll_ctl, ep, EPOLL_CTL_MOD, p[0], &ev);
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, q[0], &ev);
	write(q[1], "q", 1);
	/* Who has been reported goes behind the others. */
	report(ep, 1);
	report(ep, 1);
	report(ep, 2);
	report(ep, 1);
	report(ep, 8);
	while (read(p[0], in, 1) > 0)
		;
	report(ep, 8);
	RAW(epoll_ctl, ep, EPOLL_CTL_DEL, p[1], NULL);
	RAW(epoll_ctl, ep, EPOLL_CTL_DEL, p[1], NULL);
	report(ep, 8);
	close(q[1]);
	report(ep, 8);
	close(q[0]);
	report(ep, 8);
	/* A file is watched until its last descriptor is closed. */
	int again = dup(p[0]);
	write(p[1], "e", 1);
	close(p[0]);
	report(ep, 8);
	close(again);
	report(ep, 8);
	puts("# epoll: exclusive");
	pipe2(p, O_NONBLOCK);
	ev = (struct epoll_event){EPOLLIN | EPOLLEXCLUSIVE, {.u64 = 6}};
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, p[0], &ev);
	RAW(epoll_ctl, ep, EPOLL_CTL_MOD, p[0], &ev);
	ev.events = EPOLLIN;
	RAW(epoll_ctl, ep, EPOLL_CTL_MOD, p[0], &ev);
	ev.events = EPOLLIN | EPOLLEXCLUSIVE | EPOLLONESHOT;
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, p[1], &ev);
	ev.events = EPOLLIN | EPOLLEXCLUSIVE | EPOLLRDHUP;
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, p[1], &ev);
	ev.events =
		EPOLLIN | EPOLLOUT | EPOLLERR | EPOLLHUP | EPOLLWAKEUP | EPOLLET | EPOLLEXCLUSIVE;
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, p[1], &ev);
	report(ep, 8);
	report(ep, 8);
	int inner = epoll_create1(0);
	RAW(epoll_ctl, ep, EPOLL_CTL_ADD, inner, &ev);
	RAW(epoll_ctl, ep, EPOLL_CTL_DEL, p[0], &ev);
	puts("# epoll: nested");
	ev = (struct epoll_event){EPOLLIN, {.u64 = 7}};
	for (int i = 0; i < 7; i++)
		deep[i] = epoll_create1(0);
	RAW(epoll_ctl, deep[0], EPOLL_CTL_ADD, p[0], &ev);
	for (int i = 1; i < 7; i++)
		printf("%d: %s\n", i,
		       epoll_ctl(deep[i], EPOLL_CTL_ADD, deep[i - 1], &ev) ? check_error(errno)
									   : "added");
	RAW(epoll_ctl, deep[0], EPOLL_CTL_ADD, deep[1], &ev);
	RAW(epoll_ctl, deep[0], EPOLL_CTL_ADD, deep[3], &ev);
	report(deep[4], 8);
	write(p[1], "n", 1);
	report(deep[4], 8);
	show("nested", deep[4]);
	read(p[0], in, 1);
	show("nested", deep[4]);
	report(deep[4], 8);
	puts("# epoll_wait");
	struct epoll_event got[4];
	struct timespec none = {0}, bad = {0, 1000000000};
	RAW(epoll_pwait, ep, got, 0, 0, NULL, 8);
	RAW(epoll_pwait, ep, got, -1, 0, NULL, 8);
	RAW(epoll_pwait, ep, got, 1 << 30, 0, NULL, 8);
	RAW(epoll_pwait, 999, got, 1, 0, NULL, 8);
	RAW(epoll_pwait, p[0], got, 1, 0, NULL, 8);
	RAW(epoll_pwait, ep, got, 1, 0, got, 7);
	RAW(epoll_pwait, ep, got, 1, 0, (void *)1, 8);
	RAW(epoll_pwait, ep, (void *)-1, 1, 0, NULL, 8);
	RAW(epoll_pwait2, ep, got, 4, &none, NULL, 8);
	RAW(epoll_pwait2, ep, got, 4, &bad, NULL, 8);
	RAW(epoll_pwait2, ep, got, 4, (void *)1, NULL, 8);
	RAW(epoll_pwait, deep[0], got, 4, 1, NULL, 8);
	TRY(read(ep, in, 8));
	TRY(write(ep, in, 8));
	/* Where the events cannot be written nothing is lost. */
	write(p[1], "f", 1);
	RAW(epoll_pwait, deep[0], (void *)1, 4, 0, NULL, 8);
	report(deep[0], 8);
	ev = (struct epoll_event){EPOLLIN | EPOLLET, {.u64 = 8}};
	RAW(epoll_ctl, deep[6], EPOLL_CTL_ADD, p[0], &ev);
	RAW(epoll_pwait, deep[6], (void *)1, 4, 0, NULL, 8);
	report(deep[6], 8);
	report(deep[6], 8);
}

static int shared[2], watcher;

static void *wait_here(void *what)
{
	struct epoll_event got[4];
	struct pollfd one = {shared[0], POLLIN, 0};
	char in;

	if (what)
		SHOW(epoll_wait(watcher, got, 4, -1));
	else
		SHOW(poll(&one, 1, -1));
	SHOW(read(shared[0], &in, 1));
	return NULL;
}

static void waking(void)
{
	struct epoll_event ev = {EPOLLIN, {.u64 = 9}};
	pthread_t thread;

	puts("# waking");
	for (long way = 0; way < 4; way++) {
		pipe(shared);
		watcher = epoll_create1(0);
		if (way < 3)
			epoll_ctl(watcher, EPOLL_CTL_ADD, shared[0], &ev);
		pthread_create(&thread, NULL, wait_here, (void *)way);
		for (int i = 0; i < 20; i++)
			sched_yield();
		if (way == 3)
			epoll_ctl(watcher, EPOLL_CTL_ADD, shared[0], &ev);
		if (way == 2)
			close(shared[1]);
		else
			write(shared[1], "w", 1);
		pthread_join(thread, NULL);
	}
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN);
	check_enter(argc, argv, chdir);
	kinds();
	polling();
	events();
	waking();
	return 0;
}

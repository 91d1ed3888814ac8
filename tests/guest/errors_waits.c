/*
 * Calls that wait: what ends them, what they have done by then, and what is told of the rest.
 *
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>

static volatile int alarms;
static char block[200000];

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

/* An alarm in so many ms, with these flags of its handler, and again until there is none: one that
 * comes before the call that it is to end ends nothing. */
static void alarm_in(int ms, int flags)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = flags};
	struct itimerval set = {{0, ms * 1000}, {0, ms * 1000}};

	alarms = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &set, NULL);
}
static void no_alarm(void)
{
	struct itimerval none = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &none, NULL);
	TRUTH(alarms > 0);
}
#define INTERRUPTED(flags, call) \
	(alarm_in(20, flags), errno = 0, check_result(#call, (long long)(call)), no_alarm())

static void sleeps(void)
{
	struct timespec long_time = {500, 0}, left = {77, 77}, brief = {0, 60000000}, until;

	puts("# sleeps");
	INTERRUPTED(0, nanosleep(&long_time, &left));
	TRUTH(left.tv_sec == 499 && left.tv_nsec > 0 && left.tv_nsec < 1000000000);
	INTERRUPTED(SA_RESTART, nanosleep(&long_time, &left));
	TRUTH(left.tv_sec == 499);
	left.tv_sec = 77;
	INTERRUPTED(0, syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &long_time, &left));
	TRUTH(left.tv_sec == 499);
	left.tv_sec = 77;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += 500;
	INTERRUPTED(0, syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, &left));
	SHOW(left.tv_sec);
	INTERRUPTED(0, nanosleep(&long_time, NULL));
	/* A handler that is over before the sleep is does not shorten it twice. */
	alarm_in(20, 0);
	struct timespec before, after;
	clock_gettime(CLOCK_MONOTONIC, &before);
	while (nanosleep(&brief, &brief) == -1)
		;
	clock_gettime(CLOCK_MONOTONIC, &after);
	long ns = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
	no_alarm();
	TRUTH(ns >= 60000000);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 30000000;
	if (until.tv_nsec >= 1000000000)
		until.tv_nsec -= 1000000000, until.tv_sec++;
	TRY(syscall(SYS_clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL));
	clock_gettime(CLOCK_REALTIME, &after);
	TRUTH(after.tv_sec > until.tv_sec ||
	      (after.tv_sec == until.tv_sec && after.tv_nsec >= until.tv_nsec));
}

static void transfers(void)
{
	int p[2], s[2], event = eventfd(0, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
	unsigned word = 0;
	struct timespec long_time = {500, 0};
	struct timeval time = {300, 0};

	puts("# transfers");
	pipe(p);
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	INTERRUPTED(0, read(p[0], block, 10));
	INTERRUPTED(0, read(s[0], block, 10));
	INTERRUPTED(0, read(event, block, 8));
	INTERRUPTED(0, read(timer, block, 8));
	INTERRUPTED(0, write(p[1], block, 100000));
	INTERRUPTED(0, write(p[1], block, 10));
	TRY(read(p[0], block, 65536));
	INTERRUPTED(SA_RESTART, write(p[1], block, 100000));
	close(p[0]);
	close(p[1]);
	setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	INTERRUPTED(SA_RESTART, read(s[0], block, 10));
	INTERRUPTED(SA_RESTART, recv(s[0], block, 10, MSG_WAITALL));
	INTERRUPTED(0, syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0));
	INTERRUPTED(SA_RESTART, syscall(SYS_futex, &word, FUTEX_WAIT, 0, &long_time, NULL, 0));
	INTERRUPTED(0, accept(s[0], NULL, NULL));
	struct sockaddr_un name = {AF_UNIX, "\0waits"};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(listener, (void *)&name, 8);
	listen(listener, 0);
	INTERRUPTED(0, accept(listener, NULL, NULL));
	connect(client, (void *)&name, 8);
	int late = socket(AF_UNIX, SOCK_STREAM, 0);
	INTERRUPTED(0, connect(late, (void *)&name, 8));
	unsigned long set = 1ul << (SIGUSR1 - 1);
	INTERRUPTED(SA_RESTART, syscall(SYS_rt_sigtimedwait, &set, NULL, NULL, 8));
	INTERRUPTED(SA_RESTART, syscall(SYS_rt_sigtimedwait, &set, NULL, &long_time, 8));
	INTERRUPTED(SA_RESTART, pause());
}

static void masks(void)
{
	struct pollfd none = {-1, 0, 0};
	unsigned long usr1 = 1ul << (SIGUSR1 - 1), both = usr1 | 1ul << (SIGUSR2 - 1), now = 0;
	unsigned long only = 1ul << (SIGUSR2 - 1), pair[2] = {(unsigned long)&only, 8};
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct timespec brief = {0, 1000000}, long_time = {400, 0};
	int ep = epoll_create1(0);
	struct epoll_event got;

	puts("# masks");
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &both, NULL, 8);
#define MASK_IS_BACK (syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &now, 8), TRUTH(now == both))
	raise(SIGUSR1);
	raise(SIGUSR2);
	alarms = 0;
	RAW(ppoll, &none, 1, &brief, NULL, 8);
	SHOW(alarms);
	RAW(ppoll, &none, 1, &long_time, &only, 8);
	SHOW(alarms);
	TRUTH(long_time.tv_sec >= 399);
	MASK_IS_BACK;
	raise(SIGUSR1);
	RAW(pselect6, 0, NULL, NULL, NULL, NULL, pair);
	SHOW(alarms);
	MASK_IS_BACK;
	raise(SIGUSR1);
	RAW(epoll_pwait, ep, &got, 1, -1, &only, 8);
	SHOW(alarms);
	MASK_IS_BACK;
	raise(SIGUSR1);
	RAW(epoll_pwait2, ep, &got, 1, NULL, &only, 8);
	SHOW(alarms);
	MASK_IS_BACK;
	raise(SIGUSR1);
	RAW(rt_sigsuspend, &only, 8);
	SHOW(alarms);
	MASK_IS_BACK;
	/* Without a signal the mask is back as well. */
	RAW(ppoll, &none, 1, &brief, &only, 8);
	MASK_IS_BACK;
	RAW(epoll_pwait, ep, &got, 1, 1, &only, 8);
	MASK_IS_BACK;
	now = 0;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &now, NULL, 8);
	SHOW(alarms);
}

static int p[2], d[2], word;
static struct sockaddr_un to = {AF_UNIX, "\0datagrams"};

static void *write_late(void *what)
{
	usleep(20000);
	switch ((long)what) {
	case 0: write(p[1], "x", 1); break;
	case 1: close(p[1]); break;
	case 2: read(p[0], block, 65536); break;
	case 3: close(p[0]); break;
	case 4: read(d[0], block, 10); break;
	case 5: shutdown(d[1], SHUT_WR); break;
	case 6: close(d[1]); break;
	case 7: word = 1, syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0); break;
	}
	return NULL;
}

/* Runs a call that waits while another thread does what ends it. */
#define MEANWHILE(what, call)                                              \
	do {                                                               \
		pthread_t other;                                           \
		pthread_create(&other, NULL, write_late, (void *)what##l); \
		errno = 0;                                                 \
		check_result(#call, (long long)(call));                    \
		pthread_join(other, NULL);                                 \
	} while (0)

static void others(void)
{
	struct pollfd one;
	int count = 0;

	puts("# others");
	signal(SIGPIPE, SIG_IGN);
	pipe(p);
	MEANWHILE(0, read(p[0], block, 10));
	MEANWHILE(1, read(p[0], block, 10));
	close(p[0]);
	pipe(p);
	write(p[1], block, 65536);
	MEANWHILE(2, write(p[1], block, 4096));
	write(p[1], block, 61440);
	MEANWHILE(2, write(p[1], block, 65536));
	MEANWHILE(3, write(p[1], block, 70000));
	close(p[1]);
	pipe(p);
	one = (struct pollfd){p[0], POLLIN, 0};
	MEANWHILE(0, poll(&one, 1, -1));
	SHOW(one.revents);
	read(p[0], block, 1);
	MEANWHILE(1, poll(&one, 1, -1));
	SHOW(one.revents);
	close(p[0]);
	pipe(p);
	write(p[1], block, 65536);
	one = (struct pollfd){p[1], POLLOUT, 0};
	MEANWHILE(2, poll(&one, 1, -1));
	SHOW(one.revents);
	write(p[1], block, 65536);
	MEANWHILE(3, poll(&one, 1, -1));
	SHOW(one.revents & (POLLERR | POLLHUP));
	d[0] = socket(AF_UNIX, SOCK_DGRAM, 0);
	d[1] = socket(AF_UNIX, SOCK_DGRAM, 0);
	bind(d[0], (void *)&to, 12);
	while (sendto(d[1], "x", 1, MSG_DONTWAIT, (void *)&to, 12) == 1)
		count++;
	MEANWHILE(4, sendto(d[1], "yy", 2, 0, (void *)&to, 12));
	connect(d[1], (void *)&to, 12);
	MEANWHILE(4, send(d[1], "zzz", 3, 0));
	close(d[0]);
	close(d[1]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, d);
	MEANWHILE(5, read(d[0], block, 10));
	MEANWHILE(6, read(d[0], block, 10));
	close(d[0]);
	socketpair(AF_UNIX, SOCK_SEQPACKET, 0, d);
	MEANWHILE(6, read(d[0], block, 10));
	one = (struct pollfd){d[0], POLLRDHUP, 0};
	SHOW(poll(&one, 1, 0));
	SHOW(one.revents);
	MEANWHILE(7, syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0));
	SHOW(word);
}

static sigset_t usr;

static void *take_signal(void *unused)
{
	siginfo_t info;

	(void)unused;
	SHOW(sigwaitinfo(&usr, &info));
	SHOW(info.si_code);
	return NULL;
}

static volatile pthread_t taker;

static void note_taker(int number)
{
	(void)number;
	taker = pthread_self();
}

static volatile int is_ready;

static void *stay_open(void *unused)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	is_ready = 1;
	while (!taker)
		sched_yield();
	return unused;
}

/* A signal to the process is taken by a thread that waits for it or does not block it. */
static void takers(void)
{
	pthread_t thread;

	puts("# takers");
	sigemptyset(&usr);
	sigaddset(&usr, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr, NULL);
	pthread_create(&thread, NULL, take_signal, NULL);
	usleep(20000);
	kill(getpid(), SIGUSR1);
	pthread_join(thread, NULL);
	signal(SIGUSR1, note_taker);
	pthread_create(&thread, NULL, stay_open, NULL);
	while (!is_ready)
		sched_yield();
	kill(getpid(), SIGUSR1);
	pthread_join(thread, NULL);
	TRUTH(pthread_equal(taker, thread));
	taker = 0;
	is_ready = 0;
	pthread_create(&thread, NULL, stay_open, NULL);
	while (!is_ready)
		sched_yield();
	sigprocmask(SIG_UNBLOCK, &usr, NULL);
	kill(getpid(), SIGUSR1);
	pthread_join(thread, NULL);
	TRUTH(pthread_equal(taker, pthread_self()));
}

int main(void)
{
	sleeps();
	transfers();
	masks();
	others();
	takers();
	return 0;
}

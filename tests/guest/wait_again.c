/*
 * A wait that a signal without effect interrupts ends when it would have, and the next one too.
 * only: cyclestack
 * link: static
 *
 * SIGWINCH is ignored unless somebody handles it, but not where the first thread blocks it: then it
 * wakes another one, which finds nothing to do and waits on. Built for the host this passes there
 * too, with times less exact: -DEXACT=20.
 */
#include "check.h"
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static uint32_t word;
static int ends[2], sockets[2], poller;
static volatile int calls;

static void count(int number)
{
	(void)number;
	calls++;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static struct timespec of(long ms)
{
	return (struct timespec){ms / 1000, ms % 1000 * 1000000};
}

static long by_futex(long ms)
{
	struct timespec time = of(ms);

	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &time);
}

static struct timespec after(long ms)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_nsec += ms * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static long by_futex_until(long ms)
{
	struct timespec time = after(ms);

	return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &time, NULL, 1);
}

static long by_nanosleep(long ms)
{
	struct timespec time = of(ms);

	return nanosleep(&time, NULL);
}

static long by_sleep_until(long ms)
{
	struct timespec time = after(ms);
	int failed = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);

	errno = failed;
	return failed ? -1 : 0;
}

static long by_poll(long ms)
{
	struct pollfd one = {ends[0], POLLIN, 0};

	return poll(&one, 1, (int)ms);
}

static long by_select(long ms)
{
	struct timeval time = {0, ms * 1000};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	return select(ends[0] + 1, &set, NULL, NULL, &time);
}

static long by_epoll(long ms)
{
	struct epoll_event event;

	return epoll_wait(poller, &event, 1, (int)ms);
}

static long by_socket(long ms)
{
	struct timeval time = {0, ms * 1000};
	char text;

	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
	return recv(sockets[0], &text, 1, 0);
}

static long by_signal(long ms)
{
	struct timespec time = of(ms);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &time);
}

static const struct way {
	const char *name;
	long (*wait)(long ms);
	int result, error; /* when the time is over */
	/* Linux ends it with EINTR even then (signal(7), "by stop signals"); the simulated system
	 * does not, and what it does is not asked here. */
	int ends_anyway;
} ways[] = {
	{"futex", by_futex, -1, ETIMEDOUT},
	{"futex until", by_futex_until, -1, ETIMEDOUT},
	{"nanosleep", by_nanosleep, 0, 0},
	{"sleep until", by_sleep_until, 0, 0},
	{"poll", by_poll, 0, 0},
	{"select", by_select, 0, 0},
	{"epoll", by_epoll, 0, 0, 1},
	{"socket", by_socket, -1, EAGAIN, 1},
	{"signal", by_signal, -1, EAGAIN, 1},
};

#define COUNT (sizeof(ways) / sizeof(ways[0]))

static volatile int has_handler;

#ifndef EXACT
#define EXACT 0.5 /* ms */
#endif

/* The wait ends after that many ms, as it should. With a handler, one before it is ended by that 30
 * ms after it began, and nothing else is called in between. */
static void try_one(const struct way *way, long ms)
{
	double begun = now(), wanted = (double)ms + (has_handler ? 30 : 0);
	long first = has_handler ? way->wait(150) : -1;
	int first_error = has_handler ? errno : EINTR;

	errno = 0;
	long got = way->wait(ms);
	int why = got < 0 ? errno : 0;
	double spent = now() - begun;
	int is_right = first == -1 && first_error == EINTR && got == way->result &&
		       why == way->error && spent > wanted - EXACT && spent < wanted + EXACT;

	printf("%s, %ld ms%s: %s\n", way->name, ms, has_handler ? ", interrupted before" : "",
	       is_right ? "yes" : "NO");
	if (!is_right)
		printf("  %ld (%s), %ld (%s) after %.3f ms\n", first, check_error(first_error), got,
		       check_error(why), spent);
}

static void pass_until(double when)
{
	struct timespec time = {0, 0};
	double left = when - now();

	time.tv_nsec = left > 0 ? (long)(left * 1e6) : 0;
	nanosleep(&time, NULL);
}

/* A turn takes 200 ms. */
static void *wait_in_turns(void *unused)
{
	double begun = now();
	size_t turn = 0;

	(void)unused;
	for (size_t round = 0; round < 3; round++)
		for (size_t i = 0; i < COUNT; i++) {
			const struct way *way = &ways[i];

			if (round != 1 && way->ends_anyway) {
				turn++;
				continue;
			}
			pass_until(begun + 200.0 * (double)turn);
			has_handler = round == 1;
			/* Each with a time of its own: what an earlier wait left would show. */
			try_one(way, 80 + (long)(5 * turn % 40));
			turn++;
		}
	return NULL;
}

int main(void)
{
	pthread_t waiter;
	sigset_t set;
	double begun;

	pipe(ends);
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	poller = epoll_create1(0);
	signal(SIGUSR1, count);
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	begun = now();
	pthread_create(&waiter, NULL, wait_in_turns, NULL);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	/* Disturbs each wait 30 ms after it began, and again. */
	for (size_t turn = 0; turn < 3 * COUNT; turn++)
		for (int i = 0; i < 2; i++) {
			pass_until(begun + 200.0 * (double)turn + 30 + 10 * i);
			if (!has_handler)
				kill(getpid(), SIGWINCH);
			else if (!i)
				pthread_kill(waiter, SIGUSR1);
		}
	pthread_join(waiter, NULL);
	TRUTH(calls == COUNT);
	return 0;
}

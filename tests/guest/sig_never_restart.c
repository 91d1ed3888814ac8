/*
 * Which calls a handler with SA_RESTART ends with EINTR, and which go on, is as in signal(7).
 */
#include "check.h"
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t calls;
static uint32_t word;
static int ends[2], sockets[2], event;

static void count(int number)
{
	(void)number;
	calls++;
}

static void alarm_in(long ms)
{
	struct itimerval timer = {{0, 0}, {0, ms * 1000}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Ends the waits that the handler does not end. */
static void *help(void *unused)
{
	const uint64_t one = 1;

	(void)unused;
	usleep(60000);
	write(ends[1], "help", 4);
	usleep(60000);
	write(event, &one, 8);
	usleep(60000);
	send(sockets[1], "help", 4, 0);
	usleep(60000);
	word = 1;
	syscall(SYS_futex, &word, FUTEX_WAKE, 1);
	return NULL;
}

int main(void)
{
	struct timespec time = {5, 0}, left = {0, 0};
	struct timeval limit = {5, 0};
	struct epoll_event event_list;
	uint64_t value;
	char text[8];
	sigset_t usr1, alarm_set;
	pthread_t other;
	int poller = epoll_create1(0);

	pipe(ends);
	event = eventfd(0, 0);
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	sigemptyset(&alarm_set);
	sigaddset(&alarm_set, SIGALRM);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	signal(SIGALRM, count);
	alarm_in(10);
	TRY(nanosleep(&time, &left));
	TRUTH(left.tv_sec >= 3 && left.tv_sec < 5);
	alarm_in(10);
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL));
	alarm_in(10);
	TRY(epoll_wait(poller, &event_list, 1, -1));
	alarm_in(10);
	TRY(sigtimedwait(&usr1, NULL, &time));
	alarm_in(10);
	TRY(sigwaitinfo(&usr1, NULL));
	alarm_in(10);
	TRY(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &time));
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	alarm_in(10);
	TRY(recv(sockets[0], text, sizeof(text), 0));
	limit.tv_sec = 0;
	limit.tv_usec = 20000;
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	TRY(recv(sockets[0], text, sizeof(text), 0));
	limit.tv_usec = 0;
	setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	SHOW(calls);

	pthread_sigmask(SIG_BLOCK, &alarm_set, NULL);
	pthread_create(&other, NULL, help, NULL);
	pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL);
	alarm_in(20);
	TRY(read(ends[0], text, 4));
	alarm_in(20);
	TRY(read(event, &value, 8));
	alarm_in(20);
	TRY(recv(sockets[0], text, 4, 0));
	alarm_in(20);
	TRY(syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL));
	pthread_join(other, NULL);
	SHOW(calls);
	return 0;
}

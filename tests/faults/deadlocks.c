/*
 * deadlocks CASE: waits in a way that nothing can end, while timers that wake nobody run out.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static void *wait_for_ever(void *number)
{
	uint64_t value;

	read(*(int *)number, &value, sizeof(value));
	return NULL;
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";
	struct itimerspec often = {{0, 1}, {0, 1}}, seldom = {{3600, 0}, {3600, 0}};
	struct itimerval ticks = {{0, 1}, {0, 1}};
	struct epoll_event event = {.events = EPOLLIN};
	int ends[2], timer = timerfd_create(CLOCK_MONOTONIC, 0), poller = epoll_create1(0);
	sigset_t set;
	pthread_t other;
	timer_t posix_timer;

	pipe(ends);
	if (!strcmp(which, "timers that nobody watches")) {
		timerfd_settime(timer, 0, &often, NULL);
		timer = timerfd_create(CLOCK_MONOTONIC, 0);
		timerfd_settime(timer, 0, &seldom, NULL);
		wait_for_ever(&ends[0]);
	} else if (!strcmp(which, "a timer in an event poll that nobody waits for")) {
		epoll_ctl(poller, EPOLL_CTL_ADD, timer, &event);
		timerfd_settime(timer, 0, &often, NULL);
		wait_for_ever(&ends[0]);
	} else if (!strcmp(which, "blocked signals")) {
		sigfillset(&set);
		sigprocmask(SIG_BLOCK, &set, NULL);
		setitimer(ITIMER_REAL, &ticks, NULL);
		timer_create(CLOCK_MONOTONIC, NULL, &posix_timer);
		timer_settime(posix_timer, 0, &often, NULL);
		poll(NULL, 0, -1);
	} else if (!strcmp(which, "ignored signals")) {
		signal(SIGALRM, SIG_IGN);
		setitimer(ITIMER_REAL, &ticks, NULL);
		timer_create(CLOCK_MONOTONIC, NULL, &posix_timer);
		timer_settime(posix_timer, 0, &often, NULL);
		poll(NULL, 0, -1);
	} else if (!strcmp(which, "processor time that does not pass")) {
		timer_create(CLOCK_PROCESS_CPUTIME_ID, NULL, &posix_timer);
		timer_settime(posix_timer, 0, &seldom, NULL);
		pause();
	} else if (!strcmp(which, "two threads")) {
		pthread_create(&other, NULL, wait_for_ever, &ends[0]);
		epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event);
		epoll_wait(poller, &event, 1, -1);
	} else if (!strcmp(which, "a socket")) {
		socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
		wait_for_ever(&ends[0]);
	} else if (!strcmp(which, "an event")) {
		ends[0] = eventfd(0, 0);
		wait_for_ever(&ends[0]);
	} else {
		return 2;
	}
	puts("woken");
	return 0;
}

/*
 * What qemu-riscv64 lacks or does otherwise is as the manual says: time left, flags, sizes.
 * only: cyclestack
 *
 * qemu does not write the time left of an interrupted ppoll or pselect6 (select(2), "C
 * library/kernel differences"), has no epoll_pwait2, and does not check the size of signalfd4's
 * mask nor the flags of timerfd_create.
 */
#include "check.h"
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void handler(int number)
{
	(void)number;
}

static void alarm_in(long ms)
{
	struct itimerval timer = {{0, 0}, {0, ms * 1000}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static int is_about(const struct timespec *time, double wanted)
{
	double seconds = (double)time->tv_sec + (double)time->tv_nsec / 1e9;

	return seconds > wanted - 0.001 && seconds < wanted + 0.001;
}

static int fails(long result, int number)
{
	return result == -1 && errno == number;
}

int main(void)
{
	struct timespec left = {9, 0}, before, after;
	struct epoll_event event = {.events = EPOLLIN};
	int ends[2], poller = epoll_create1(0);
	sigset_t set;

	pipe(ends);
	struct pollfd one = {ends[0], POLLIN, 0};
	signal(SIGALRM, handler);
	alarm_in(50);
	TRUTH(fails(syscall(SYS_ppoll, &one, 1, &left, NULL, 8), EINTR));
	TRUTH(is_about(&left, 8.95));
	left = (struct timespec){9, 0};
	alarm_in(50);
	TRUTH(fails(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &left, NULL), EINTR));
	TRUTH(is_about(&left, 8.95));
	left = (struct timespec){0, 0};
	TRUTH(syscall(SYS_ppoll, &one, 1, &left, NULL, 8) == 0);

	epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event);
	left = (struct timespec){0, 5000};
	clock_gettime(CLOCK_MONOTONIC, &before);
	TRUTH(syscall(SYS_epoll_pwait2, poller, &event, 1, &left, NULL, 8) == 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	TRUTH((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >= 5000);
	TRUTH((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec < 50000);
	left.tv_nsec = -1;
	TRUTH(fails(syscall(SYS_epoll_pwait2, poller, &event, 1, &left, NULL, 8), EINVAL));
	TRUTH(fails(syscall(SYS_epoll_pwait2, poller, &event, 1, 8, NULL, 8), EFAULT));
	alarm_in(10);
	TRUTH(fails(syscall(SYS_epoll_pwait2, poller, &event, 1, NULL, NULL, 8), EINTR));
	write(ends[1], "x", 1);
	TRUTH(syscall(SYS_epoll_pwait2, poller, &event, 1, NULL, NULL, 8) == 1);

	sigemptyset(&set);
	TRUTH(fails(syscall(SYS_signalfd4, -1, &set, 4, 0), EINVAL));
	TRUTH(fails(timerfd_create(CLOCK_MONOTONIC, 4), EINVAL));
	return 0;
}

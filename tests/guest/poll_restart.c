/*
 * ppoll and pselect6 end with EINTR after a handler, SA_RESTART or not.
 */
#include "check.h"
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t calls;

static void count(int number)
{
	(void)number;
	calls++;
}

static void alarm_in(long ms)
{
	struct itimerval timer = {{0, 0}, {ms / 1000, ms % 1000 * 1000}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static int is_between(const struct timespec *time, double low, double high)
{
	double seconds = (double)time->tv_sec + (double)time->tv_nsec / 1e9;

	return seconds >= low && seconds <= high;
}

int main(void)
{
	int ends[2];
	fd_set set;
	struct timespec left;

	pipe(ends);
	struct pollfd one = {ends[0], POLLIN, 0};
	/* With the BSD semantics of signal(), SA_RESTART is set. */
	signal(SIGALRM, count);
	alarm_in(20);
	TRY(pause());
	alarm_in(20);
	TRY(poll(&one, 1, -1));
	alarm_in(20);
	TRY(poll(&one, 1, 5000));
	alarm_in(20);
	TRY(poll(NULL, 0, 5000));
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	alarm_in(20);
	TRY(select(ends[0] + 1, &set, NULL, NULL, NULL));
	TRUTH(FD_ISSET(ends[0], &set));
	SHOW(calls);

	left = (struct timespec){0, 30000000};
	TRY(syscall(SYS_ppoll, &one, 1, &left, NULL, 8));
	SHOW(left.tv_sec);
	SHOW(left.tv_nsec);
	write(ends[1], "x", 1);
	left = (struct timespec){9, 0};
	TRY(syscall(SYS_ppoll, &one, 1, &left, NULL, 8));
	SHOW(one.revents);
	TRUTH(is_between(&left, 8, 9));
	left = (struct timespec){9, 1000000000};
	TRY(syscall(SYS_ppoll, &one, 1, &left, NULL, 8));
	left = (struct timespec){-1, 0};
	TRY(syscall(SYS_pselect6, ends[0] + 1, &set, NULL, NULL, &left, NULL));
	TRY(syscall(SYS_pselect6, -1, &set, NULL, NULL, NULL, NULL));
	TRY(syscall(SYS_ppoll, 8, 1, NULL, NULL, 8));
	return 0;
}

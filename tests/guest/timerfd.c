/*
 * Timer descriptors count expirations, relative and absolute, and tell what is left.
 */
#include "check.h"
#include <poll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static long long get(int fd)
{
	uint64_t value = 0;
	ssize_t got = read(fd, &value, 8);

	return got == 8 ? (long long)value : got;
}

static double seconds(struct timespec time)
{
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(void)
{
	struct itimerspec once = {{0, 0}, {0, 20000000}}, often = {{0, 10000000}, {0, 10000000}};
	struct itimerspec wrong = {{0, 0}, {0, 1000000000}}, none = {{0, 0}, {0, 0}}, old;
	struct timespec now;
	char small[4];

	TRY(timerfd_create(99, 0));
	TRY(timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0));
	int timer = OPEN(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
	struct pollfd one = {timer, POLLIN, 0};
	TRY(get(timer));
	TRY(read(timer, small, 4));
	TRY(write(timer, &once, 8));
	TRY(timerfd_settime(timer, 0, &wrong, NULL));
	TRY(timerfd_settime(timer, 8, &once, NULL));
	TRY(timerfd_settime(0, 0, &once, NULL));
	TRY(timerfd_settime(999, 0, &once, NULL));
	TRY(timerfd_settime(timer, 0, &once, &old));
	SHOW(old.it_value.tv_nsec);
	TRY(timerfd_gettime(timer, &old));
	TRUTH(seconds(old.it_value) > 0 && seconds(old.it_value) <= 0.02);
	TRY(get(timer));
	TRY(poll(&one, 1, -1));
	SHOW(one.revents);
	TRY(get(timer));
	TRY(get(timer));
	TRY(timerfd_gettime(timer, &old));
	SHOW(old.it_value.tv_nsec);

	TRY(timerfd_settime(timer, 0, &often, NULL));
	usleep(55000);
	TRUTH(get(timer) >= 5);
	TRY(timerfd_gettime(timer, &old));
	SHOW(old.it_interval.tv_nsec);
	TRY(timerfd_settime(timer, 0, &none, &old));
	SHOW(old.it_interval.tv_nsec);
	usleep(20000);
	TRY(get(timer));

	clock_gettime(CLOCK_MONOTONIC, &now);
	once.it_value = now;
	TRY(timerfd_settime(timer, TFD_TIMER_ABSTIME, &once, NULL));
	usleep(1000);
	TRY(get(timer));
	close(timer);
	timer = OPEN(timerfd_create(CLOCK_REALTIME, 0));
	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_nsec += 30000000;
	now.tv_sec += now.tv_nsec / 1000000000;
	now.tv_nsec %= 1000000000;
	once.it_value = now;
	TRY(timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &once, NULL));
	TRY(get(timer));
	clock_gettime(CLOCK_REALTIME, &old.it_value);
	TRUTH(seconds(old.it_value) >= seconds(now));
	TRY(lseek(timer, 0, SEEK_SET));
	return 0;
}

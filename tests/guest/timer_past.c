/*
 * A timer that is set to a time in the past has run out as often as it would have by now.
 *
 * link: static
 * beside: host
 */
#include "check.h"
#include <signal.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static struct itimerspec ago(clockid_t clock, long ms, long interval_ms)
{
	struct itimerspec spec = {{interval_ms / 1000, interval_ms % 1000 * 1000000}, {0}};

	clock_gettime(clock, &spec.it_value);
	spec.it_value.tv_sec -= ms / 1000;
	spec.it_value.tv_nsec -= ms % 1000 * 1000000;
	if (spec.it_value.tv_nsec < 0) {
		spec.it_value.tv_nsec += 1000000000;
		spec.it_value.tv_sec--;
	}
	return spec;
}

static void of_descriptor(long ms, long interval_ms)
{
	struct itimerspec spec = ago(CLOCK_REALTIME, ms, interval_ms), left;
	uint64_t count = 0;
	int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);

	printf("%ld ms ago, every %ld ms\n", ms, interval_ms);
	TRY(timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL));
	TRY(read(fd, &count, 8));
	SHOW(count);
	TRY(read(fd, &count, 8));
	timerfd_gettime(fd, &left);
	if (interval_ms) {
		long rest = interval_ms - ms % interval_ms;
		long now = left.it_value.tv_sec * 1000 + left.it_value.tv_nsec / 1000000;

		TRUTH(now <= rest && now > rest - 400);
	}
	close(fd);
}

static void of_timer(long ms, long interval_ms)
{
	struct itimerspec spec = ago(CLOCK_REALTIME, ms, interval_ms);
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	siginfo_t info;
	sigset_t set;
	timer_t timer;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	timer_create(CLOCK_REALTIME, &event, &timer);
	TRY(timer_settime(timer, TIMER_ABSTIME, &spec, NULL));
	SHOW(sigwaitinfo(&set, &info) == SIGUSR1);
	SHOW(info.si_overrun);
	SHOW(timer_getoverrun(timer));
	timer_delete(timer);
}

int main(void)
{
	of_descriptor(10500, 1000);
	of_descriptor(10500, 0);
	of_descriptor(500, 3000);
	of_descriptor(7200500, 60000);
	of_timer(10500, 1000);
	of_timer(500, 0);
	return 0;
}

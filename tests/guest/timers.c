/*
 * Interval timers and alarms deliver their signals, also into a sleep, and can be cancelled.
 */
#include "check.h"
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;

static void on_alarm(int number)
{
	(void)number;
	ticks++;
}

int main(void)
{
	struct itimerval timer = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}}, old;
	struct timespec forever = {100, 0}, left = {0, 0};
	struct sigaction action = {.sa_handler = on_alarm};

	sigaction(SIGALRM, &action, NULL);
	if (TRY(setitimer(ITIMER_REAL, &timer, NULL)))
		return 1;
	while (ticks < 3)
		;
	TRY(setitimer(ITIMER_REAL, &off, &old));
	TRUTH(old.it_interval.tv_usec == 1000);
	TRY(getitimer(ITIMER_REAL, &old));
	SHOW(old.it_value.tv_sec + old.it_value.tv_usec);

	ticks = 0;
	timer.it_interval.tv_usec = 0;
	timer.it_value.tv_usec = 5000;
	TRY(setitimer(ITIMER_REAL, &timer, NULL));
	TRY(nanosleep(&forever, &left));
	TRUTH(left.tv_sec >= 98);
	SHOW(ticks);
	SHOW(alarm(50));
	SHOW(alarm(0));
	SHOW(alarm(0));
	timer.it_value.tv_usec = 3000;
	setitimer(ITIMER_REAL, &timer, NULL);
	TRY(pause());
	SHOW(ticks);
	return 0;
}

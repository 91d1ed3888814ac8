/*
 * POSIX timers signal the process or a thread, count overruns, and can be read and deleted.
 */
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t calls, value, code, handled_by;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	calls++;
	value = info->si_value.sival_int;
	code = info->si_code;
	handled_by = (int)syscall(SYS_gettid);
}

static void *wait_for_signal(void *tid)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	*(volatile int *)tid = (int)syscall(SYS_gettid);
	while (handled_by != *(volatile int *)tid)
		usleep(1000);
	return NULL;
}

static void *by_library(union sigval given)
{
	value = given.sival_int;
	calls++;
	return NULL;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	struct itimerspec once = {{0, 0}, {0, 10000000}}, often = {{0, 5000000}, {0, 5000000}};
	struct itimerspec none = {{0, 0}, {0, 0}}, wrong = {{0, 0}, {0, -1}}, old;
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct timespec long_time = {5, 0}, zero = {0, 0};
	siginfo_t info;
	sigset_t set;
	timer_t timer, other;
	pthread_t thread;
	volatile int tid = 0;

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	event.sigev_value.sival_int = 42;
	TRY(timer_create(77, &event, &timer));
	event.sigev_signo = 65;
	TRY(timer_create(CLOCK_MONOTONIC, &event, &timer));
	event.sigev_signo = SIGUSR1;
	event.sigev_notify = 9;
	TRY(timer_create(CLOCK_MONOTONIC, &event, &timer));
	event.sigev_notify = SIGEV_SIGNAL;
	TRY(timer_create(CLOCK_MONOTONIC, &event, &timer));
	TRY(timer_settime(timer, 0, &wrong, NULL));
	TRY(timer_settime(timer, 0, &once, &old));
	SHOW(old.it_value.tv_nsec);
	TRY(nanosleep(&long_time, NULL));
	SHOW(calls);
	SHOW(value);
	TRUTH(code == SI_TIMER);
	TRUTH(handled_by == getpid());
	TRY(timer_gettime(timer, &old));
	SHOW(old.it_value.tv_nsec);
	SHOW(timer_getoverrun(timer));

	/* While the signal is blocked, expirations are counted. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	TRY(timer_settime(timer, 0, &often, NULL));
	usleep(52000);
	TRY(timer_gettime(timer, &old));
	SHOW(old.it_interval.tv_nsec);
	TRY(sigtimedwait(&set, &info, &zero));
	TRUTH(info.si_overrun >= 8);
	SHOW(info.si_value.sival_int);
	TRUTH(timer_getoverrun(timer) == info.si_overrun);
	TRY(timer_settime(timer, 0, &none, NULL));
	sigtimedwait(&set, &info, &zero);
	TRY(sigtimedwait(&set, &info, &zero));

	TRY(timer_create(CLOCK_REALTIME, NULL, &other));
	TRY(timer_settime(other, 0, &once, NULL));
	TRY(nanosleep(&long_time, NULL));
	SHOW(calls);
	TRY(timer_delete(other));
	TRY(syscall(SYS_timer_delete, 12345));
	TRY(syscall(SYS_timer_gettime, 12345, &old));
	TRY(syscall(SYS_timer_getoverrun, 12345));
	TRY(syscall(SYS_timer_settime, timer, 0, NULL, NULL));

	pthread_create(&thread, NULL, wait_for_signal, (void *)&tid);
	while (!tid)
		usleep(1000);
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGUSR2;
	event._sigev_un._tid = tid;
	TRY(timer_create(CLOCK_MONOTONIC, &event, &other));
	TRY(timer_settime(other, 0, &once, NULL));
	pthread_join(thread, NULL);
	TRUTH(handled_by == tid);
	event._sigev_un._tid = 1;
	TRY(timer_create(CLOCK_MONOTONIC, &event, &other));

	event.sigev_notify = SIGEV_NONE;
	TRY(timer_create(CLOCK_MONOTONIC, &event, &other));
	TRY(timer_settime(other, 0, &once, NULL));
	usleep(20000);
	TRY(timer_gettime(other, &old));
	SHOW(old.it_value.tv_nsec);
	calls = 0;
	event = (struct sigevent){.sigev_notify = SIGEV_THREAD};
	event.sigev_notify_function = (void (*)(union sigval))by_library;
	event.sigev_value.sival_int = 7;
	TRY(timer_create(CLOCK_MONOTONIC, &event, &other));
	TRY(timer_settime(other, 0, &once, NULL));
	while (!calls)
		usleep(1000);
	SHOW(value);
	event = (struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	calls = 0;
	TRY(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &other));
	TRY(timer_settime(other, 0, &once, NULL));
	while (!calls)
		;
	SHOW(calls);
	return 0;
}

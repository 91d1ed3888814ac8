/*
 * Clocks, sleeps and timers refuse what is no time or no clock, and tell what is left.
 *
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

static volatile int taken, code, value, overrun, id;

static void note(int number, siginfo_t *info, void *context)
{
	(void)context;
	taken = number;
	code = info->si_code;
	value = info->si_value.sival_int;
	overrun = info->si_overrun;
	id = info->si_timerid;
}

static void clocks(void)
{
	static const int all[] = {-9, -1, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 16, 17};
	struct timespec out, small = {0, 1},
			     bad[] = {{-1, 0}, {0, -1}, {0, 1000000000}, {0, 999999999}};

	puts("# clocks");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int clock = all[i];

		if (clock == 10 || clock == -1)
			continue;
		printf("clock %d: gettime %ld", clock, syscall(SYS_clock_gettime, clock, &out));
		printf(" getres %ld", syscall(SYS_clock_getres, clock, NULL));
		errno = 0;
		/* The time of the process does not go on while it sleeps. */
		if (clock != CLOCK_PROCESS_CPUTIME_ID)
			syscall(SYS_clock_nanosleep, clock, 0, &small, NULL);
		printf(" sleep %d", errno);
		errno = 0;
		syscall(SYS_clock_nanosleep, clock, TIMER_ABSTIME, &small, NULL);
		printf(" until %d", errno);
		timer_t timer;
		struct sigevent none = {.sigev_notify = SIGEV_NONE};
		errno = 0;
		syscall(SYS_timer_create, clock, &none, &timer);
		printf(" timer %d", errno);
		errno = 0;
		int fd = timerfd_create(clock, 0);
		printf(" file %d", errno);
		close(fd);
		puts("");
	}
	RAW(clock_gettime, 0, BEFORE(out));
	RAW(clock_gettime, 0, PAST(out));
	RAW(clock_getres, 1, BEFORE(out));
	RAW(clock_getres, 1, PAST(out));
	RAW(clock_getres, 77, NULL);
	for (int i = 0; i < 4; i++) {
		if (i < 3) {
			RAW(nanosleep, &bad[i], NULL);
			RAW(clock_nanosleep, CLOCK_MONOTONIC, 0, &bad[i], NULL);
		}
		RAW(clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &bad[i], NULL);
	}
	RAW(nanosleep, BEFORE(small), NULL);
	RAW(nanosleep, PAST(small), NULL);
	RAW(nanosleep, NULL, NULL);
	RAW(clock_nanosleep, CLOCK_MONOTONIC, 0, NULL, NULL);
	RAW(clock_nanosleep, CLOCK_MONOTONIC, 0, PAST(small), NULL);
	RAW(gettimeofday, BEFORE(out), NULL);
	RAW(gettimeofday, PAST(out), NULL);
	int zone[2];
	RAW(gettimeofday, NULL, BEFORE(zone));
	RAW(gettimeofday, NULL, PAST(zone));
	/* The CPU time of a thread or process by its number. */
	int of_thread = ~gettid() << 3 | 6, of_process = ~getpid() << 3 | 2;
	TRUTH(syscall(SYS_clock_gettime, of_thread, &out) == 0);
	TRUTH(syscall(SYS_clock_gettime, of_process, &out) == 0);
	TRUTH(syscall(SYS_clock_gettime, of_process | 1, &out) == -1 && errno == EINVAL);
	TRUTH(syscall(SYS_clock_gettime, ~0x3ffffff << 3 | 6, &out) == -1 && errno == EINVAL);
	TRUTH(syscall(SYS_clock_gettime, ~0 << 3 | 6, &out) == 0);
}

static void interval_timers(void)
{
	static const int numbers[3] = {SIGALRM, SIGVTALRM, SIGPROF};
	struct itimerval set = {{7, 250000}, {500, 125000}}, old, none = {{0}};

	puts("# interval timers");
	for (int which = 0; which < 3; which++) {
		memset(&old, -1, sizeof(old));
		RAW(setitimer, which, &set, &old);
		printf("%ld %ld %ld %ld\n", old.it_interval.tv_sec, (long)old.it_interval.tv_usec,
		       old.it_value.tv_sec, (long)old.it_value.tv_usec);
		RAW(getitimer, which, &old);
		printf("%ld %ld\n", old.it_interval.tv_sec, (long)old.it_interval.tv_usec);
		TRUTH((old.it_value.tv_sec == 500 && old.it_value.tv_usec <= 125000) ||
		      old.it_value.tv_sec == 499);
		RAW(setitimer, which, &none, &old);
		printf("%ld %ld\n", old.it_interval.tv_sec, (long)old.it_interval.tv_usec);
		TRUTH(old.it_value.tv_sec >= 499);
		RAW(getitimer, which, &old);
		printf("%ld %ld\n", old.it_value.tv_sec, (long)old.it_value.tv_usec);
		set.it_value.tv_sec++;
	}
	RAW(setitimer, 3, &set, NULL);
	RAW(setitimer, -1, &set, NULL);
	RAW(getitimer, 3, &old);
	RAW(getitimer, 0, BEFORE(old));
	RAW(getitimer, 0, PAST(old));
	RAW(setitimer, 0, (void *)1, NULL);
	RAW(setitimer, 0, BEFORE(none), NULL);
	RAW(setitimer, 0, PAST(none), NULL);
	for (int i = 0; i < 4; i++) {
		long wrong[4] = {0};

		wrong[i] = -1;
		RAW(setitimer, 0, wrong, NULL);
		wrong[i] = i % 2 ? 1000000 : 0;
		RAW(setitimer, 0, wrong, NULL);
	}
	/* Each sends its own signal, once or again and again. */
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
	for (int which = 0; which < 3; which++) {
		sigaction(numbers[which], &action, NULL);
		taken = 0;
		set = (struct itimerval){{0, 0}, {0, 1000}};
		setitimer(which, &set, NULL);
		while (!taken)
			;
		SHOW(taken);
		SHOW(code);
		getitimer(which, &old);
		SHOW(old.it_value.tv_sec || old.it_value.tv_usec);
		set.it_interval.tv_usec = 1000;
		setitimer(which, &set, NULL);
		for (int i = 0; i < 3; i++) {
			taken = 0;
			while (!taken)
				;
		}
		SHOW(taken);
		setitimer(which, &none, NULL);
	}
}

static void posix_timers(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	struct itimerspec set = {{6, 1}, {300, 2}}, old, none = {{0}};
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
	int a, b, c;

	puts("# timers");
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	event.sigev_value.sival_int = 55;
	RAW(timer_create, CLOCK_MONOTONIC, &event, &a);
	RAW(timer_create, CLOCK_MONOTONIC, NULL, &b);
	RAW(timer_create, CLOCK_MONOTONIC, (void *)1, &c);
	RAW(timer_create, CLOCK_MONOTONIC, BEFORE(event), &c);
	RAW(timer_create, CLOCK_MONOTONIC, &event, (void *)1);
	event.sigev_signo = 0;
	RAW(timer_create, CLOCK_MONOTONIC, &event, &c);
	event.sigev_signo = 65;
	RAW(timer_create, CLOCK_MONOTONIC, &event, &c);
	event.sigev_signo = 64;
	RAW(timer_create, CLOCK_MONOTONIC, &event, &c);
	event.sigev_notify = 3;
	RAW(timer_create, CLOCK_MONOTONIC, &event, &c);
	event.sigev_notify = SIGEV_THREAD_ID;
	event._sigev_un._tid = 0x7ffffffe;
	RAW(timer_create, CLOCK_MONOTONIC, &event, &c);
	event._sigev_un._tid = gettid();
	RAW(timer_create, CLOCK_MONOTONIC, &event, &c);
	RAW(timer_settime, a, 0, &set, &old);
	printf("%ld %ld %ld %ld\n", old.it_interval.tv_sec, old.it_interval.tv_nsec,
	       old.it_value.tv_sec, old.it_value.tv_nsec);
	RAW(timer_gettime, a, &old);
	printf("%ld %ld\n", old.it_interval.tv_sec, old.it_interval.tv_nsec);
	TRUTH(old.it_value.tv_sec == 299);
	set.it_value.tv_sec = 400;
	RAW(timer_settime, a, 0, &set, &old);
	TRUTH(old.it_value.tv_sec == 299);
	RAW(timer_settime, a, 0, NULL, NULL);
	RAW(timer_settime, a, 0, (void *)1, NULL);
	RAW(timer_settime, a, 0, BEFORE(set), NULL);
	RAW(timer_settime, a, 0, PAST(set), NULL);
	RAW(timer_settime, a, 0, &none, BEFORE(set));
	RAW(timer_settime, a, 0, &none, PAST(set));
	RAW(timer_gettime, a, BEFORE(set));
	RAW(timer_gettime, a, PAST(set));
	RAW(timer_settime, 999, 0, &set, NULL);
	RAW(timer_gettime, 999, &old);
	RAW(timer_getoverrun, 999);
	RAW(timer_delete, 999);
	for (int i = 0; i < 4; i++) {
		long wrong[4] = {0, 0, 1, 0};

		wrong[i] = i % 2 ? 1000000000 : -1;
		RAW(timer_settime, a, 0, wrong, NULL);
		wrong[i] = i % 2 ? -1 : 0;
		RAW(timer_settime, a, 0, wrong, NULL);
	}
	RAW(timer_settime, a, 0, &none, NULL);
	taken = 0;
	set = (struct itimerspec){{0, 0}, {0, 1000}};
	RAW(timer_settime, a, 0, &set, NULL);
	while (!taken)
		;
	SHOW(taken);
	SHOW(code);
	SHOW(value);
	SHOW(overrun);
	TRUTH(id == a);
	RAW(timer_getoverrun, a);
	RAW(timer_gettime, a, &old);
	SHOW(old.it_value.tv_sec || old.it_value.tv_nsec);
	taken = 0;
	RAW(timer_settime, b, 0, &set, NULL);
	while (!taken)
		;
	SHOW(taken);
	TRUTH(value == b && id == b);
	/* An absolute time that is over runs out at once. */
	taken = 0;
	set = (struct itimerspec){{0, 0}, {0, 1}};
	RAW(timer_settime, a, TIMER_ABSTIME, &set, NULL);
	while (!taken)
		;
	SHOW(taken);
	TRUTH(id == a);
	/* A signal that waits to be taken is sent once. */
	sigset_t block;
	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	sigprocmask(SIG_BLOCK, &block, NULL);
	set = (struct itimerspec){{0, 1000000}, {0, 1000000}};
	RAW(timer_settime, a, 0, &set, NULL);
	nanosleep(&(struct timespec){0, 60000000}, NULL);
	siginfo_t info;
	SHOW(sigwaitinfo(&block, &info));
	SHOW(info.si_code);
	TRUTH(info.si_overrun >= 50 && info.si_overrun < 1000);
	TRUTH(syscall(SYS_timer_getoverrun, a) == info.si_overrun);
	RAW(timer_settime, a, 0, &none, NULL);
	RAW(timer_delete, b);
	RAW(timer_delete, b);
	RAW(timer_gettime, b, &old);
	RAW(timer_delete, a);
}

static void timer_files(void)
{
	struct itimerspec set = {{5, 3}, {200, 4}}, old, none = {{0}};
	unsigned long count = 77;
	int a = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	int b = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK),
	    c = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK);

	puts("# timer files");
	SHOW(fcntl(a, F_GETFD));
	SHOW(fcntl(b, F_GETFD));
	SHOW(fcntl(a, F_GETFL) & (O_ACCMODE | O_NONBLOCK));
	RAW(timerfd_create, CLOCK_MONOTONIC, 1);
	RAW(timerfd_create, 77, 0);
	RAW(timerfd_settime, a, 0, &set, &old);
	printf("%ld %ld %ld %ld\n", old.it_interval.tv_sec, old.it_interval.tv_nsec,
	       old.it_value.tv_sec, old.it_value.tv_nsec);
	RAW(timerfd_gettime, a, &old);
	printf("%ld %ld\n", old.it_interval.tv_sec, old.it_interval.tv_nsec);
	TRUTH(old.it_value.tv_sec == 199);
	RAW(timerfd_settime, a, 0, &none, &old);
	TRUTH(old.it_value.tv_sec == 199);
	TRY(read(a, &count, 8));
	RAW(timerfd_settime, a, 4, &set, NULL);
	RAW(timerfd_settime, a, 0, (void *)1, NULL);
	RAW(timerfd_settime, a, 0, BEFORE(none), NULL);
	RAW(timerfd_settime, a, 0, PAST(none), NULL);
	RAW(timerfd_settime, a, 0, &none, BEFORE(old));
	RAW(timerfd_settime, a, 0, &none, PAST(old));
	RAW(timerfd_gettime, a, BEFORE(old));
	RAW(timerfd_gettime, a, PAST(old));
	RAW(timerfd_settime, 999, 0, &set, NULL);
	RAW(timerfd_settime, 1, 0, &set, NULL);
	RAW(timerfd_gettime, 999, &old);
	RAW(timerfd_gettime, 1, &old);
	for (int i = 0; i < 4; i++) {
		long wrong[4] = {0, 0, 1, 0};

		wrong[i] = i % 2 ? 1000000000 : -1;
		RAW(timerfd_settime, a, 0, wrong, NULL);
	}
	/* Several run at a time, and are closed in another order than they were made. */
	set = (struct itimerspec){{0, 0}, {0, 1000}};
	RAW(timerfd_settime, a, 0, &set, NULL);
	RAW(timerfd_settime, b, 0, &set, NULL);
	RAW(timerfd_settime, c, 0, &set, NULL);
	nanosleep(&(struct timespec){0, 100000}, NULL);
	close(b);
	TRY(read(c, &count, 8));
	SHOW(count);
	close(c);
	TRY(read(a, &count, 8));
	SHOW(count);
	TRY(read(a, &count, 8));
	set = (struct itimerspec){{0, 0}, {0, 1}};
	RAW(timerfd_settime, a, TFD_TIMER_ABSTIME, &set, NULL);
	TRY(read(a, &count, 8));
	SHOW(count);
	set = (struct itimerspec){{0, 1000000}, {0, 1000000}};
	RAW(timerfd_settime, a, 0, &set, NULL);
	nanosleep(&(struct timespec){0, 20000000}, NULL);
	RAW(timerfd_settime, a, 0, &none, NULL);
	TRY(read(a, &count, 8));
	RAW(timerfd_settime, a, 0, &set, NULL);
	nanosleep(&(struct timespec){0, 20000000}, NULL);
	TRY(read(a, &count, 8));
	TRUTH(count >= 19 && count < 1000);
	fcntl(a, F_SETFL, 0);
	TRY(read(a, &count, 8));
	TRUTH(count >= 1 && count < 1000);
}

int main(void)
{
	clocks();
	interval_timers();
	posix_timers();
	timer_files();
	return 0;
}

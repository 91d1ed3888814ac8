/*
 * timers MODE: all threads sleep while interval timers run out that wake none of them.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void start(int which)
{
	const struct itimerval often = {{0, 1}, {0, 1}};

	setitimer(which, &often, NULL);
}

static void block(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const struct timespec day = {86400, 0};
	struct itimerval left;

	setvbuf(stdout, NULL, _IONBF, 0);
	puts("begun");
	if (!strcmp(mode, "ignored")) {
		signal(SIGALRM, SIG_IGN);
		start(ITIMER_REAL);
		pause();
	} else if (!strcmp(mode, "blocked")) {
		block(SIGALRM);
		start(ITIMER_REAL);
		pause();
	} else if (!strcmp(mode, "virtual")) {
		start(ITIMER_VIRTUAL);
		start(ITIMER_PROF);
		block(SIGVTALRM);
		block(SIGPROF);
		pause();
	} else if (!strcmp(mode, "sleep")) {
		sigset_t pending;

		block(SIGALRM);
		start(ITIMER_REAL);
		nanosleep(&day, NULL);
		sigpending(&pending);
		getitimer(ITIMER_REAL, &left);
		printf("slept, %s\n", sigismember(&pending, SIGALRM) ? "pending" : "lost");
	} else if (!strcmp(mode, "exec")) {
		for (int i = 0; i < 1000; i++)
			execl("/bin/true", "true", NULL);
	} else {
		return 2;
	}
	return 0;
}

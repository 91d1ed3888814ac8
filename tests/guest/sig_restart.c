/*
 * A read interrupted by a signal is EINTR, or is restarted under SA_RESTART.
 */
#include "check.h"
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static int ends[2];
static volatile sig_atomic_t calls;

static void feed(int number)
{
	(void)number;
	if (++calls == 2)
		write(ends[1], "fed", 3);
}

int main(void)
{
	struct itimerval timer = {{0, 2000}, {0, 2000}}, off = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = feed};
	char text[8] = "";

	pipe(ends);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	TRY(read(ends[0], text, sizeof(text)));
	setitimer(ITIMER_REAL, &off, NULL);
	calls = 0;
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	TRY(read(ends[0], text, sizeof(text)));
	setitimer(ITIMER_REAL, &off, NULL);
	puts(text);
	TRUTH(calls >= 2);
	return 0;
}

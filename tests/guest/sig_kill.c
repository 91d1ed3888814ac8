/*
 * SIGKILL to oneself gives status 137, handlers or not.
 */
#include "check.h"
#include <signal.h>
#include <unistd.h>

int main(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	puts("ready");
	fflush(stdout);
	kill(getpid(), SIGKILL);
	puts("survived SIGKILL");
	return 0;
}

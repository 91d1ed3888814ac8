/*
 * A fault while its signal is blocked or ignored still ends the program with 139.
 */
#include "check.h"
#include <signal.h>

static void never(int number)
{
	(void)number;
	puts("the handler ran");
}

int main(void)
{
	sigset_t set;

	signal(SIGSEGV, never);
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("before");
	fflush(stdout);
	*(volatile int *)4 = 1;
	puts("after");
	return 0;
}

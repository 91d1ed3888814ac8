/*
 * A fatal signal sent to oneself ends the program with 128 plus its number.
 */
#include "check.h"
#include <signal.h>
#include <unistd.h>

int main(void)
{
	raise(SIGCHLD);
	raise(SIGURG);
	raise(SIGWINCH);
	raise(SIGCONT);
	puts("ignored ones passed");
	fflush(stdout);
	kill(getpid(), SIGTERM);
	puts("survived SIGTERM");
	return 0;
}

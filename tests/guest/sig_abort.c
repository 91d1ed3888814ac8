/*
 * abort runs the SIGABRT handler, then ends the program with status 134 all the same.
 */
#include "check.h"
#include <signal.h>
#include <unistd.h>

static void on_abort(int number)
{
	(void)number;
	write(1, "handler ran\n", 12);
}

int main(void)
{
	signal(SIGABRT, on_abort);
	puts("aborting");
	fflush(stdout);
	abort();
}

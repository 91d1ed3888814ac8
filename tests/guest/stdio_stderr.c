/*
 * Standard error is separate from standard output, and redirecting one keeps the other.
 */
#include "check.h"
#include <unistd.h>

int main(void)
{
	int saved;

	puts("to the output");
	fputs("to the error stream\n", stderr);
	fflush(stdout);
	saved = dup(1);
	TRUTH(saved > 2);
	fflush(stdout);
	SHOW(dup2(2, 1));
	fflush(stdout);
	SHOW(dup2(saved, 1));
	TRUTH(isatty(1) == 0);
	SHOW(close(saved));
	SHOW(close(saved));
	return 0;
}

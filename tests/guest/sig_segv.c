/*
 * An unhandled SIGSEGV ends the program with status 139; earlier output is kept.
 */
#include "check.h"

int main(void)
{
	puts("before the fault");
	fflush(stdout);
	*(volatile int *)16 = 1;
	puts("after the fault");
	return 0;
}

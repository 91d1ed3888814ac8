/*
 * A failed assertion ends the program with status 134.
 */
#include "check.h"
#include <assert.h>

int main(int argc, char **argv)
{
	(void)argv;
	puts("asserting");
	fflush(stdout);
	assert(argc == 12345);
	return 0;
}

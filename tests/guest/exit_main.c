/*
 * A value returned from main is the exit status, and -1 becomes 255.
 */
#include "check.h"

int main(void)
{
	puts("returning -1");
	return -1;
}

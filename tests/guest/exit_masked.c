/*
 * The exit status keeps its low eight bits; _exit drops what is still buffered.
 */
#include "check.h"
#include <unistd.h>

int main(void)
{
	puts("flushed");
	fflush(stdout);
	setvbuf(stdout, NULL, _IOFBF, 4096);
	fputs("never seen", stdout);
	_exit(256 + 17);
}

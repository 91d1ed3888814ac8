/*
 * atexit handlers run in reverse order, buffered output is flushed, the status is 42.
 */
#include "check.h"

static void first(void)
{
	puts("registered first, runs last");
}

static void second(void)
{
	puts("registered second");
	atexit(first);
}

static void third(int status, void *word)
{
	printf("on_exit %d %s\n", status, (char *)word);
}

static char word[] = "word";

int main(void)
{
	atexit(second);
	on_exit(third, word);
	printf("no newline at the end of this line;");
	exit(42);
}

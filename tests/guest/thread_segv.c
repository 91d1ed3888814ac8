/*
 * A fault in one thread ends the whole process with status 139.
 */
#include "check.h"
#include <pthread.h>

static void *fault(void *unused)
{
	(void)unused;
	*(volatile int *)8 = 1;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	puts("before");
	fflush(stdout);
	pthread_create(&thread, NULL, fault, NULL);
	pthread_join(thread, NULL);
	puts("after");
	return 0;
}

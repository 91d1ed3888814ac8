/*
 * main may leave first: the last thread's exit ends the process, and its exit status counts.
 */
#include "check.h"
#include <pthread.h>
#include <unistd.h>

static pthread_t first;

static void *last(void *unused)
{
	(void)unused;
	SHOW(pthread_join(first, NULL));
	puts("main is gone, this thread ends the process");
	exit(21);
}

int main(void)
{
	pthread_t thread;

	first = pthread_self();
	pthread_create(&thread, NULL, last, NULL);
	pthread_exit(NULL);
}

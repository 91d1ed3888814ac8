/*
 * endless MODE: never ends by itself.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void __attribute__((noinline)) take_second(void)
{
	pthread_mutex_lock(&second);
}

static void *other_way(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&second);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&first);
	return NULL;
}

static void deadlock(void)
{
	pthread_t thread;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&thread, NULL, other_way, NULL);
	pthread_mutex_lock(&first);
	pthread_barrier_wait(&both);
	take_second();
}

static void flood(void)
{
	static char block[4096];

	memset(block, 'f', sizeof(block));
	for (;;)
		write(1, block, sizeof(block));
}

static void __attribute__((noinline)) spin_here(void)
{
	for (volatile long i = 0;; i++)
		;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	puts("begun");
	fflush(stdout);
	if (!strcmp(mode, "spin"))
		spin_here();
	else if (!strcmp(mode, "deadlock"))
		deadlock();
	else if (!strcmp(mode, "flood"))
		flood();
	else if (!strcmp(mode, "sleep"))
		for (;;)
			sleep(1000);
	else if (!strcmp(mode, "pause"))
		pause();
	else if (!strcmp(mode, "threads"))
		for (;;) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, (void *(*)(void *))pause, NULL))
				break;
		}
	puts("ended");
	return 0;
}

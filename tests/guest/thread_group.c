/*
 * exit in one thread ends all others, running, sleeping or waiting for ever.
 */
#include "check.h"
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t started;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *spin(void *unused)
{
	(void)unused;
	sem_post(&started);
	for (volatile long i = 0;; i++)
		;
	return NULL;
}

static void *sleeping(void *unused)
{
	(void)unused;
	sem_post(&started);
	for (;;)
		pause();
	return NULL;
}

static void *waiting(void *unused)
{
	(void)unused;
	sem_post(&started);
	pthread_mutex_lock(&held);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sem_init(&started, 0, 0);
	pthread_mutex_lock(&held);
	pthread_create(&thread, NULL, spin, NULL);
	pthread_create(&thread, NULL, sleeping, NULL);
	pthread_create(&thread, NULL, waiting, NULL);
	for (int i = 0; i < 3; i++)
		sem_wait(&started);
	puts("all started");
	return 5;
}

/*
 * Cancellation ends a blocked thread at its cancellation point and runs its clean-up.
 */
#include "check.h"
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t ready;
static int cleaned, ends[2];

static void clean(void *amount)
{
	cleaned += (int)(long)amount;
}

static void *blocked(void *unused)
{
	char byte;

	(void)unused;
	pthread_cleanup_push(clean, (void *)1);
	pthread_cleanup_push(clean, (void *)10);
	sem_post(&ready);
	read(ends[0], &byte, 1);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *deferred(void *unused)
{
	int old;

	(void)unused;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	sem_post(&ready);
	for (int i = 0; i < 100; i++)
		sched_yield();
	cleaned += 100;
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	pthread_testcancel();
	cleaned += 1000;
	return NULL;
}

int main(void)
{
	pthread_t thread;
	void *result;

	pipe(ends);
	sem_init(&ready, 0, 0);
	pthread_create(&thread, NULL, blocked, NULL);
	sem_wait(&ready);
	SHOW(pthread_cancel(thread));
	SHOW(pthread_join(thread, &result));
	TRUTH(result == PTHREAD_CANCELED);
	SHOW(cleaned);
	pthread_create(&thread, NULL, deferred, NULL);
	sem_wait(&ready);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	TRUTH(result == PTHREAD_CANCELED);
	SHOW(cleaned);
	return 0;
}

/*
 * Producers and consumers exchange every item once through a condition variable.
 */
#include "check.h"
#include <pthread.h>
#include <time.h>

#define ITEMS 3000
#define ROOM  8

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int queue[ROOM], used, produced, consumed, seen[ITEMS];

static void *produce(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (used == ROOM && produced < ITEMS)
			pthread_cond_wait(&not_full, &mutex);
		if (produced == ITEMS) {
			pthread_cond_broadcast(&not_full);
			pthread_mutex_unlock(&mutex);
			return NULL;
		}
		queue[used++] = produced++;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&mutex);
	}
}

static void *consume(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (used == 0 && consumed < ITEMS)
			pthread_cond_wait(&not_empty, &mutex);
		if (used == 0) {
			pthread_cond_broadcast(&not_empty);
			pthread_mutex_unlock(&mutex);
			return NULL;
		}
		seen[queue[--used]]++;
		consumed++;
		pthread_cond_signal(&not_full);
		if (consumed == ITEMS)
			pthread_cond_broadcast(&not_empty);
		pthread_mutex_unlock(&mutex);
	}
}

int main(void)
{
	pthread_t threads[6];
	struct timespec soon;
	int once = 0;

	for (int i = 0; i < 6; i++)
		pthread_create(&threads[i], NULL, i % 2 ? produce : consume, NULL);
	for (int i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < ITEMS; i++)
		once += seen[i] == 1;
	SHOW(produced);
	SHOW(consumed);
	SHOW(once);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 2000000;
	if (soon.tv_nsec >= 1000000000) {
		soon.tv_nsec -= 1000000000;
		soon.tv_sec++;
	}
	pthread_mutex_lock(&mutex);
	SHOW(pthread_cond_timedwait(&not_full, &mutex, &soon) == ETIMEDOUT);
	SHOW(pthread_mutex_unlock(&mutex));
	return 0;
}

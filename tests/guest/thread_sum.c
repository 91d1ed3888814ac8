/*
 * Sixteen threads sum under a mutex, by atomics and alone; join returns each one's value.
 */
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 16
#define ROUNDS	2000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long guarded;
static _Atomic long counted;
static _Atomic int flag_word;
static long spun;

static void *sum(void *argument)
{
	long id = (long)argument, own = 0;

	for (long i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		guarded += id;
		pthread_mutex_unlock(&mutex);
		atomic_fetch_add_explicit(&counted, i, memory_order_relaxed);
		own += i * id;
		if (i % 100 == 0) {
			while (atomic_exchange(&flag_word, 1))
				;
			spun++;
			atomic_store(&flag_word, 0);
		}
	}
	return (void *)own;
}

int main(void)
{
	pthread_t threads[THREADS];
	void *result;

	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, sum, (void *)i))
			printf("thread %ld was not created\n", i);
	for (int i = 0; i < THREADS; i++) {
		SHOW(pthread_join(threads[i], &result));
		SHOW((long)result);
	}
	SHOW(guarded);
	SHOW(counted);
	SHOW(spun);
	for (int i = 0; i < 10; i++) {
		pthread_create(&threads[0], NULL, sum, (void *)0);
		if (i % 2)
			pthread_join(threads[0], NULL);
		else
			pthread_detach(threads[0]);
	}
	puts("created and ended more threads");
	return 0;
}

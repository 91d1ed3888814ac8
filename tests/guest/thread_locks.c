/*
 * Barriers, read-write locks, semaphores, once, spin locks and kinds of mutex.
 */
#include "check.h"
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#define THREADS 5

static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static sem_t semaphore, done;
static int once_calls, serial, steps[THREADS], early, pair[2], torn, spins, inside, crowded;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void initialise(void)
{
	once_calls++;
}

static void *work(void *argument)
{
	int id = (int)(long)argument;

	pthread_once(&once, initialise);
	for (int round = 0; round < 50; round++) {
		steps[id] = round + 1;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			serial++;
		for (int i = 0; i < THREADS; i++)
			early += steps[i] <= round;
		pthread_barrier_wait(&barrier);
		if (id == 0) {
			pthread_rwlock_wrlock(&rwlock);
			pair[0]++;
			pair[1]++;
			pthread_rwlock_unlock(&rwlock);
		} else {
			pthread_rwlock_rdlock(&rwlock);
			torn += pair[0] != pair[1];
			pthread_rwlock_unlock(&rwlock);
		}
		pthread_spin_lock(&spin);
		spins++;
		pthread_spin_unlock(&spin);
		sem_wait(&semaphore);
		pthread_mutex_lock(&mutex);
		crowded += ++inside > 2;
		pthread_mutex_unlock(&mutex);
		pthread_mutex_lock(&mutex);
		inside--;
		pthread_mutex_unlock(&mutex);
		sem_post(&semaphore);
	}
	sem_post(&done);
	return NULL;
}

static void kinds(void)
{
	struct timespec past = {1, 0};
	pthread_mutexattr_t attr;
	pthread_mutex_t kind;
	int value;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&kind, &attr);
	SHOW(pthread_mutex_lock(&kind));
	SHOW(pthread_mutex_lock(&kind));
	SHOW(pthread_mutex_unlock(&kind));
	SHOW(pthread_mutex_unlock(&kind));
	SHOW(pthread_mutex_unlock(&kind) == EPERM);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&kind, &attr);
	SHOW(pthread_mutex_lock(&kind));
	SHOW(pthread_mutex_lock(&kind) == EDEADLK);
	SHOW(pthread_mutex_unlock(&kind));
	SHOW(pthread_mutex_lock(&mutex));
	SHOW(pthread_mutex_trylock(&mutex) == EBUSY);
	SHOW(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
	SHOW(pthread_mutex_unlock(&mutex));
	sem_getvalue(&semaphore, &value);
	SHOW(value);
	sem_wait(&semaphore);
	SHOW(sem_trywait(&semaphore));
	TRY(sem_trywait(&semaphore));
	TRY(sem_timedwait(&semaphore, &past));
}

int main(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	sem_init(&semaphore, 0, 2);
	sem_init(&done, 0, 0);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		sem_wait(&done);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	SHOW(once_calls);
	SHOW(serial);
	SHOW(early);
	SHOW(torn);
	SHOW(pair[0]);
	SHOW(spins);
	SHOW(crowded);
	kinds();
	return 0;
}

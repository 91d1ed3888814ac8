/*
 * Each thread has its own variables, errno, keys with destructors, name and stack.
 */
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static __thread int own = 100;
static __thread char zeroed[5000];
static pthread_key_t key;
static int destroyed[8];
static char name[16];

static void destroy(void *value)
{
	destroyed[(long)value & 7]++;
}

static void *work(void *argument)
{
	long id = (long)argument, dirty = 0;

	own += (int)id;
	for (size_t i = 0; i < sizeof(zeroed); i++)
		dirty += zeroed[i] != 0;
	memset(zeroed, (int)id, sizeof(zeroed));
	pthread_setspecific(key, (void *)(id | 8));
	errno = (int)id;
	for (int i = 0; i < 200; i++) {
		own++;
		sched_yield();
		own--;
	}
	if (errno != id || zeroed[4999] != id || (long)pthread_getspecific(key) != (id | 8))
		return (void *)-1;
	return (void *)(own + dirty * 1000);
}

static void *stack(void *unused)
{
	volatile char room[900000];

	(void)unused;
	for (size_t i = 0; i < sizeof(room); i += 4096)
		room[i] = 1;
	pthread_setname_np(pthread_self(), "worker");
	pthread_getname_np(pthread_self(), name, sizeof(name));
	return (void *)(long)room[4096];
}

int main(void)
{
	pthread_t threads[8];
	pthread_attr_t attr;
	void *result;
	size_t size;

	pthread_key_create(&key, destroy);
	for (long i = 1; i < 8; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 1; i < 8; i++) {
		pthread_join(threads[i], &result);
		printf("%ld destroyed %d\n", (long)result, destroyed[i]);
	}
	SHOW(own);
	pthread_attr_init(&attr);
	SHOW(pthread_attr_setstacksize(&attr, 1 << 20));
	pthread_attr_getstacksize(&attr, &size);
	SHOW(size);
	SHOW(pthread_create(&threads[0], &attr, stack, NULL));
	SHOW(pthread_join(threads[0], &result));
	SHOW((long)result);
	puts(name);
	SHOW(pthread_attr_setstacksize(&attr, 100) == EINVAL);
	TRUTH(pthread_equal(pthread_self(), pthread_self()));
	return 0;
}

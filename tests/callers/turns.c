/* Threads that call the same functions at the same time. */
#include <pthread.h>
#include <stdio.h>

#define APART __attribute__((noinline, noclone))
#define COUNT 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned total;

static APART unsigned step(unsigned n)
{
	return n * 2654435761u >> 3;
}

static APART unsigned walk(unsigned n)
{
	return n ? walk(n - 1) + step(n) : 1;
}

static void *work(void *argument)
{
	for (unsigned i = 0; i < 300 + 100 * *(unsigned *)argument; i++) {
		const unsigned more = walk(i % 20);

		pthread_mutex_lock(&lock);
		total += more;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[COUNT];
	unsigned numbers[COUNT];

	for (unsigned i = 0; i < COUNT; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	}
	walk(5);
	for (unsigned i = 0; i < COUNT; i++)
		pthread_join(threads[i], NULL);
	printf("%u\n", total);
	return 0;
}

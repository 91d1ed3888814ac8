/* Threads: each has blocks, a stack and variables of its own. */
#include <pthread.h>
#include <stdlib.h>

#define LINE 64

static __thread long own[64];
static volatile long sink;

static void *work(void *argument)
{
	const long lines = *(long *)argument;
	volatile char local[100 * LINE], *block = malloc((size_t)lines * LINE); /* site: work */

	for (long i = 0; i < lines; i++)
		sink += block[i * LINE] = 1;
	for (long i = 0; i < 100; i++)
		sink += local[i * LINE] = (char)i;
	for (long i = 0; i < 64; i++)
		own[i] += i;
	free((char *)block);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	long lines[] = {200, 300};

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &lines[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

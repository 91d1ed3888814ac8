/* Blocks of several sites, each with lines that are touched once: the numbers of the lines are in
 * test_data.sh. */
#include <stdlib.h>
#include <string.h>

#define LINE 64

static volatile long sink;

__attribute__((noinline)) static void touch(char *block, long lines)
{
	for (long i = 0; i < lines; i++)
		sink += block[i * LINE];
}

/* A wrapper by its name. */
__attribute__((noinline)) static void *xmalloc(size_t bytes)
{
	void *block = aligned_alloc(LINE, bytes);

	if (!block)
		abort();
	return block;
}

/* A wrapper by what it does. */
__attribute__((noinline)) static void *fetch_some(size_t bytes)
{
	void *block = malloc(bytes);

	if (!block)
		abort();
	sink++;
	return block;
}

/* No wrapper: it decides the size. */
__attribute__((noinline)) static char *make_table(long entries)
{
	char *table = aligned_alloc(LINE, (size_t)entries * LINE); /* site: table */

	sink++;
	return table;
}

int main(void)
{
	char *first = xmalloc(600 * LINE);  /* site: first */
	char *second = xmalloc(700 * LINE); /* site: second */
	touch(first, 600);
	touch(second, 700);

	char *table = make_table(300);
	touch(table, 300);

	char *learned = fetch_some(16 * LINE);
	char *third = fetch_some(400 * LINE); /* site: third */
	touch(third, 400);

	/* The memory of a block that was freed is the next one's. */
	free(third);
	char *again = malloc(400 * LINE); /* site: again */
	int is_reused = again == third;
	touch(second, 700);
	touch(again, 400);

	char *grown = malloc(8 * LINE);
	memset(grown, 1, 8 * LINE);
	grown = realloc(grown, 640 * LINE); /* site: grown */
	touch(grown, 640);

	char *zeroed = calloc(200, LINE); /* site: zeroed */
	touch(zeroed, 200);

	void *aligned = NULL;
	if (posix_memalign(&aligned, 4096, 512 * LINE)) /* site: aligned */
		return 2;
	touch(aligned, 512);
	sink += learned[0];
	return !is_reused;
}

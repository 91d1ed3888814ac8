/* Misses that can be counted on paper, with lines of 64 bytes and an L1D of 32 KB in 64 sets of 8
 * ways: each object is touched once per line, in an order that brings nothing back. */
#include <stdlib.h>

#define LINE  64
#define LINES 512

struct line {
	long used;
	char rest[LINE - sizeof(long)];
};

/* The first use of each field, and how often `key` is used. */
struct item {
	int key, count;
	char name[56];
};

struct line stream[LINES] __attribute__((aligned(4096)));
struct line kept[8] __attribute__((aligned(4096)));
struct item items[256] __attribute__((aligned(4096)));
/* Sixteen lines 4096 bytes apart are in one set. */
struct line conflict[16 * 64] __attribute__((aligned(4096)));
static volatile long sink;

__attribute__((noinline)) static void read_lines(const struct line *lines, long count, long step)
{
	for (long i = 0; i < count; i++)
		sink += lines[i * step].used;
}

__attribute__((noinline)) static void read_kept(void)
{
	for (int round = 0; round < 50; round++)
		for (int i = 0; i < 8; i++)
			sink += kept[i].used;
}

__attribute__((noinline)) static void read_keys(void)
{
	for (int round = 0; round < 4; round++)
		for (int i = 0; i < 256; i++)
			sink += items[i].key;
	sink += items[7].count;
}

int main(void)
{
	read_kept();
	read_keys();
	read_lines(stream, LINES, 1);
	for (int round = 0; round < 20; round++)
		read_lines(conflict, 16, 64);
	return 0;
}

/*
 * Under --time cycles: of two readings of cycle, the clock read in between is between them, however
 * much is in flight before each; and all of them grow by what happened in between.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static volatile uint64_t memory[65536];

static uint64_t cycle(void)
{
	uint64_t value;

	__asm__ volatile("rdcycle %0" : "=r"(value));
	return value;
}

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Loads that miss, each behind the other, and a store of the last. */
static void keep_busy(unsigned seed)
{
	uint64_t x = seed;

	for (int i = 0; i < 8; i++)
		x = memory[(x * 40503 + 7919u * (unsigned)i) % 65536] + x * 2654435761u;
	memory[x % 65536] = x;
}

int main(void)
{
	uint64_t before = 0;

	for (unsigned i = 0; i < 200; i++) {
		uint64_t first, between, last;

		keep_busy(i);
		first = cycle();
		keep_busy(i + 1000);
		between = clock_ns();
		keep_busy(i + 2000);
		last = cycle();
		if (first < before || between < first || last < between) {
			printf("round %u: %llu, %llu, %llu\n", i, (unsigned long long)first,
			       (unsigned long long)between, (unsigned long long)last);
			return 1;
		}
		before = last;
	}
	printf("in order\n");
	return 0;
}

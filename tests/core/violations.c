/* Loads that often read before an older store to the same bytes has its address, with branches that
 * depend on them, stores of several widths, system calls between them, and code that leaves the
 * lines of a small instruction cache: what replays meet. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static uint64_t table[16];
static uint64_t sum;

/* The address is late by a division, the value may be later. */
static __attribute__((noinline)) void put(uint64_t a, uint64_t b)
{
	uint64_t at = a / (b % 7 + 1);

	((volatile uint8_t *)table)[at % 120] = (uint8_t)b;
	table[at % 16] = b * a;
	((volatile uint32_t *)table)[at / 16 % 32] ^= (uint32_t)a;
}

static __attribute__((noinline)) uint64_t get(uint64_t a)
{
	uint64_t x = table[a % 16] + ((volatile uint16_t *)table)[a % 60];

	if (x & 1)
		x += table[x % 16];
	else if (x & 2)
		x -= ((volatile uint32_t *)table)[x % 32];
	return x;
}

int main(void)
{
	uint64_t x = 88172645463325252;

	for (int i = 0; i < 4000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		put(x, x >> 20);
		sum += get(x >> 3);
		if (sum % 5 == 0)
			put(sum, x);
		sum ^= get(x >> 40) << 1;
		if (i % 500 == 0)
			sum += (uint64_t)(getpid() == 0);
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

/* Tail calls, to be compiled with -O2 or -O3: two functions that call each other, a chain, and
 * calls through pointers. */
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline, noclone))

static volatile unsigned sink;
static APART unsigned odd(unsigned n);

static APART unsigned even(unsigned n)
{
	sink += n;
	return n ? odd(n - 1) : 1;
}

static APART unsigned odd(unsigned n)
{
	sink ^= n;
	return n ? even(n - 1) : 0;
}

static APART unsigned last(unsigned n)
{
	return sink + n;
}

static APART unsigned middle(unsigned n)
{
	sink++;
	return last(n + 1);
}

static APART unsigned first(unsigned n)
{
	sink += even(3);
	return middle(n + 1);
}

static unsigned (*volatile const table[])(unsigned) = {last, middle, first};

static APART unsigned any(unsigned n)
{
	return table[n % 3](n);
}

int main(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 60; i++)
		sum += even(i) + first(i) + any(i);
	printf("%u %u\n", sum, sink);
	return 0;
}

/* A recursion deeper than the tree has nodes. */
#include <stdio.h>

#define APART __attribute__((noinline, noclone))

static volatile unsigned sink;

static APART unsigned leaf(unsigned n)
{
	return sink += n;
}

static APART unsigned sink_down(unsigned n)
{
	return n ? sink_down(n - 1) + leaf(n) : 0;
}

static APART unsigned second(unsigned n)
{
	return leaf(n) + sink_down(10);
}

int main(void)
{
	unsigned sum = sink_down(30000) + second(1);

	printf("%u\n", sum + leaf(2));
	return 0;
}

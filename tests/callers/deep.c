/* A recursion deeper than the tree has nodes, or as deep as the argument says. */
#include <stdio.h>
#include <stdlib.h>

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

int main(int count, char **arguments)
{
	const unsigned depth = count > 1 ? (unsigned)atoi(arguments[1]) : 30000;
	unsigned sum = sink_down(depth) + second(1);

	printf("%u\n", sum + leaf(2));
	return 0;
}

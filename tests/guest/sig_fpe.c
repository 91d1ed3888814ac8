/*
 * Division by zero does not trap; SIGFPE comes only when raised, and then gives 136.
 */
#include "check.h"
#include <signal.h>

int main(void)
{
	volatile long zero = 0, one = 1, least = INT64_MIN, minus = -1;
	volatile double none = 0.0;

	asm volatile("" ::: "memory");
	long q, r;

	asm volatile("div %0, %2, %3\nrem %1, %2, %3" : "=&r"(q), "=&r"(r) : "r"(one), "r"(zero));
	printf("%ld %ld\n", q, r);
	asm volatile("div %0, %2, %3\nrem %1, %2, %3"
		     : "=&r"(q), "=&r"(r)
		     : "r"(least), "r"(minus));
	printf("%ld %ld\n", q, r);
	printf("%f %f\n", 1.0 / none, -1.0 / none);
	fflush(stdout);
	raise(SIGFPE);
	return 0;
}

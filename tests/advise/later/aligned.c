/* bottleneck: code conflicts in the cache */
#include <stdint.h>
#include <stdio.h>

/* Each in a page of its own, so that all begin in the same set. */
#define FUNCTION(n)                                                                \
	__attribute__((noipa, aligned(8192))) static uint64_t step_##n(uint64_t x) \
	{                                                                          \
		return x * 3 + n;                                                  \
	} /* HERE */
#define ALL(X) \
	X(1)   \
	X(2)   \
	X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18)
ALL(FUNCTION) /* HERE */

int main(void)
{
	uint64_t x = 1;

	for (unsigned i = 0; i < 3000; i++) {
#define CALL(n) x ^= step_##n(i);
		ALL(CALL) /* HERE */
	}
	printf("%llu\n", (unsigned long long)x);
	return 0;
}

/* bottleneck: indirect jump with many targets */
#include <stdint.h>
#include <stdio.h>

#define OPERATIONS(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

static uint64_t value;

#define FUNCTION(n)                                                   \
	__attribute__((noinline)) static void operation_##n(void)     \
	{                                                             \
		value = value * (2 * n + 3) + (value >> (n + 5)) + n; \
	}
OPERATIONS(FUNCTION)

static void (*const table[])(void) = {
#define NAME(n) operation_##n,
	OPERATIONS(NAME)};

int main(void)
{
	uint64_t state = 11;

	for (unsigned i = 0; i < 25000; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		table[state >> 20 & 15](); /* HERE */
	}
	printf("%llu\n", (unsigned long long)value);
	return 0;
}

/* bottleneck: code footprint over the cache */
#include <stdint.h>
#include <stdio.h>

/* About 100 KB of code in turn; a jump after every few instructions leaves out what follows. */
#define PART(n)                                                 \
	p += x ^ (n + 5);                                       \
	if (__builtin_expect(x >> 40, 1)) {                     \
		r *= q + n;                                     \
		s = r / (p | 1) + s % (q | n);                  \
		p = (r ^ s) / (q | 3) * (n + 5) + (p << 7 ^ q); \
		q = (p ^ s) % (r | 5) * (n + 9) + (q >> 9 ^ r); \
	}
#define FUNCTION(n)                                                 \
	__attribute__((noipa)) static uint64_t work_##n(uint64_t x) \
	{                                                           \
		uint64_t p = x, q = 3, r = 5, s = 7;                \
                                                                    \
		PART(n)                                             \
		PART((n + 1))                                       \
		PART((n + 2))                                       \
		PART((n + 3))                                       \
		PART((n + 4))                                       \
		PART((n + 5))                                       \
		return (p ^ q ^ r ^ s) & 255;                       \
	}
/* clang-format off */
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define EIGHTY(X, n) EIGHT(X, n##0) EIGHT(X, n##1) EIGHT(X, n##2) EIGHT(X, n##3) EIGHT(X, n##4) \
	EIGHT(X, n##5) EIGHT(X, n##6) EIGHT(X, n##7) EIGHT(X, n##8) EIGHT(X, n##9)
#define ALL(X) EIGHTY(X, 1) EIGHTY(X, 2) EIGHTY(X, 3)
/* clang-format on */
ALL(FUNCTION) /* HERE */

int main(void)
{
	uint64_t x = 1;

	for (uint64_t round = 0; round < 120; round++) {
#define CALL(n) x += work_##n(round);
		ALL(CALL) /* HERE */
	}
	printf("%llu\n", (unsigned long long)x);
	return 0;
}

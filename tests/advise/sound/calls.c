/* bottleneck: none */
#include <stdint.h>
#include <stdio.h>

/* Small functions in an order that is always the same. */
__attribute__((noinline)) static uint64_t first(uint64_t x, uint64_t i)
{
	uint64_t p = i + 3, q = i ^ 9, r = i << 2, s = i >> 1, t = i + 77, u = i ^ 0x3f;

	p += q;
	r ^= s;
	t += u;
	q += 5;
	s ^= 7;
	u += 9;
	return x + ((p ^ r) + (t ^ q) + (s ^ u));
}

__attribute__((noinline)) static uint64_t second(uint64_t x, uint64_t i)
{
	uint64_t p = i - 3, q = i ^ 5, r = i << 3, s = i >> 2, t = i + 55, u = i ^ 0x1f;

	p ^= q;
	r += s;
	t ^= u;
	q ^= 5;
	s += 7;
	u ^= 9;
	return x ^ ((p + r) ^ (t + q) ^ (s + u));
}

int main(void)
{
	uint64_t x = 1, y = 2;

	for (uint64_t i = 0; i < 120000; i++) {
		x = first(x, i);
		y = second(y, i);
	}
	printf("%llu\n", (unsigned long long)(x ^ y));
	return 0;
}

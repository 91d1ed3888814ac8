/* bottleneck: none */
#include <stdint.h>
#include <stdio.h>

/* Eight chains of additions and shifts side by side: as many operations in each cycle as there is
 * room for. */
int main(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;

	for (unsigned i = 0; i < 300000; i++) {
		a += 3;
		b ^= 0x55;
		c += 7;
		d ^= 0x33;
		e += 9;
		f ^= 0x11;
		g += 5;
		h ^= 0x77;
		__asm__ volatile(""
				 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g),
				   "+r"(h));
		a ^= 0x13;
		b += 11;
		c ^= 0x21;
		d += 13;
		e ^= 0x15;
		f += 17;
		g ^= 0x25;
		h += 19;
	}
	printf("%llu\n", (unsigned long long)(a + b + c + d + e + f + g + h));
	return 0;
}

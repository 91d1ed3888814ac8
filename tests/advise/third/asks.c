/* bottleneck: serialising instruction */
#include <stdint.h>
#include <stdio.h>

/* getppid, without the C library. */
static inline uint64_t ask(void)
{
	register uint64_t answer __asm__("a0");
	register uint64_t number __asm__("a7") = 173;

	__asm__ volatile("ecall" : "=r"(answer) : "r"(number) : "memory"); /* HERE */
	return answer;
}

int main(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 8000; i++) {
		uint64_t x = i, y = ~sum;

		for (unsigned k = 0; k < 4; k++) {
			x ^= x << 3;
			y += y >> 5;
		}
		sum += x + y + ask();
	}
	printf("%d\n", sum != 0);
	return 0;
}

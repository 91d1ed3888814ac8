/* bottleneck: indirect jump with many targets */
#include <stdint.h>
#include <stdio.h>

#define LENGTH 20000

static uint8_t code[LENGTH + 1];

__attribute__((noinline)) static uint64_t interpret(const uint8_t *pc, uint64_t x)
{
	static const void *const labels[] = {&&add, &&sub, &&xor, &&shl, &&shr,
					     &&inc, &&neg, &&mul, &&end};
	uint64_t y = x ^ 5;

#define NEXT goto *labels[*pc++] /* HERE */
	NEXT;			 /* HERE */
add:
	x += y;
	NEXT; /* HERE */
sub:
	y -= x >> 3;
	NEXT; /* HERE */
	xor : x ^= y;
	NEXT; /* HERE */
shl:
	y += x << 3;
	NEXT; /* HERE */
shr:
	x ^= x >> 7;
	NEXT; /* HERE */
inc:
	y++;
	NEXT; /* HERE */
neg:
	x = ~x;
	NEXT; /* HERE */
mul:
	y = y * 5 + 1;
	NEXT; /* HERE */
end:
	return x ^ y;
}

int main(void)
{
	uint64_t state = 23, sum = 0;

	for (unsigned i = 0; i < LENGTH; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		code[i] = state >> 55 & 7;
	}
	code[LENGTH] = 8;
	for (unsigned round = 0; round < 4; round++)
		sum += interpret(code, sum + round);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}

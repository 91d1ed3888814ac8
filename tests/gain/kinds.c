/* Programs of kinds that no workload is: `kinds KIND`. Each does one thing about a million
 * instructions long; what it computes ends in its exit status, so that nothing is left out. Used by
 * tools/measure-gain and tests/gain. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE (1u << 20) /* words: 8 MB */

static uint64_t table[TABLE];
static uint64_t state = 88172645463325252u;

static inline uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Independent divisions, as many as a unit takes. */
static uint64_t divide(void)
{
	uint64_t sum = 0;

	for (uint64_t i = 1; i < 60000; i++)
		sum += (i * 7919) / (i | 3) + (i * 104729) / (i + 5);
	return sum;
}

/* Each division needs the one before. */
static uint64_t divide_chain(void)
{
	uint64_t x = ~UINT64_C(0);

	for (uint64_t i = 0; i < 120000; i++)
		x = x / 3 + (i << 55);
	return x;
}

/* Additions to random words. */
static uint64_t update(void)
{
	for (unsigned i = 0; i < 80000; i++)
		table[next() % TABLE] += i;
	return table[7];
}

/* Reads one array and writes another, line after line. */
static uint64_t stream(void)
{
	for (unsigned i = 0; i < TABLE / 4; i++)
		table[TABLE / 2 + i] = 3 * table[i] + 1;
	return table[TABLE / 2 + 9];
}

/* Bursts of stores to far lines, then work. */
static uint64_t bursts(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 2500; i++) {
		for (unsigned k = 0; k < 32; k++)
			table[(i * 32 + k) * 9 % TABLE] = i;
		for (unsigned k = 0; k < 60; k++)
			sum = sum * 5 + (sum >> 3) + k;
	}
	return sum;
}

/* Accesses that cross lines. */
static uint64_t unaligned(void)
{
	const char *bytes = (const char *)table;
	uint64_t sum = 0, word;

	for (unsigned i = 0; i < 120000; i++) {
		memcpy(&word, bytes + (uint64_t)i * 61 % 30000, sizeof(word));
		sum += word + i;
	}
	return sum;
}

/* One word a page. */
static uint64_t pages(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 200000; i++)
		sum += table[(uint64_t)i * 521 % (TABLE / 512) * 512 + i % 8];
	return sum;
}

/* A list through memory, each element in another line, with branches on what it holds. */
static uint64_t chase(void)
{
	const unsigned count = 1 << 14;
	uint64_t at = 0, odd = 0;

	for (unsigned i = 0; i < count; i++)
		table[(uint64_t)i * 40503 % count * 8] = (uint64_t)(i + 1) * 40503 % count * 8;
	for (unsigned i = 0; i < 120000; i++) {
		at = table[at];
		odd += (at * 2654435761u >> 13 & 1) ? at : 1;
	}
	return odd;
}

/* clang-format off */
#define FUNCTION(n)                                                    \
	static __attribute__((noinline)) uint64_t code_##n(uint64_t x) \
	{                                                              \
		if (x >> (n % 7) & 1)                                  \
			x = x * (2 * n + 3) + n;                       \
		else                                                   \
			x ^= x >> (n % 11 + 1);                        \
		for (unsigned k = 0; k < 3; k++)                       \
			x += (x << 5) ^ (uint64_t)(n * 977 + k);       \
		return x;                                              \
	}
#define TEN(n)                                                                                    \
	FUNCTION(n##0)                                                                            \
	FUNCTION(n##1)                                                                            \
	FUNCTION(n##2) FUNCTION(n##3) FUNCTION(n##4) FUNCTION(n##5) FUNCTION(n##6) FUNCTION(n##7) \
		FUNCTION(n##8) FUNCTION(n##9)
#define NAMES(n)                                                                                   \
	code_##n##0, code_##n##1, code_##n##2, code_##n##3, code_##n##4, code_##n##5, code_##n##6, \
		code_##n##7, code_##n##8, code_##n##9
TEN(1)
TEN(2)
TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9) TEN(11) TEN(12) TEN(13) TEN(14) TEN(15) TEN(16)
	TEN(17) TEN(18) TEN(19)

		static uint64_t (*const functions[])(uint64_t) = {
			NAMES(1),  NAMES(2),  NAMES(3),	 NAMES(4),  NAMES(5),  NAMES(6),
			NAMES(7),  NAMES(8),  NAMES(9),	 NAMES(11), NAMES(12), NAMES(13),
			NAMES(14), NAMES(15), NAMES(16), NAMES(17), NAMES(18), NAMES(19),
};
/* clang-format on */

/* Random calls over more code than a cache has lines for: instruction misses in the shadow of
 * branches. */
static uint64_t calls(void)
{
	uint64_t x = 1;

	for (unsigned i = 0; i < 30000; i++)
		x = functions[next() % (sizeof(functions) / sizeof(functions[0]))](x);
	return x;
}

/* Products that need each other, and others that do not. */
static uint64_t fp_chain(void)
{
	double x = 1.0000001, sum = 0;

	for (unsigned i = 1; i < 100000; i++) {
		x = x * 1.0000001 + 1e-9;
		sum += (double)i / (x + (double)(i & 7));
	}
	return (uint64_t)sum;
}

/* Loads of what has just been stored. */
static uint64_t forward(void)
{
	volatile uint64_t slots[8] = {1, 2, 3, 4, 5, 6, 7, 8};

	for (unsigned i = 0; i < 120000; i++)
		slots[i & 7] = slots[(i + 7) & 7] + slots[(i * 5) & 7];
	return slots[3];
}

/* Rows of a matrix against its columns. */
static uint64_t columns(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 64; i++)
		for (unsigned k = 0; k < 2048; k++)
			sum += table[i * 16 + k] * table[(uint64_t)k * 512 % TABLE + i];
	return sum;
}

/* Phases: each of the others for a while, again and again. */
static uint64_t phases(void)
{
	uint64_t sum = 0;

	for (unsigned round = 0; round < 6; round++) {
		for (unsigned i = 0; i < 6000; i++)
			sum += table[next() % TABLE];
		for (uint64_t i = 1; i < 4000; i++)
			sum += (sum | i) / (i | 1);
		for (unsigned i = 0; i < 2500; i++)
			sum = functions[next() % 60](sum);
		for (unsigned i = 0; i < 20000; i++)
			sum = (sum << 1) + (sum & 3 ? i : 7);
	}
	return sum;
}

/* Output now and then. */
static uint64_t prints(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 300; i++) {
		for (unsigned k = 0; k < 600; k++)
			sum += table[(i * 997 + k * 13) % TABLE] ^ k;
		printf("%u\n", i);
		fflush(stdout);
	}
	return sum;
}

static const struct {
	const char *name;
	uint64_t (*run)(void);
} kinds[] = {
	{"divide", divide},   {"divide_chain", divide_chain},
	{"update", update},   {"stream", stream},
	{"bursts", bursts},   {"unaligned", unaligned},
	{"pages", pages},     {"chase", chase},
	{"calls", calls},     {"fp_chain", fp_chain},
	{"forward", forward}, {"columns", columns},
	{"phases", phases},   {"prints", prints},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (argc == 1)
			puts(kinds[i].name);
		else if (argc == 2 && strcmp(argv[1], kinds[i].name) == 0)
			return (int)(kinds[i].run() % 97);
	return argc == 1 ? 0 : 125;
}

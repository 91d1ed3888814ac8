/* Programs of kinds that no workload is: `kinds KIND`. Each does one thing about a million
 * instructions long; what it computes ends in its exit status, so that nothing is left out. Used by
 * tools/measure-gain, tools/measure-what-if and tests/gain. */
#define _GNU_SOURCE /* memfd_create */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* Threads that each add up a part of a table, again and again, and meet at a barrier. */
#define THREADS 4
#define ROUNDS	6

static pthread_barrier_t barrier;
static uint64_t sums[THREADS * 8]; /* each in a line of its own */

static void *add_up(void *argument)
{
	const uintptr_t which = (uintptr_t)argument;

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < 6000; i++)
			sums[which * 8] += table[(which * 9000 + i * (round + 1)) % TABLE] + i;
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static uint64_t threads(void)
{
	pthread_t ids[THREADS];
	uint64_t sum = 0;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&ids[i], NULL, add_up, (void *)i) != 0)
			exit(125);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(ids[i], NULL);
		sum += sums[i * 8];
	}
	return sum;
}

/* Threads that take the same lock and the same counter. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_ulong taken;

static void *take(void *argument)
{
	uint64_t *shared = argument;

	for (unsigned i = 0; i < 6000; i++) {
		pthread_mutex_lock(&lock);
		*shared += i;
		pthread_mutex_unlock(&lock);
		atomic_fetch_add(&taken, i & 3);
	}
	return NULL;
}

static uint64_t locks(void)
{
	pthread_t ids[2];
	uint64_t shared = 1;

	for (unsigned i = 0; i < 2; i++)
		if (pthread_create(&ids[i], NULL, take, &shared) != 0)
			exit(125);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
	return shared + taken;
}

/* Bytes through a pipe, one buffer after the other, with a sum over them. */
static uint64_t pipes(void)
{
	unsigned char buffer[2048];
	uint64_t sum = 0;
	int ends[2];

	if (pipe(ends) < 0)
		exit(125);
	for (unsigned i = 0; i < 150; i++) {
		for (unsigned k = 0; k < sizeof(buffer); k++)
			buffer[k] = (unsigned char)(i * 7 + k * k);
		if (write(ends[1], buffer, sizeof(buffer)) != (ssize_t)sizeof(buffer) ||
		    read(ends[0], buffer, sizeof(buffer)) != (ssize_t)sizeof(buffer))
			exit(125);
		for (unsigned k = 0; k < sizeof(buffer); k += 3)
			sum = sum * 31 + buffer[k];
	}
	return sum;
}

/* A file in memory that is written, read back at far places and made longer. */
static uint64_t files(void)
{
	const int fd = memfd_create("file", 0);
	uint64_t block[64], sum = 0;

	if (fd < 0)
		exit(125);
	for (unsigned i = 0; i < 400; i++) {
		for (unsigned k = 0; k < 64; k++)
			block[k] = (uint64_t)i * k + next() % 16;
		if (pwrite(fd, block, sizeof(block), i * 512) != (ssize_t)sizeof(block) ||
		    pread(fd, block, sizeof(block), next() % (i + 1) * 512) !=
			    (ssize_t)sizeof(block))
			exit(125);
		for (unsigned k = 0; k < 64; k++)
			for (unsigned round = 0; round < 6; round++)
				sum = (sum ^ block[k]) * 1099511628211u + round;
	}
	close(fd);
	return sum;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sorting, with comparisons behind a pointer. */
static uint64_t sorts(void)
{
	for (unsigned i = 0; i < 3000; i++)
		table[i] = next();
	qsort(table, 3000, sizeof(table[0]), by_value);
	return table[17] ^ table[2900];
}

/* Words into a hash table with chains. */
static uint64_t hashes(void)
{
	static struct link {
		struct link *next;
		uint64_t key, count;
	} links[12000], *heads[4096];
	unsigned used = 0;
	uint64_t most = 0;

	for (unsigned i = 0; i < 22000; i++) {
		const uint64_t key = next() % 9000;
		struct link **at = &heads[key * 2654435761u >> 7 & 4095];

		while (*at && (*at)->key != key)
			at = &(*at)->next;
		if (!*at) {
			*at = &links[used++];
			(*at)->key = key;
		}
		if (++(*at)->count > most)
			most = (*at)->count + key % 5;
	}
	return most + used;
}

/* Copies, comparisons and lengths of short strings, by the C library. */
static uint64_t strings(void)
{
	char text[16][64], *bytes = (char *)table;
	uint64_t sum = 0;

	for (unsigned i = 0; i < 16; i++)
		snprintf(text[i], sizeof(text[i]), "a string of number %u %.*s", i * 37, (int)i,
			 "and its end");
	for (unsigned i = 0; i < 7000; i++) {
		const char *one = text[next() & 15], *other = text[i & 15];

		memcpy(bytes + i % 4000 * 64, one, strlen(one) + 1);
		sum += (uint64_t)(strcmp(bytes + i % 4000 * 64, other) > 0) + strlen(other);
		sum += (uint64_t)(strchr(one, 'f') - one);
	}
	return sum;
}

/* Calls that go deep: more returns than a stack of them holds. */
static __attribute__((noinline)) uint64_t descend(uint64_t depth, uint64_t x)
{
	if (!depth)
		return x;
	return descend(depth - 1, x * 5 + depth) + (x & 1 ? descend(depth / 3, x >> 1) : depth);
}

static uint64_t deep(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 60; i++)
		sum += descend(40 + i % 9, sum + i);
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
	{"threads", threads}, {"locks", locks},
	{"pipes", pipes},     {"files", files},
	{"sorts", sorts},     {"hashes", hashes},
	{"strings", strings}, {"deep", deep},
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

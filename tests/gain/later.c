/* Programs written after the rules of windows were fixed, of other kinds than those of kinds.c and
 * the workloads: `later KIND`. Each is some hundred thousand to a few million instructions long;
 * what it computes ends in its exit status. Used by tools/measure-gain and tools/measure-what-if.
 * No rule may be changed because of a program here: a changed rule needs new ones. */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORDS (1u << 19) /* 4 MB */

static uint64_t words[WORDS];
static uint32_t seed = 2463534242u;

static inline uint32_t draw(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* A product of matrices in blocks that fit the first level. */
static uint64_t blocks(void)
{
	enum { N = 48, B = 16 };
	static double a[N][N], b[N][N], c[N][N];

	for (unsigned i = 0; i < N; i++)
		for (unsigned k = 0; k < N; k++) {
			a[i][k] = (double)(i * k % 17);
			b[i][k] = (double)(i + k) / 8;
		}
	for (unsigned ib = 0; ib < N; ib += B)
		for (unsigned kb = 0; kb < N; kb += B)
			for (unsigned i = ib; i < ib + B; i++)
				for (unsigned k = kb; k < kb + B; k++)
					for (unsigned j = 0; j < N; j++)
						c[i][j] += a[i][k] * b[k][j];
	return (uint64_t)c[7][9] + (uint64_t)c[40][3];
}

/* A sum over bytes by a table, each step needing the one before through memory. */
static uint64_t checksum(void)
{
	static uint32_t of[256];
	const unsigned char *bytes = (const unsigned char *)words;
	uint32_t sum = ~0u;

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t x = i;
		for (unsigned bit = 0; bit < 8; bit++)
			x = x & 1 ? x >> 1 ^ 0xedb88320u : x >> 1;
		of[i] = x;
	}
	for (unsigned i = 0; i < 90000; i++)
		sum = of[(sum ^ bytes[i] ^ i) & 255] ^ sum >> 8;
	return sum;
}

/* Searches by halving in a table larger than the second level. */
static uint64_t halving(void)
{
	uint64_t found = 0;

	for (unsigned i = 0; i < WORDS / 2; i += 16)
		words[i] = (uint64_t)i * 3;
	for (unsigned k = 0; k < 9000; k++) {
		const uint64_t key = draw() % (WORDS / 2 * 3);
		unsigned low = 0, high = WORDS / 32;
		while (low < high) {
			const unsigned middle = (low + high) / 2;
			if (words[middle * 16] < key)
				low = middle + 1;
			else
				high = middle;
		}
		found += low;
	}
	return found;
}

/* Primes by crossing out, with strides that grow. */
static uint64_t sieve(void)
{
	static unsigned char out[120000];
	uint64_t count = 0;

	for (unsigned i = 2; i < sizeof(out); i++) {
		if (out[i])
			continue;
		count++;
		for (unsigned k = 2 * i; k < sizeof(out); k += i)
			out[k] = 1;
	}
	return count;
}

/* Words, numbers and brackets of a text told apart by a switch. */
static uint64_t tokens(void)
{
	static const char alphabet[] = "ab c1 2{d}[e,]f \"gh\" i:j k;9 8(0)";
	char text[4096];
	uint64_t counts[6] = {0};

	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = alphabet[draw() % (sizeof(alphabet) - 1)];
	for (unsigned round = 0; round < 12; round++)
		for (unsigned i = 0; i < sizeof(text); i++)
			switch (text[i]) {
			case ' ': counts[0]++; break;
			case '{':
			case '[':
			case '(': counts[1] += counts[0] & 3; break;
			case '}':
			case ']':
			case ')': counts[1]--; break;
			case '"':
				while (i + 1 < sizeof(text) && text[i + 1] != '"' && counts[2] % 5)
					i++;
				counts[2]++;
				break;
			case '0':
			case '1':
			case '2':
			case '8':
			case '9': counts[3] = counts[3] * 10 + (uint64_t)(text[i] - '0'); break;
			default: counts[4] += (uint64_t)text[i];
			}
	return counts[0] + counts[1] + counts[2] + counts[3] + counts[4];
}

/* Copies from a short way back, byte after byte, as decompression does. */
static uint64_t matches(void)
{
	unsigned char *bytes = (unsigned char *)words;
	unsigned at = 64;

	for (unsigned i = 0; i < 64; i++)
		bytes[i] = (unsigned char)draw();
	while (at < 150000) {
		const unsigned back = draw() % 63 + 1, length = draw() % 24 + 3;
		for (unsigned i = 0; i < length; i++, at++)
			bytes[at] = bytes[at - back];
		bytes[at++] = (unsigned char)draw();
	}
	return bytes[at - 5] + bytes[at / 2];
}

/* Lists of blocks of many sizes that are allocated and freed. */
static uint64_t allocates(void)
{
	void *kept[512] = {0};
	uint64_t sum = 0;

	for (unsigned i = 0; i < 9000; i++) {
		const unsigned which = draw() % 512;
		free(kept[which]);
		kept[which] = malloc(draw() % 700 + 8);
		if (!kept[which])
			exit(125);
		*(uint32_t *)kept[which] = i;
		sum += *(uint32_t *)kept[which] ^ which;
	}
	for (unsigned i = 0; i < 512; i++)
		free(kept[i]);
	return sum;
}

/* Calls that call themselves in their arguments. */
static int tak(int x, int y, int z)
{
	return y < x ? tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y)) : z;
}

static uint64_t nests(void)
{
	return (uint64_t)tak(13, 8, 3) + (uint64_t)tak(11, 7, 2);
}

/* A machine of a stack whose instructions jump to each other. */
static uint64_t threaded(void)
{
	static const unsigned char code[] = {0, 3, 1, 2, 4, 0, 5, 1, 1, 6,
					     3, 2, 0, 4, 6, 5, 2, 1, 0, 6};
	static const void *const labels[] = {&&push, &&add,  &&rotate, &&product,
					     &&pick, &&drop, &&skip};
	uint64_t stack[16] = {1, 2, 3, 4, 5, 6, 7, 8}, top = 9;
	unsigned depth = 8, at = 0, steps = 0;

#define NEXT goto *labels[steps++ < 60000 ? code[at = (at + 1) % sizeof(code)] : 5]
	NEXT;
push:
	stack[depth++ & 15] = top;
	top = steps;
	NEXT;
add:
	top += stack[--depth & 15];
	NEXT;
rotate:
	top = top << 7 | top >> 57;
	NEXT;
product:
	top *= stack[depth & 15] | 1;
	NEXT;
pick:
	top ^= stack[(depth - 3) & 15];
	NEXT;
skip:
	at += (unsigned)(top >> 3 & 3);
	NEXT;
drop:
	if (steps >= 60000)
		return top;
	top = stack[--depth & 15];
	NEXT;
#undef NEXT
}

/* Counts of bytes: loads of counters that a store just before may have changed. */
static uint64_t histogram(void)
{
	static uint32_t counts[256];
	uint64_t most = 0;

	for (unsigned i = 0; i < 110000; i++)
		counts[draw() >> 9 & (i & 1 ? 3 : 255)]++;
	for (unsigned i = 0; i < 256; i++)
		most = counts[i] > most ? counts[i] : most;
	return most;
}

/* Columns that lie a power of two apart: a few sets of the caches take everything. */
static uint64_t conflicts(void)
{
	uint64_t sum = 0;

	for (unsigned round = 0; round < 2500; round++)
		for (unsigned k = 0; k < 24; k++) {
			words[k * 8192 + (round & 7)] += round;
			sum += words[k * 8192 + 8 + (round & 3)];
		}
	return sum;
}

/* Rotations and sums of many independent words. */
static uint64_t mixes(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4;

	for (uint64_t i = 0; i < 45000; i++) {
		a += b ^ i;
		d = (d ^ a) << 16 | (d ^ a) >> 48;
		c += d;
		b = (b ^ c) << 12 | (b ^ c) >> 52;
		a += b >> 3;
		c ^= a + 77;
	}
	return a ^ b ^ c ^ d;
}

/* Distances: roots and quotients, some of which wait for each other. */
static uint64_t roots(void)
{
	double sum = 0, last = 1;

	for (unsigned i = 1; i < 14000; i++) {
		const double x = (double)(i % 97), y = (double)(i % 89);
		sum += sqrt(x * x + y * y) / (1 + y);
		if (i % 5 == 0)
			last = sqrt(last + sum);
	}
	return (uint64_t)(sum + last);
}

/* Single precision, converted to and fro. */
static uint64_t converts(void)
{
	float sum = 0;
	int64_t whole = 0;

	for (int i = 0; i < 60000; i++) {
		sum += (float)i * 0.37f;
		whole += (int64_t)sum;
		if (whole & 64)
			sum = (float)(whole & 1023) / 3;
	}
	return (uint64_t)whole;
}

/* Atomic additions to a few words, with fences. */
static uint64_t atomics(void)
{
	static atomic_ulong at[8];

	for (unsigned i = 0; i < 30000; i++) {
		atomic_fetch_add_explicit(&at[i & 7], i, memory_order_relaxed);
		if (i % 4 == 0)
			atomic_thread_fence(memory_order_seq_cst);
		if (i % 3 == 0)
			atomic_exchange(&at[i % 5], i);
	}
	return at[3];
}

/* Loads by a list of places that is itself read in order. */
static uint64_t gathers(void)
{
	uint32_t *places = (uint32_t *)(words + WORDS / 2);
	uint64_t sum = 0;

	for (unsigned i = 0; i < 30000; i++)
		places[i] = draw() % (WORDS / 2);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 30000; i++)
			sum += words[places[i]] + i;
	return sum;
}

/* Calm and wild in turns of growing length. */
static uint64_t turns(void)
{
	uint64_t sum = 0, x = 1;

	for (unsigned length = 2000; length < 40000; length *= 2) {
		for (unsigned i = 0; i < length; i++)
			x = x * 6364136223846793005u + 1442695040888963407u;
		for (unsigned i = 0; i < length / 2; i++)
			sum += words[draw() % WORDS] & 1 ? x : i;
		for (unsigned i = 0; i < length; i++)
			sum += draw() & 4 ? sum >> 1 : x;
	}
	return sum;
}

/* One thread hands numbers to another. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint64_t queue[32];
static unsigned head, tail;

static void *produces(void *unused)
{
	for (unsigned i = 1; i <= 1500; i++) {
		uint64_t x = i;
		for (unsigned k = 0; k < 60; k++)
			x = x * 31 + (x >> 7);
		pthread_mutex_lock(&lock);
		while (head - tail == 32)
			pthread_cond_wait(&changed, &lock);
		queue[head++ % 32] = x;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static uint64_t hands(void)
{
	pthread_t other;
	uint64_t sum = 0;

	if (pthread_create(&other, NULL, produces, NULL) != 0)
		exit(125);
	for (unsigned i = 0; i < 1500; i++) {
		pthread_mutex_lock(&lock);
		while (head == tail)
			pthread_cond_wait(&changed, &lock);
		sum += queue[tail++ % 32];
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
		for (unsigned k = 0; k < 40; k++)
			sum ^= words[(sum + k * 64) % WORDS] + k;
	}
	pthread_join(other, NULL);
	return sum;
}

/* Jumps out of deep calls, and signals that the program sends itself. */
static jmp_buf back;
static volatile sig_atomic_t caught;

static void catches(int signal)
{
	caught += signal;
}

static void __attribute__((noinline)) leaves(unsigned depth, unsigned i)
{
	if (depth == 0)
		longjmp(back, (int)(i & 7) + 1);
	leaves(depth - 1, i + depth);
	words[depth]++;
}

static uint64_t jumps(void)
{
	volatile uint64_t sum = 0;

	signal(SIGUSR1, catches);
	for (volatile unsigned i = 0; i < 4000; i++) {
		const int value = setjmp(back);
		if (!value)
			leaves(i % 13, i);
		sum += (uint64_t)value;
		if (i % 200 == 0)
			raise(SIGUSR1);
	}
	return sum + (uint64_t)caught;
}

/* Lines formatted by the C library and written in blocks. */
static uint64_t formats(void)
{
	char line[128];
	uint64_t length = 0;

	for (unsigned i = 0; i < 900; i++) {
		length +=
			(uint64_t)snprintf(line, sizeof(line), "%08x %u %.3f %s\n", i * 2654435761u,
					   i, (double)i / 7, i & 1 ? "odd" : "even");
		fputs(line, stdout);
	}
	return length;
}

static const struct {
	const char *name;
	uint64_t (*run)(void);
} kinds[] = {
	{"blocks", blocks},	  {"checksum", checksum},   {"halving", halving},
	{"sieve", sieve},	  {"tokens", tokens},	    {"matches", matches},
	{"allocates", allocates}, {"nests", nests},	    {"threaded", threaded},
	{"histogram", histogram}, {"conflicts", conflicts}, {"mixes", mixes},
	{"roots", roots},	  {"converts", converts},   {"atomics", atomics},
	{"gathers", gathers},	  {"turns", turns},	    {"hands", hands},
	{"jumps", jumps},	  {"formats", formats},
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

/*
 * workload.h - what every workload shares: its command line, its random
 * numbers, its digest and the way it reports a broken property.
 *
 * A workload is called as `NAME SIZE [SEED]` with SIZE one of test, small,
 * ref. It makes its input from the seed, does its work, checks the result
 * against a property or an independent computation, and ends with one line
 *
 *   NAME SIZE seed=N digest=16 hex digits ok
 *
 * and status 0; a failed check names itself on standard error, status 1.
 * The digest is the same on every host: no libm beyond sqrt and fabs, no
 * pointers, time or addresses in it, floating point without contraction.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum workload_size { SIZE_TEST, SIZE_SMALL, SIZE_REF };

struct workload {
	const char *name;
	const char *size_name;
	enum workload_size size;
	uint64_t seed;
	uint64_t random_state;
	uint64_t digest;
};

/* Reads the command line; prints usage and exits with status 2 if it is wrong. */
static inline struct workload workload_begin(const char *name, int argc, char **argv)
{
	static const char *const sizes[] = {"test", "small", "ref"};
	struct workload w = {.name = name, .seed = 1, .digest = UINT64_C(0xcbf29ce484222325)};
	int found = -1;

	for (int i = 0; i < 3 && argc >= 2; i++)
		if (strcmp(argv[1], sizes[i]) == 0)
			found = i;
	if (found < 0 || argc > 3) {
		fprintf(stderr, "usage: %s test|small|ref [SEED]\n", name);
		exit(2);
	}
	w.size = (enum workload_size)found;
	w.size_name = sizes[found];
	if (argc == 3)
		w.seed = strtoull(argv[2], NULL, 0);
	w.random_state = w.seed;
	return w;
}

/* splitmix64 */
static inline uint64_t workload_random(struct workload *w)
{
	uint64_t z = (w->random_state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* 0 .. bound-1 */
static inline uint32_t workload_below(struct workload *w, uint32_t bound)
{
	return (uint32_t)(((workload_random(w) >> 32) * bound) >> 32);
}

/* [0, 1) */
static inline double workload_unit(struct workload *w)
{
	return (double)(workload_random(w) >> 11) * 0x1p-53;
}

/* FNV-1a over the bytes of a number, lowest first. */
static inline void workload_digest(struct workload *w, uint64_t value)
{
	for (int i = 0; i < 8; i++) {
		w->digest ^= (value >> (8 * i)) & 0xff;
		w->digest *= UINT64_C(0x100000001b3);
	}
}

static inline void workload_digest_double(struct workload *w, double value)
{
	uint64_t raw;

	memcpy(&raw, &value, sizeof(raw));
	workload_digest(w, raw);
}

static inline void workload_check(const struct workload *w, int holds, const char *property)
{
	if (!holds) {
		fprintf(stderr, "%s: check failed: %s\n", w->name, property);
		exit(1);
	}
}

/* malloc that ends the program with a sentence instead of returning NULL. */
static inline void *workload_alloc(size_t bytes)
{
	void *block = calloc(1, bytes);

	if (!block) {
		fprintf(stderr, "out of memory: %zu bytes\n", bytes);
		exit(1);
	}
	return block;
}

static inline int workload_end(const struct workload *w)
{
	printf("%s %s seed=%" PRIu64 " digest=%016" PRIx64 " ok\n", w->name, w->size_name, w->seed,
	       w->digest);
	return 0;
}

#endif

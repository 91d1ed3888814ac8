/*
 * distinct.h - how many different numbers there are among many, in bounded room (adaptive sampling:
 * Flajolet, 1990).
 *
 * Up to DISTINCT_MOST different numbers are kept and counted exactly. Then only those are kept
 * whose hash ends in one zero bit, in two, and so on, and each stands for 2, 4, ... of them. The
 * estimate is then off by about 1.2 / sqrt(DISTINCT_MOST), 8 %, as a standard error.
 */
#ifndef MEASURE_DISTINCT_H
#define MEASURE_DISTINCT_H

#include <stdbool.h>
#include <stdint.h>

#define DISTINCT_MOST 256

/* Zeros are none seen. */
struct distinct {
	uint64_t *items; /* number plus one; open addressing */
	uint32_t room, count;
	unsigned level; /* zero bits asked for; 0: exact */
	uint64_t last;	/* the number added last, plus one */
};

void distinct_release(struct distinct *d);
void distinct_add_other(struct distinct *d, uint64_t number);

static inline void distinct_add(struct distinct *d, uint64_t number)
{
	if (d->last == number + 1)
		return;
	d->last = number + 1;
	distinct_add_other(d, number);
}

static inline uint64_t distinct_count(const struct distinct *d)
{
	return (uint64_t)d->count << d->level;
}

static inline bool distinct_is_exact(const struct distinct *d)
{
	return d->level == 0;
}

#endif

/*
 * geometry.h - the sizes of caches, lines, pages and TLBs, found from readings alone.
 *
 * Lines and pages: two loads at a distance are one miss if they are in one line, two if not (kernel
 * pair); the distance at which an event doubles, or at which its hits end, is the line or page it
 * is about. Capacities: where events step from nothing to one an access as the buffer grows (read,
 * page, write, code, codepage); steps of different events at one size are one capacity. Between two
 * capacities there is a plateau, represented by the size in the middle of it, because edges are
 * not sharp with every replacement.
 *
 * A pair shows what one miss brings in: a block, which is a line or, where the machine prefetches
 * its neighbours with every miss, several. Sweeps go from block to block. Whether a half of a block
 * is a line by itself is seen where one half is used often and the other seldom (kernel half): a
 * cache keeps the first without the second only if they are two lines. The same uses within one
 * half (kernel whole) show what there is to see otherwise.
 *
 * Not found: blocks larger than 512 bytes and pages smaller than 1024; lines of which a block has
 * more than four; the line of a cache of more blocks than kernel half is run with, if one of a
 * smaller cache is found.
 */
#ifndef CLASSIFY_GEOMETRY_H
#define CLASSIFY_GEOMETRY_H

#include "classify/slope.h"

#define GEOMETRY_LEVELS_MOST 3
#define GEOMETRY_PAGE_LEAST  1024

/* The kernels in which a buffer grows. */
enum sweep {
	SWEEP_READ,
	SWEEP_WRITE,
	SWEEP_PAGE,
	SWEEP_PAGE_WRITE,
	SWEEP_CODE,
	SWEEP_CODE_PAGE,
	SWEEPS
};
extern const char *const sweep_kernels[SWEEPS];

/* The points of a sweep from small to large, and the capacities between them. */
struct sweep_points {
	size_t *points;
	size_t count;
	uint64_t unit;
	size_t levels;
	uint64_t capacity[GEOMETRY_LEVELS_MOST];  /* in bytes of the buffer */
	size_t plateau[GEOMETRY_LEVELS_MOST + 1]; /* places in `points` */
};

struct geometry {
	struct sweep_points sweeps[SWEEPS];
	uint64_t *line;			 /* by event: its block or page in bytes; 0: it has none */
	uint64_t block_bytes;		 /* the largest block; 0: not found */
	uint64_t line_bytes, page_bytes; /* the largest line, the smallest page; 0: not found */
};

void geometry_find(struct geometry *geometry, const struct readings *readings,
		   const struct slopes *slopes);
void geometry_release(struct geometry *geometry);

#endif

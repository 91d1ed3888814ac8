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
 * Not found: lines larger than 512 bytes and pages smaller than 1024; a line where the machine
 * prefetches its neighbour with every miss looks twice as long.
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
	uint64_t *line;			 /* by event: its line or page in bytes; 0: it has none */
	uint64_t line_bytes, page_bytes; /* the largest line, the smallest page; 0: not found */
};

void geometry_find(struct geometry *geometry, const struct readings *readings,
		   const struct slopes *slopes);
void geometry_release(struct geometry *geometry);

#endif

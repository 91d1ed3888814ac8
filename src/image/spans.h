/*
 * spans.h - which of many ranges an address lies in, where ranges may nest and overlap: the one
 * that begins last, and of those that begin at one address the last in the list.
 *
 * The ranges are cut into disjoint pieces once, in linear time; a search takes the logarithm of
 * their number.
 */
#ifndef IMAGE_SPANS_H
#define IMAGE_SPANS_H

#include <stddef.h>
#include <stdint.h>

#define SPANS_NONE SIZE_MAX

struct span {
	uint64_t start;
	uint64_t end; /* the first address after it; greater than start */
};

struct span_piece;

struct spans {
	struct span_piece *pieces; /* ascending; the last belongs to no range */
	size_t count;
};

/* `list` ascends by start and is not kept. Zeros are no ranges. */
void spans_init(struct spans *spans, const struct span *list, size_t count);
void spans_release(struct spans *spans);

/* The range's index in the list, or SPANS_NONE. */
size_t spans_find(const struct spans *spans, uint64_t address);

#endif

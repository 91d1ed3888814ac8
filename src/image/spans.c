#include "image/spans.h"

#include <stdlib.h>

#include "base/array.h"

/* Addresses from here to the next piece's start belong to one range. */
struct span_piece {
	uint64_t start;
	size_t index; /* SPANS_NONE: to none */
};

/* It never is of the same range as the piece before: that one was on top of the stack until now. */
static void add_piece(struct spans *spans, uint64_t start, size_t index)
{
	size_t count = spans->count;

	if (count && spans->pieces[count - 1].start == start)
		count--;
	spans->pieces[count++] = (struct span_piece){start, index};
	spans->count = count;
}

/* Sweeps over the addresses with the ranges begun so far on a stack, the latest on top; each is
 * pushed and popped once. */
void spans_init(struct spans *spans, const struct span *list, size_t count)
{
	size_t *open = mem_alloc_array(count, sizeof(*open));
	size_t open_count = 0;

	*spans = (struct spans){mem_alloc_array(2 * count + 1, sizeof(*spans->pieces)), 0};
	for (size_t i = 0; i <= count; i++) {
		uint64_t next = i < count ? list[i].start : UINT64_MAX;

		while (open_count) {
			uint64_t end = list[open[open_count - 1]].end;

			if (end > next)
				break;
			/* Ranges that ended while another one covered them are removed. */
			while (open_count && list[open[open_count - 1]].end <= end)
				open_count--;
			add_piece(spans, end, open_count ? open[open_count - 1] : SPANS_NONE);
		}
		if (i < count) {
			add_piece(spans, next, i);
			open[open_count++] = i;
		}
	}
	free(open);
}

void spans_release(struct spans *spans)
{
	free(spans->pieces);
	*spans = (struct spans){0};
}

size_t spans_find(const struct spans *spans, uint64_t address)
{
	size_t low = 0, high = spans->count;

	/* The last piece that begins at or below the address is at low - 1. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spans->pieces[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? spans->pieces[low - 1].index : SPANS_NONE;
}

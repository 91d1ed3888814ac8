#include "mem/mshr.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"

void mshr_init(struct mshr *mshr, uint32_t limit)
{
	BUG_ON(!limit);
	*mshr = (struct mshr){.limit = limit};
	if (limit != MSHR_UNLIMITED)
		mshr->release_at = mem_alloc_array(limit, sizeof(*mshr->release_at));
}

void mshr_release(struct mshr *mshr)
{
	free(mshr->release_at);
	*mshr = (struct mshr){0};
}

static int compare_times(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void mshr_change_limit(struct mshr *mshr, uint32_t limit)
{
	if (limit == mshr->limit)
		return;
	struct mshr old = *mshr;
	uint32_t dropped = old.count > limit ? old.count - limit : 0;

	mshr_init(mshr, limit);
	/* Times in ascending order are a heap. */
	if (old.count && limit != MSHR_UNLIMITED) {
		qsort(old.release_at, old.count, sizeof(*old.release_at), compare_times);
		for (uint32_t i = dropped; i < old.count; i++)
			mshr->release_at[mshr->count++] = old.release_at[i];
	}
	mshr_release(&old);
}

void mshr_take(struct mshr *mshr, uint64_t now, uint64_t done_at)
{
	uint64_t *heap = mshr->release_at;
	uint32_t at;

	if (mshr->limit == MSHR_UNLIMITED)
		return;
	if (mshr->count == mshr->limit || (mshr->count && heap[0] <= now)) {
		at = 0;
		for (uint32_t child = 1; child < mshr->count; child = 2 * at + 1) {
			if (child + 1 < mshr->count && heap[child + 1] < heap[child])
				child++;
			if (heap[child] >= done_at)
				break;
			heap[at] = heap[child];
			at = child;
		}
	} else {
		for (at = mshr->count++; at && heap[(at - 1) / 2] > done_at; at = (at - 1) / 2)
			heap[at] = heap[(at - 1) / 2];
	}
	heap[at] = done_at;
}

uint32_t mshr_taken(const struct mshr *mshr, uint64_t now)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; i < mshr->count; i++)
		taken += mshr->release_at[i] > now;
	return taken;
}

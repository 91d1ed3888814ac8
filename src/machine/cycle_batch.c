#include "machine/cycle_batch.h"

#include <stdlib.h>

#include "base/array.h"

/* Of the lists, but for the events, which grow. */
#define ITEMS (CYCLE_BATCH_RECORDS * CYCLE_WIDTH_MAX)

/* The events of the batch move to a larger place; those of the record under way are among them. */
static void grow(struct cycle_lists *lists)
{
	struct cycle_batch *batch = (struct cycle_batch *)(void *)lists;
	struct cycle_lists *whole = &batch->whole;
	const size_t used = (size_t)(lists->events - whole->events);
	size_t before = 0;

	whole->event_capacity *= 2;
	whole->events = mem_realloc(whole->events, whole->event_capacity, sizeof(*whole->events));
	for (size_t i = 0; i < batch->count; i++) {
		batch->records[i].events = whole->events + before;
		before += batch->records[i].event_count;
	}
	lists->events = whole->events + used;
	lists->event_capacity = whole->event_capacity - (uint32_t)used;
}

struct cycle_batch *cycle_batch_create(void)
{
	struct cycle_batch *batch = mem_alloc(sizeof(*batch));

	batch->whole = (struct cycle_lists){
		.record = batch->records,
		.record_count = CYCLE_BATCH_RECORDS,
		.events = mem_alloc_array(ITEMS, sizeof(*batch->whole.events)),
		.useful_pcs = mem_alloc_array(ITEMS, sizeof(*batch->whole.useful_pcs)),
		.retired = mem_alloc_array(ITEMS, sizeof(*batch->whole.retired)),
		.waits = mem_alloc_array(ITEMS, sizeof(*batch->whole.waits)),
		.event_capacity = ITEMS,
		.grow = grow,
	};
	cycle_batch_clear(batch);
	return batch;
}

void cycle_batch_destroy(struct cycle_batch *batch)
{
	if (!batch)
		return;
	free(batch->whole.events);
	free(batch->whole.useful_pcs);
	free(batch->whole.retired);
	free(batch->whole.waits);
	free(batch);
}

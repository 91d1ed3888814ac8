/*
 * cycle_batch.h - some records of a core in a row, for observers that take several at once: what
 * each does is then in the host's first caches, and the core's work too.
 *
 * The core writes records, events, useful pcs and retired instructions to the batch itself, so that
 * those of all records follow each other and nothing is copied: a record is written in small parts,
 * and to load these in larger ones at once makes the host wait (4 ns a record). Inside src/machine/
 * only.
 *
 * Does not call anybody: observer.c takes the records and gives them to its observers.
 */
#ifndef MACHINE_CYCLE_BATCH_H
#define MACHINE_CYCLE_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "signal/cycle.h"

/* Results do not depend on it. With 64, 128 or 512 runs took as long, within 3 %. */
#define CYCLE_BATCH_RECORDS 256

struct cycle_batch {
	/* Where the core writes; the first member, so that `grow` finds the others. */
	struct cycle_lists lists;
	struct cycle_lists whole; /* their beginnings; event_capacity is that of the whole */
	struct cycle records[CYCLE_BATCH_RECORDS];
	size_t count;
};

struct cycle_batch *cycle_batch_create(void);
void cycle_batch_destroy(struct cycle_batch *batch); /* NULL is allowed */

/* Keeps a record that has been written there. True if the batch is full. */
static inline bool cycle_batch_take(struct cycle_batch *batch, const struct cycle *cycle)
{
	struct cycle_lists *lists = &batch->lists;

	batch->count++;
	lists->record++;
	if (cycle->event_count) {
		lists->events += cycle->event_count;
		lists->event_capacity -= cycle->event_count;
	}
	lists->useful_pcs += cycle->useful_dispatched;
	if (cycle->retired) {
		lists->retired += cycle->committed;
		lists->waits += cycle->wait_count;
	}
	return batch->count == CYCLE_BATCH_RECORDS;
}

/* The records have been seen: the core writes from the beginning again. */
static inline void cycle_batch_clear(struct cycle_batch *batch)
{
	batch->count = 0;
	batch->lists = batch->whole;
}

#endif

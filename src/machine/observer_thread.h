/*
 * observer_thread.h - a second thread of the host that observes in place of the one that simulates,
 * in calling order: create, begin, take record after record, drain, destroy.
 *
 * Records are copied into batches of 4096, a few of which go round between the two threads;
 * the core writes events and retired instructions there itself. Semaphores count the full and the
 * empty ones. The order
 * of the records is that of the core, so results do not depend on whether there is such a thread.
 * After a drain the observer has seen everything and its thread waits: only then may anybody else
 * use what the observer uses.
 *
 * A record in a batch stands by itself: `totals` and `memory`, which go on with the core, are NULL.
 * An observer that needs them, or the state of the process, must observe in the core's own thread.
 *
 * Does not divide observers among several threads, and does not wait actively: a host without a
 * free core loses by it.
 */
#ifndef MACHINE_OBSERVER_THREAD_H
#define MACHINE_OBSERVER_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/simulation.h"

struct observer_thread;

/* An observer that takes several records in a row, whose events and useful pcs follow each other.
 */
struct batch_observer {
	void (*cycles)(void *context, const struct cycle *cycles, size_t count);
	void *context;
	uint32_t events;
};

/* `enter` (may be NULL) is called first in the new thread, to give up what it does not need; false
 * with a sentence ends the thread. NULL with a sentence if that fails or the host gives no thread;
 * *is_refused (may be NULL) says which: the host gave none. */
struct observer_thread *observer_thread_create(bool (*enter)(struct err *err), bool *is_refused,
					       struct err *err);
/* The observer must have been drained; NULL is allowed. */
void observer_thread_destroy(struct observer_thread *thread);

/* From now on records are for this observer. */
void observer_thread_begin(struct observer_thread *thread, struct observer observer);
void observer_thread_begin_batch(struct observer_thread *thread, struct batch_observer observer);
/* For simulation_write_to: the lists of every record taken must have been written there. */
struct cycle_lists *observer_thread_lists(struct observer_thread *thread);
/* For simulation_attach: the context is the thread. */
void observer_thread_take(void *thread, const struct cycle *cycle);
/* Returns when the observer has seen every record. NULL is allowed. */
void observer_thread_drain(struct observer_thread *thread);

/* Processor time that the thread has used, in nanoseconds; 0 for NULL. */
uint64_t observer_thread_time_ns(const struct observer_thread *thread);

#endif

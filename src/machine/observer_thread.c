#include "machine/observer_thread.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "base/bits.h"

/* Less than a host's L2 in all, so that records are read from there. */
#define BATCHES	    4
#define BATCH_BYTES ((size_t)128 << 10)
#define STACK_BYTES ((size_t)1 << 20)

struct batch {
	uint8_t *bytes; /* records, each followed by what it points to */
	size_t used, capacity;
};

struct observer_thread {
	pthread_t thread;
	bool (*enter)(struct err *err);
	struct err err;
	bool has_failed; /* in `enter` */
	sem_t full, empty;
	/* A batch is used only by the thread that took it from its semaphore last. The observer is
	 * set while all batches are empty. */
	struct batch batches[BATCHES];
	struct observer observer;
	unsigned filling; /* the batch that the core's thread has */
};

/* How many of what a record points to. */
struct lengths {
	size_t events, pcs, retired, waits;
};

static struct lengths lengths_of(const struct cycle *cycle)
{
	struct lengths n = {cycle->event_count, cycle->useful_dispatched, 0, 0};

	if (cycle->retired) {
		n.retired = cycle->committed;
		for (size_t i = 0; i < n.retired; i++)
			n.waits += cycle->retired[i].has_waits;
	}
	return n;
}

static size_t record_bytes(const struct cycle *cycle)
{
	const struct lengths n = lengths_of(cycle);
	const size_t bytes = sizeof(*cycle) + n.events * sizeof(*cycle->events) +
			     n.pcs * sizeof(*cycle->useful_pcs) +
			     n.retired * sizeof(*cycle->retired) + n.waits * sizeof(*cycle->waits);

	return bits_align_up(bytes, sizeof(uint64_t));
}

static void observe(const struct observer_thread *t, const struct batch *batch)
{
	for (const void *at = batch->bytes; at != batch->bytes + batch->used;) {
		const struct cycle *cycle = at;

		t->observer.cycle(t->observer.context, cycle);
		at = (const uint8_t *)at + record_bytes(cycle);
	}
}

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) != 0)
		BUG_ON(errno != EINTR);
}

/* Until a batch without records comes. */
static void *run(void *context)
{
	struct observer_thread *t = context;
	bool goes_on = !t->enter || t->enter(&t->err);

	t->has_failed = !goes_on;
	for (unsigned i = 0; i < BATCHES; i++)
		sem_post(&t->empty);
	for (unsigned i = 0; goes_on; i = (i + 1) % BATCHES) {
		wait_for(&t->full);
		observe(t, &t->batches[i]);
		goes_on = t->batches[i].used;
		sem_post(&t->empty);
	}
	return NULL;
}

/* Signals are for the other thread. */
static int start(struct observer_thread *t)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	int failed = pthread_attr_init(&attributes);

	if (failed)
		return failed;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_attr_setstacksize(&attributes, STACK_BYTES);
	if (!failed)
		failed = pthread_create(&t->thread, &attributes, run, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return failed;
}

static void release(struct observer_thread *t)
{
	for (unsigned i = 0; i < BATCHES; i++)
		free(t->batches[i].bytes);
	sem_destroy(&t->full);
	sem_destroy(&t->empty);
	free(t);
}

struct observer_thread *observer_thread_create(bool (*enter)(struct err *err), bool *is_refused,
					       struct err *err)
{
	struct observer_thread *t = mem_alloc(sizeof(*t));

	t->enter = enter;
	sem_init(&t->full, 0, 0);
	sem_init(&t->empty, 0, 0);
	for (unsigned i = 0; i < BATCHES; i++) {
		t->batches[i].bytes = mem_alloc(BATCH_BYTES);
		t->batches[i].capacity = BATCH_BYTES;
	}
	int failed = start(t);
	if (is_refused)
		*is_refused = failed;
	if (failed) {
		err_set_errno(err, failed, "cannot start a thread for the observers");
		release(t);
		return NULL;
	}
	wait_for(&t->empty);
	if (t->has_failed) {
		pthread_join(t->thread, NULL);
		*err = t->err;
		release(t);
		return NULL;
	}
	return t;
}

static void hand_over(struct observer_thread *t)
{
	sem_post(&t->full);
	wait_for(&t->empty);
	t->filling = (t->filling + 1) % BATCHES;
	t->batches[t->filling].used = 0;
}

void observer_thread_destroy(struct observer_thread *t)
{
	if (!t)
		return;
	observer_thread_drain(t);
	sem_post(&t->full);
	pthread_join(t->thread, NULL);
	release(t);
}

void observer_thread_begin(struct observer_thread *t, struct observer observer)
{
	observer_thread_drain(t);
	t->observer = observer;
}

/* The batch that records go to, with room for so many bytes more. */
static struct batch *room(struct observer_thread *t, size_t bytes)
{
	if (bytes > t->batches[t->filling].capacity - t->batches[t->filling].used &&
	    t->batches[t->filling].used)
		hand_over(t);
	struct batch *batch = &t->batches[t->filling];
	if (bytes > batch->capacity - batch->used) {
		batch->bytes = mem_realloc(batch->bytes, bytes, 1);
		batch->capacity = bytes;
	}
	return batch;
}

_Static_assert(sizeof(struct cycle) % sizeof(uint64_t) == 0 &&
		       sizeof(struct cycle_event) % sizeof(uint64_t) == 0 &&
		       sizeof(struct cycle_retired) % sizeof(uint64_t) == 0,
	       "records follow one another without gaps");

void observer_thread_take(void *thread, const struct cycle *cycle)
{
	const struct lengths n = lengths_of(cycle);
	const size_t bytes = record_bytes(cycle);
	struct batch *batch = room(thread, bytes);
	struct cycle *copy = (struct cycle *)(void *)(batch->bytes + batch->used);
	struct cycle_event *event = (struct cycle_event *)(copy + 1);
	uint64_t *pc = (uint64_t *)(event + n.events);
	struct cycle_retired *retired = (struct cycle_retired *)(pc + n.pcs);
	struct cycle_waits *waits = (struct cycle_waits *)(retired + n.retired);

	*copy = *cycle;
	copy->events = event;
	copy->useful_pcs = pc;
	copy->retired = cycle->retired ? retired : NULL;
	copy->waits = cycle->retired ? waits : NULL;
	copy->totals = NULL;
	copy->memory = NULL;
	for (size_t i = 0; i < n.events; i++)
		event[i] = cycle->events[i];
	for (size_t i = 0; i < n.pcs; i++)
		pc[i] = cycle->useful_pcs[i];
	for (size_t i = 0; i < n.retired; i++)
		retired[i] = cycle->retired[i];
	for (size_t i = 0; i < n.waits; i++)
		waits[i] = cycle->waits[i];
	batch->used += bytes;
}

void observer_thread_drain(struct observer_thread *t)
{
	if (!t)
		return;
	if (t->batches[t->filling].used)
		hand_over(t);
	for (unsigned i = 1; i < BATCHES; i++)
		wait_for(&t->empty);
	for (unsigned i = 1; i < BATCHES; i++)
		sem_post(&t->empty);
}

uint64_t observer_thread_time_ns(const struct observer_thread *t)
{
	clockid_t clock;
	struct timespec time;

	if (!t || pthread_getcpuclockid(t->thread, &clock) != 0 || clock_gettime(clock, &time) != 0)
		return 0;
	return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

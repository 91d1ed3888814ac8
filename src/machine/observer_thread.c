#include "machine/observer_thread.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"

/* With batches of 512 records, which a host's L2 holds, the core's thread took up to 46 % longer
 * than with 2048: it waits for the other one, which is slower, and each wait costs a sleep. */
#define BATCHES	    4
#define RECORDS	    4096
#define ITEMS	    (2 * RECORDS)
#define STACK_BYTES ((size_t)1 << 20)

/* A record without its pointers: what they lead to are the next items of the batch's lists. */
#define RECORD_BYTES offsetof(struct cycle, events)

struct batch {
	uint8_t (*records)[RECORD_BYTES];
	size_t count;
	bool has_retired;
	struct cycle_lists lists; /* their beginnings; event_capacity is that of the whole */
};

struct observer_thread {
	/* Where the core writes; the first member, so that `grow` finds the others. */
	struct cycle_lists lists;
	pthread_t thread;
	bool (*enter)(struct err *err);
	struct err err;
	bool has_failed; /* in `enter` */
	sem_t full, empty;
	/* A batch is used only by the thread that took it from its semaphore last. The observer is
	 * set while all batches are empty. */
	struct batch batches[BATCHES];
	struct cycle record; /* that the core writes */
	struct batch_observer observer;
	struct observer single; /* the context of `observer`, if it takes single records */
	unsigned filling;	/* the batch that the core's thread has */
};

/* So many records are put together again at once. */
#define PIECE 64

static void give_singly(void *context, const struct cycle *cycles, size_t count)
{
	const struct observer *single = context;

	for (size_t i = 0; i < count; i++)
		single->cycle(single->context, &cycles[i]);
}

static void observe(const struct observer_thread *t, const struct batch *batch)
{
	const struct cycle_lists *lists = &batch->lists;
	const struct cycle_event *events = lists->events;
	const uint64_t *useful_pcs = lists->useful_pcs;
	const struct cycle_retired *retired = batch->has_retired ? lists->retired : NULL;
	const struct cycle_waits *waits = batch->has_retired ? lists->waits : NULL;
	struct cycle cycles[PIECE] = {0};

	for (size_t first = 0; first < batch->count; first += PIECE) {
		const size_t left = batch->count - first, count = left < PIECE ? left : PIECE;

		for (size_t i = 0; i < count; i++) {
			struct cycle *cycle = &cycles[i];

			memcpy(cycle, batch->records[first + i], RECORD_BYTES);
			cycle->events = events;
			cycle->useful_pcs = useful_pcs;
			cycle->retired = retired;
			cycle->waits = waits;
			events += cycle->event_count;
			useful_pcs += cycle->useful_dispatched;
			if (retired) {
				retired += cycle->committed;
				waits += cycle->wait_count;
			}
		}
		t->observer.cycles(t->observer.context, cycles, count);
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
		goes_on = t->batches[i].count;
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
	for (unsigned i = 0; i < BATCHES; i++) {
		struct batch *batch = &t->batches[i];

		free(batch->records);
		free(batch->lists.events);
		free(batch->lists.useful_pcs);
		free(batch->lists.retired);
		free(batch->lists.waits);
	}
	sem_destroy(&t->full);
	sem_destroy(&t->empty);
	free(t);
}

static void create_batch(struct batch *batch)
{
	batch->records = mem_alloc_array(RECORDS, sizeof(*batch->records));
	batch->lists = (struct cycle_lists){
		.events = mem_alloc_array(ITEMS, sizeof(*batch->lists.events)),
		.useful_pcs = mem_alloc_array(ITEMS, sizeof(*batch->lists.useful_pcs)),
		.retired = mem_alloc_array(ITEMS, sizeof(*batch->lists.retired)),
		.waits = mem_alloc_array(ITEMS, sizeof(*batch->lists.waits)),
		.event_capacity = ITEMS,
	};
}

/* The core writes to the batch that is being filled, from its beginning. */
static void begin_batch(struct observer_thread *t)
{
	struct batch *batch = &t->batches[t->filling];
	void (*grow)(struct cycle_lists * lists) = t->lists.grow;

	batch->count = 0;
	t->lists = batch->lists;
	t->lists.grow = grow;
	t->lists.record = &t->record;
	t->lists.record_count = 1;
}

/* The events of the batch move to a larger place; those of the current record are among them. */
static void grow(struct cycle_lists *lists)
{
	struct observer_thread *t = (struct observer_thread *)(void *)lists;
	struct cycle_lists *whole = &t->batches[t->filling].lists;
	const size_t used = (size_t)(lists->events - whole->events);

	whole->event_capacity *= 2;
	whole->events = mem_realloc(whole->events, whole->event_capacity, sizeof(*whole->events));
	lists->events = whole->events + used;
	lists->event_capacity = whole->event_capacity - (uint32_t)used;
}

struct observer_thread *observer_thread_create(bool (*enter)(struct err *err), bool *is_refused,
					       struct err *err)
{
	struct observer_thread *t = mem_alloc(sizeof(*t));

	t->enter = enter;
	sem_init(&t->full, 0, 0);
	sem_init(&t->empty, 0, 0);
	for (unsigned i = 0; i < BATCHES; i++)
		create_batch(&t->batches[i]);
	t->lists.grow = grow;
	begin_batch(t);
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

/* Takes an empty batch when half of them are: to sleep and be woken for each would cost more than
 * to fill it. */
static void wait_for_some(struct observer_thread *t)
{
	for (unsigned i = 0; i < BATCHES / 2; i++)
		wait_for(&t->empty);
	for (unsigned i = 1; i < BATCHES / 2; i++)
		sem_post(&t->empty);
}

static void hand_over(struct observer_thread *t)
{
	sem_post(&t->full);
	if (sem_trywait(&t->empty) != 0)
		wait_for_some(t);
	t->filling = (t->filling + 1) % BATCHES;
	begin_batch(t);
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

void observer_thread_take(void *thread, const struct cycle *cycle)
{
	struct observer_thread *t = thread;
	struct batch *batch = &t->batches[t->filling];
	struct cycle_lists *lists = &t->lists;

	BUG_ON(cycle->events != lists->events);
	BUG_ON(batch->count && batch->has_retired != !!cycle->retired);
	memcpy(batch->records[batch->count++], cycle, RECORD_BYTES);
	batch->has_retired = cycle->retired;
	lists->events += cycle->event_count;
	lists->event_capacity -= cycle->event_count;
	lists->useful_pcs += cycle->useful_dispatched;
	if (cycle->retired) {
		lists->retired += cycle->committed;
		lists->waits += cycle->wait_count;
	}
	/* Fewer have waits than commit. */
	if (batch->count == RECORDS || !lists->event_capacity ||
	    lists->useful_pcs > batch->lists.useful_pcs + ITEMS - CYCLE_WIDTH_MAX ||
	    lists->retired > batch->lists.retired + ITEMS - CYCLE_WIDTH_MAX)
		hand_over(t);
}

void observer_thread_begin(struct observer_thread *t, struct observer observer)
{
	observer_thread_begin_batch(
		t, (struct batch_observer){give_singly, &t->single, observer.events});
	t->single = observer;
}

void observer_thread_begin_batch(struct observer_thread *t, struct batch_observer observer)
{
	observer_thread_drain(t);
	t->observer = observer;
}

struct cycle_lists *observer_thread_lists(struct observer_thread *t)
{
	return &t->lists;
}

void observer_thread_drain(struct observer_thread *t)
{
	if (!t)
		return;
	if (t->batches[t->filling].count)
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

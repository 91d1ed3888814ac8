/*
 * schedule.h - when a thing that serves one request at a time is taken: the channel to memory, a
 * bank of a DRAM.
 *
 * A request that arrives at some time gets the first free stretch of its length from then on.
 * Requests are made in order of the accesses that cause them, but do not arrive in that order: the
 * line of a load that waits for its translation arrives after that of a later load that does not.
 * So free stretches before the last one taken are used, too.
 *
 * Invariant: `times` holds, from `first` on, stretches in ascending order that neither overlap nor
 * touch and of which at most the first ends before the time of the last call.
 */
#ifndef MEM_SCHEDULE_H
#define MEM_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

struct schedule_stretch {
	uint64_t from, until;
};

struct schedule {
	struct schedule_stretch *times;
	size_t first, count, capacity; /* in use: [first, count) */
};

void schedule_release(struct schedule *schedule);

/* Takes `cycles` in one stretch for a request that arrives in cycle `at`, and returns their
 * beginning. No request of this or a later call arrives before `now`. With 0 cycles nothing is
 * taken: the result is the first cycle from `at` on that is free. */
uint64_t schedule_take(struct schedule *schedule, uint64_t now, uint64_t at, uint64_t cycles);

#endif

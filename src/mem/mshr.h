/*
 * mshr.h - miss status holding registers: how many misses of one cache may be
 * outstanding at once.
 *
 * A register is taken in the cycle of the access and is free again in the cycle
 * in which the fill completes. The line is not kept: a second access to it
 * finds it in the cache's tags, with its fill under way, and needs no register.
 *
 * Invariant: `release_at` is a heap, the earliest first, of at most `limit` times;
 * times already past are registers that are free. Calls come in order of time.
 */
#ifndef MEM_MSHR_H
#define MEM_MSHR_H

#include <stdbool.h>
#include <stdint.h>

#define MSHR_UNLIMITED UINT32_MAX

struct mshr {
	uint32_t limit;
	uint32_t count;
	uint64_t *release_at;
};

void mshr_init(struct mshr *mshr, uint32_t limit);
void mshr_release(struct mshr *mshr);
/* Another number of registers from now on. If more are taken than there are, the next is free when
 * as many have been given back. Misses that began without a limit hold none. */
void mshr_change_limit(struct mshr *mshr, uint32_t limit);

/* 0 if a register is free in cycle `now`, else the first cycle in which one is. */
static inline uint64_t mshr_blocked_until(const struct mshr *mshr, uint64_t now)
{
	if (mshr->count < mshr->limit || mshr->release_at[0] <= now)
		return 0;
	return mshr->release_at[0];
}

/* The first cycle in which a register is free; 0: one has not been taken yet. */
static inline uint64_t mshr_free_at(const struct mshr *mshr)
{
	return mshr->count < mshr->limit ? 0 : mshr->release_at[0];
}

/* Takes a register until `done_at`. If none is free in cycle `now`, the access waits for the one
 * that is free first, and takes that. */
void mshr_take(struct mshr *mshr, uint64_t now, uint64_t done_at);

/* How many are taken in cycle `now`; always 0 where there is no limit. */
uint32_t mshr_taken(const struct mshr *mshr, uint64_t now);

#endif

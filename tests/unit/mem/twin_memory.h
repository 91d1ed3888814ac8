/*
 * twin_memory.h - a slow implementation of the rules of mem/main_memory.h: every stretch of time
 * that a request has taken is an element of a list, and the next request tries each cycle at which
 * it could begin: its own, and the ends of all stretches.
 */
#ifndef TESTS_MEM_TWIN_MEMORY_H
#define TESTS_MEM_TWIN_MEMORY_H

#include <stdlib.h>

#include "mem/main_memory.h"

struct twin_taken {
	uint64_t from[4096], until[4096];
	unsigned count;
};

struct twin_memory {
	const struct main_memory_parameters *p;
	struct twin_taken *channel, *banks;
	uint64_t *open_rows; /* number + 1 */
};

static inline void twin_memory_init(struct twin_memory *t, const struct main_memory_parameters *p)
{
	*t = (struct twin_memory){.p = p, .channel = calloc(1, sizeof(struct twin_taken))};
	t->banks = calloc(p->banks + 1, sizeof(struct twin_taken));
	t->open_rows = calloc(p->banks + 1, sizeof(uint64_t));
}

static inline void twin_memory_release(struct twin_memory *t)
{
	free(t->channel);
	free(t->banks);
	free(t->open_rows);
}

static inline bool twin_taken_fits(const struct twin_taken *t, uint64_t from, uint64_t cycles)
{
	for (unsigned i = 0; i < t->count; i++)
		if (t->from[i] < from + cycles && from < t->until[i])
			return false;
	return true;
}

static inline uint64_t twin_take(struct twin_taken *t, uint64_t now, uint64_t at, uint64_t cycles)
{
	uint64_t needed = cycles ? cycles : 1, best = UINT64_MAX;

	for (unsigned i = 0; i < t->count; i++)
		while (i < t->count && t->until[i] <= now) {
			t->count--;
			t->from[i] = t->from[t->count];
			t->until[i] = t->until[t->count];
		}
	if (twin_taken_fits(t, at, needed))
		best = at;
	for (unsigned i = 0; i < t->count; i++)
		if (t->until[i] >= at && t->until[i] < best &&
		    twin_taken_fits(t, t->until[i], needed))
			best = t->until[i];
	if (cycles) {
		if (t->count == 4096)
			abort();
		t->from[t->count] = best;
		t->until[t->count++] = best + cycles;
	}
	return best;
}

/* The cycle in which the line is there; *queue: how long it waited; *row: 0 hit, 1 closed, 2
 * conflict, -1 none. */
static inline uint64_t twin_memory_request(struct twin_memory *t, uint64_t now, uint64_t at,
					   uint64_t address, bool occupies, uint64_t *queue,
					   int *row)
{
	const struct main_memory_parameters *p = t->p;
	uint64_t begin = at, row_cycles = 0;

	*row = -1;
	*queue = 0;
	if (p->banks) {
		uint64_t bank = address / p->row_bytes % p->banks;
		uint64_t number = address / p->row_bytes / p->banks;

		*row = !t->open_rows[bank] ? 1 : t->open_rows[bank] == number + 1 ? 0 : 2;
		t->open_rows[bank] = p->closes_rows ? 0 : number + 1;
		row_cycles = *row == 0	 ? p->row_hit_cycles
			     : *row == 1 ? p->row_closed_cycles
					 : p->row_conflict_cycles;
		if (occupies)
			begin = twin_take(&t->banks[bank], now, at, row_cycles - p->row_hit_cycles);
	}
	if (occupies && p->line_cycles)
		begin = twin_take(t->channel, now, begin + row_cycles, p->line_cycles) - row_cycles;
	*queue = begin - at;
	return begin + row_cycles + p->latency_cycles;
}

#endif

/*
 * prefetch_stride.h - the table of the stride prefetcher (after Chen and Baer, 1995), indexed by
 * pc: each instruction's last address, its last stride and how often that was confirmed.
 *
 * From the second confirmation on, the next two places are named; strides shorter than a line are
 * taken as one line in their direction, else the next place would be the line at hand.
 *
 * Open because plain hits are learned inline (hierarchy_plain.h).
 */
#ifndef MEM_PREFETCH_STRIDE_H
#define MEM_PREFETCH_STRIDE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	STRIDE_ENTRIES = 64,
	STRIDE_CONFIDENT = 2,
	STRIDE_MOST_CONFIDENT = 3,
	STRIDE_PLACES_AHEAD = 2,
};

struct stride_entry {
	uint64_t pc; /* + 1; 0: empty */
	uint64_t address;
	int64_t stride;
	uint32_t confidence;
	/* For plain hits: where in the cache the lines named last were, a guess. */
	uint32_t places[STRIDE_PLACES_AHEAD];
};

struct stride_table {
	struct stride_entry entries[STRIDE_ENTRIES];
};

/* Instructions are multiples of 2 bytes apart. */
static inline struct stride_entry *stride_entry_of(struct stride_table *table, uint64_t pc)
{
	return &table->entries[pc / 2 % STRIDE_ENTRIES];
}

static inline void stride_learn(struct stride_entry *entry, uint64_t pc, uint64_t address)
{
	int64_t stride = (int64_t)(address - entry->address);

	if (entry->pc != pc + 1) {
		entry->pc = pc + 1;
		entry->stride = 0;
		entry->confidence = 0;
	} else if (stride == entry->stride) {
		entry->confidence += entry->confidence < STRIDE_MOST_CONFIDENT;
	} else if (entry->confidence > STRIDE_CONFIDENT) {
		/* One odd step, the end of a row perhaps, does not unlearn a stride. */
		entry->confidence--;
	} else {
		entry->stride = stride;
		entry->confidence = 0;
	}
	entry->address = address;
}

/* How far apart the places are that the entry names; 0: it names none. */
static inline int64_t stride_step(const struct stride_entry *entry, int64_t line_bytes)
{
	int64_t step = entry->stride;

	if (entry->confidence < STRIDE_CONFIDENT)
		return 0;
	if (step > -line_bytes && step < line_bytes)
		return step < 0 ? -line_bytes : step ? line_bytes : 0;
	return step;
}

#endif

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

/* What the entry knows after an access, apart from its address. */
struct stride_lesson {
	int64_t stride;
	uint32_t confidence;
};

static inline struct stride_lesson stride_lesson_of(const struct stride_entry *entry, uint64_t pc,
						    uint64_t address)
{
	int64_t stride = (int64_t)(address - entry->address);
	uint32_t confidence = entry->confidence;

	if (entry->pc != pc + 1)
		return (struct stride_lesson){0, 0};
	if (stride == entry->stride)
		return (struct stride_lesson){stride,
					      confidence + (confidence < STRIDE_MOST_CONFIDENT)};
	/* One odd step, the end of a row perhaps, does not unlearn a stride. */
	if (confidence > STRIDE_CONFIDENT)
		return (struct stride_lesson){entry->stride, confidence - 1};
	return (struct stride_lesson){stride, 0};
}

static inline void stride_learn(struct stride_entry *entry, uint64_t pc, uint64_t address,
				struct stride_lesson lesson)
{
	entry->pc = pc + 1;
	entry->address = address;
	entry->stride = lesson.stride;
	entry->confidence = lesson.confidence;
}

/* How far apart the places are that are named now; 0: none is. */
static inline int64_t stride_step(struct stride_lesson lesson, int64_t line_bytes)
{
	int64_t step = lesson.stride;

	if (lesson.confidence < STRIDE_CONFIDENT)
		return 0;
	if (step > -line_bytes && step < line_bytes)
		return step < 0 ? -line_bytes : step ? line_bytes : 0;
	return step;
}

#endif

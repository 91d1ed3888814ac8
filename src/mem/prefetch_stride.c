#include "mem/prefetch.h"

#include "base/array.h"
#include "base/bits.h"

/*
 * A table indexed by pc holds each instruction's last address, its last stride and how
 * often that was confirmed (after Chen and Baer, 1995). From the second
 * confirmation on, the next two places are named; strides shorter than a line are
 * taken as one line in their direction, else the next place would be the line at hand.
 */
enum { TABLE_ENTRIES = 64, CONFIDENT = 2, MOST_CONFIDENT = 3, PLACES_AHEAD = 2 };

struct entry {
	uint64_t pc; /* + 1; 0: empty */
	uint64_t address;
	int64_t stride;
	unsigned confidence;
};

struct table {
	struct entry entries[TABLE_ENTRIES];
};

static void learn(struct entry *entry, const struct prefetch_access *access)
{
	int64_t stride = (int64_t)(access->address - entry->address);

	if (entry->pc != access->pc + 1) {
		*entry = (struct entry){.pc = access->pc + 1, .address = access->address};
		return;
	}
	if (stride == entry->stride) {
		entry->confidence += entry->confidence < MOST_CONFIDENT;
	} else if (entry->confidence > CONFIDENT) {
		/* One odd step, the end of a row perhaps, does not unlearn a stride. */
		entry->confidence--;
	} else {
		entry->stride = stride;
		entry->confidence = 0;
	}
	entry->address = access->address;
}

static unsigned observe(struct prefetcher *prefetcher, const struct prefetch_access *access,
			uint64_t *lines)
{
	struct table *table = prefetcher->state;
	/* Instructions are multiples of 2 bytes apart. */
	struct entry *entry = &table->entries[access->pc / 2 % TABLE_ENTRIES];
	int64_t line_bytes = (int64_t)prefetcher->line_bytes;
	unsigned count = 0;

	learn(entry, access);
	if (entry->confidence < CONFIDENT || !entry->stride)
		return 0;
	int64_t step = entry->stride;

	if (step > -line_bytes && step < line_bytes)
		step = step < 0 ? -line_bytes : line_bytes;
	for (uint64_t place = 1; place <= PLACES_AHEAD; place++)
		count = prefetch_name_line(prefetcher, access->address,
					   access->address + place * (uint64_t)step, lines, count);
	return count;
}

CONFIG_PART(prefetch_stride) = {.name = "stride",
				.state_bytes = sizeof(struct table),
				.sees_hits = true,
				.observe = observe};

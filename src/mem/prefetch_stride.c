#include "mem/prefetch_stride.h"

#include "mem/prefetch.h"

static unsigned observe(struct prefetcher *prefetcher, const struct prefetch_access *access,
			uint64_t *lines)
{
	struct stride_entry *entry = stride_entry_of(prefetcher->state, access->pc);
	unsigned count = 0;

	struct stride_lesson lesson = stride_lesson_of(entry, access->pc, access->address);
	int64_t step = stride_step(lesson, (int64_t)prefetcher->line_bytes);

	stride_learn(entry, access->pc, access->address, lesson);
	if (!step)
		return 0;
	for (uint64_t place = 1; place <= STRIDE_PLACES_AHEAD; place++)
		count = prefetch_name_line(prefetcher, access->address,
					   access->address + place * (uint64_t)step, lines, count);
	return count;
}

CONFIG_PART(prefetch_stride) = {.name = "stride",
				.state_bytes = sizeof(struct stride_table),
				.sees_hits = true,
				.observe = observe};

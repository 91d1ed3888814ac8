#include "mem/prefetch.h"

/* The first use of a line it brought in counts as a miss would, so that a run through
 * memory, once begun, goes on ("tagged" prefetching; Smith, 1982, section 2.1). */
static unsigned observe(struct prefetcher *prefetcher, const struct prefetch_access *access,
			uint64_t *lines)
{
	if (access->hit && !access->first_use)
		return 0;
	return prefetch_name_line(prefetcher, access->address,
				  access->address + prefetcher->line_bytes, lines, 0);
}

CONFIG_PART(prefetch_next_line) = {.name = "next_line", .observe = observe};

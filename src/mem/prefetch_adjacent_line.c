#include "mem/prefetch.h"

static unsigned observe(struct prefetcher *prefetcher, const struct prefetch_access *access,
			uint64_t *lines)
{
	if (access->hit)
		return 0;
	return prefetch_name_line(prefetcher, access->address,
				  access->address ^ prefetcher->line_bytes, lines, 0);
}

CONFIG_PART(prefetch_adjacent_line) = {.name = "adjacent_line", .observe = observe};

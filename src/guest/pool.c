/* The pool: pages that several guest pages can show at once. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "guest/memory.h"

/* The host's anonymous shared memory can be mapped once more at another place (mremap of nothing),
 * which needs neither a file nor a descriptor, so the worker's jail stays as narrow as it is. */
static bool reserve(struct memory *memory)
{
	if (memory->pool)
		return true;
	void *pool = mmap(NULL, MEMORY_POOL_BYTES, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pool == MAP_FAILED)
		return false;
	memory->pool = pool;
	return true;
}

bool memory_pool_take(struct memory *memory, uint64_t bytes, uint64_t *at)
{
	uint64_t start = 0;
	size_t i = 0;

	if (bytes > MEMORY_POOL_BYTES || !reserve(memory))
		return false;
	for (; i < memory->extent_count; i++) {
		const struct pool_extent *taken = &memory->extents[i];

		if (taken->start - start >= bytes)
			break;
		start = taken->start + taken->bytes;
	}
	if (MEMORY_POOL_BYTES - start < bytes)
		return false;
	(void)ARRAY_PUSH(memory->extents, memory->extent_count, memory->extent_capacity);
	memmove(memory->extents + i + 1, memory->extents + i,
		(memory->extent_count - 1 - i) * sizeof(memory->extents[0]));
	memory->extents[i] = (struct pool_extent){start, bytes};
	*at = start;
	return true;
}

void memory_pool_free(struct memory *memory, uint64_t at, uint64_t bytes)
{
	size_t i = 0;

	while (memory->extents[i].start != at)
		BUG_ON(++i == memory->extent_count);
	memory_pool_clear(memory, at, bytes);
	memory->extent_count--;
	memmove(memory->extents + i, memory->extents + i + 1,
		(memory->extent_count - i) * sizeof(memory->extents[0]));
}

void memory_pool_clear(struct memory *memory, uint64_t at, uint64_t bytes)
{
	if (bytes && madvise(memory->pool + at, bytes, MADV_REMOVE) != 0)
		BUG("madvise: errno %d", errno);
}

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

void *mem_alloc(size_t bytes)
{
	void *block = calloc(1, bytes ? bytes : 1);

	if (!block)
		BUG("out of memory: %zu bytes", bytes);
	return block;
}

void *mem_alloc_array(size_t count, size_t item_bytes)
{
	void *block = calloc(count ? count : 1, item_bytes ? item_bytes : 1);

	if (!block)
		BUG("out of memory: %zu items of %zu bytes", count, item_bytes);
	return block;
}

void *mem_alloc_aligned(size_t count, size_t item_bytes)
{
	void *block = aligned_alloc(item_bytes, count * item_bytes);

	if (!block)
		BUG("out of memory: %zu items of %zu bytes", count, item_bytes);
	return memset(block, 0, count * item_bytes);
}

void *mem_realloc(void *block, size_t count, size_t item_bytes)
{
	block = reallocarray(block, count ? count : 1, item_bytes);
	if (!block)
		BUG("out of memory: %zu items of %zu bytes", count, item_bytes);
	return block;
}

char *mem_strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;

	return memcpy(mem_alloc(bytes), text, bytes);
}

/*
 * array.h - growing arrays, and allocation that cannot fail quietly.
 *
 * The tool's own bookkeeping is small next to the guest's memory, which has
 * limits of its own; when the host cannot give us a few bytes for it there is
 * nothing sensible left to do, so these abort with a sentence instead of
 * returning NULL. Sizes that come from outside are checked against a limit by
 * whoever read them, before they come here.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

void *mem_alloc(size_t bytes);				/* zeroed */
void *mem_alloc_array(size_t count, size_t item_bytes); /* zeroed; overflow aborts */
/* The same, aligned to the size of an item, which is a power of two. */
void *mem_alloc_aligned(size_t count, size_t item_bytes);
void *mem_realloc(void *block, size_t count, size_t item_bytes);
char *mem_strdup(const char *text);

/* Makes room for one more item behind `count` and returns a pointer to it:
 *   *ARRAY_PUSH(list->items, list->count, list->capacity) = item; */
#define ARRAY_PUSH(items, count, capacity)                                                       \
	(((count) == (capacity) ? ((capacity) = (capacity) ? 2 * (capacity) : 8,                 \
				   (items) = mem_realloc((items), (capacity), sizeof(*(items)))) \
				: (items)),                                                      \
	 (items) + (count)++)

#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif

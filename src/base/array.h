/*
 * array.h - growing arrays, and allocation that ends the process where it fails.
 *
 * The simulator's own data is small next to the guest's memory, which has a
 * limit of its own. Without it a simulation cannot continue, so these functions
 * write a sentence to standard error and end the process with status 125 instead
 * of returning NULL; in a worker the parent then says what happened. A caller checks a size that
 * comes from outside against a limit before it allocates.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

void *mem_alloc(size_t bytes);				/* zeroed */
void *mem_alloc_array(size_t count, size_t item_bytes); /* zeroed; overflow aborts */
/* The same, aligned to the size of an item, which is a power of two. */
void *mem_alloc_aligned(size_t count, size_t item_bytes);
void *mem_realloc(void *block, size_t count, size_t item_bytes);
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t most);
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *mem_vformat(const char *format, va_list list);
/* A stream into memory, and its end, after which the text is whole; it is the caller's to free. */
FILE *mem_stream_open(char **text, size_t *bytes);
void mem_stream_close(FILE *stream);

/* Extends the array by one item and returns a pointer to it:
 *   *ARRAY_PUSH(list->items, list->count, list->capacity) = item; */
#define ARRAY_PUSH(items, count, capacity)                                                       \
	(((count) == (capacity) ? ((capacity) = (capacity) ? 2 * (capacity) : 8,                 \
				   (items) = mem_realloc((items), (capacity), sizeof(*(items)))) \
				: (items)),                                                      \
	 (items) + (count)++)

#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif

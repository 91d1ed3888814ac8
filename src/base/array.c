#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_TOOL 125

/* No defect, so no abort: the sentence, written without allocating, and the status of a run that
 * the tool could not do. */
static _Noreturn void fail(size_t count, size_t item_bytes)
{
	char text[128];
	int bytes =
		snprintf(text, sizeof(text),
			 "cyclestack: out of memory: %zu items of %zu bytes are not to be had\n",
			 count, item_bytes);

	(void)!write(STDERR_FILENO, text, (size_t)bytes);
	_exit(STATUS_TOOL);
}

void *mem_alloc(size_t bytes)
{
	void *block = calloc(1, bytes ? bytes : 1);

	if (!block)
		fail(1, bytes);
	return block;
}

void *mem_alloc_array(size_t count, size_t item_bytes)
{
	void *block = calloc(count ? count : 1, item_bytes ? item_bytes : 1);

	if (!block)
		fail(count, item_bytes);
	return block;
}

void *mem_alloc_aligned(size_t count, size_t item_bytes)
{
	void *block = count > SIZE_MAX / item_bytes ? NULL
						    : aligned_alloc(item_bytes, count * item_bytes);

	if (!block)
		fail(count, item_bytes);
	return memset(block, 0, count * item_bytes);
}

void *mem_realloc(void *block, size_t count, size_t item_bytes)
{
	block = reallocarray(block, count ? count : 1, item_bytes);
	if (!block)
		fail(count, item_bytes);
	return block;
}

char *mem_strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;

	return memcpy(mem_alloc(bytes), text, bytes);
}

char *mem_strndup(const char *text, size_t most)
{
	size_t bytes = strnlen(text, most);

	return memcpy(mem_alloc(bytes + 1), text, bytes);
}

char *mem_vformat(const char *format, va_list list)
{
	char *text;

	if (vasprintf(&text, format, list) < 0)
		fail(1, strlen(format));
	return text;
}

char *mem_format(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	char *text = mem_vformat(format, list);
	va_end(list);
	return text;
}

FILE *mem_stream_open(char **text, size_t *bytes)
{
	FILE *stream = open_memstream(text, bytes);

	if (!stream)
		fail(1, BUFSIZ);
	return stream;
}

void mem_stream_close(FILE *stream)
{
	const bool is_bad = ferror(stream);

	if (fclose(stream) != 0 || is_bad)
		fail(1, BUFSIZ);
}

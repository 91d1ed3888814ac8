#include "base/bytes.h"

#include <string.h>

#include "base/array.h"

uint8_t *bytes_room(struct bytes *to, size_t count)
{
	if (to->capacity - to->count < count) {
		to->capacity = 2 * to->capacity + count + 4096;
		to->bytes = mem_realloc(to->bytes, to->capacity, 1);
	}
	return to->bytes + to->count;
}

void bytes_put(struct bytes *to, const void *bytes, size_t count)
{
	if (!count)
		return; /* an empty block has no bytes at all */
	memcpy(bytes_room(to, count), bytes, count);
	to->count += count;
}

void bytes_put_number(struct bytes *to, uint64_t value, unsigned count)
{
	bytes_store(bytes_room(to, count), value, count);
	to->count += count;
}

void bytes_put_leb128(struct bytes *to, uint64_t value)
{
	to->count += bytes_store_leb128(bytes_room(to, LEB128_BYTES_MOST), value);
}

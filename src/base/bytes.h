/*
 * bytes.h - numbers as bytes of files and packets: little endian, or LEB128 (7 bits a byte, the
 * lowest first, bit 7 set in all but the last). Alignment and the host's byte order do not matter.
 *
 * `struct bytes` is a block that grows as numbers are put behind its end.
 *
 * A reader is a position in a block of untrusted bytes and a flag. Every read either lies wholly
 * within the block and moves the position on, or returns 0 and sets `bad`; once bad, a reader stays
 * bad and does not move. So a parser may read a whole header and check the flag once, as long as it
 * loops on nothing but a good reader.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEB128_BYTES_MOST 10

/* A number of 1 to 8 bytes. */
static inline uint64_t bytes_load(const uint8_t *at, unsigned count)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < count; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static inline void bytes_store(uint8_t *at, uint64_t value, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

/* Returns how many bytes it has taken. */
static inline size_t bytes_store_leb128(uint8_t at[LEB128_BYTES_MOST], uint64_t value)
{
	size_t count = 0;

	for (; value >= 0x80; value >>= 7)
		at[count++] = (uint8_t)(value | 0x80);
	at[count++] = (uint8_t)value;
	return count;
}

/* A difference as a number that is small if it is near 0, of either sign; and the difference. */
static inline uint64_t bytes_fold(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t bytes_unfold(uint64_t number)
{
	return number >> 1 ^ (0 - (number & 1));
}

struct bytes {
	uint8_t *bytes; /* to be freed by who owns the block */
	size_t count, capacity;
};

/* Room for more bytes behind the end; `count` stays. */
uint8_t *bytes_room(struct bytes *to, size_t count);
void bytes_put(struct bytes *to, const void *bytes, size_t count);
void bytes_put_number(struct bytes *to, uint64_t value, unsigned count);
void bytes_put_leb128(struct bytes *to, uint64_t value);

struct reader {
	const uint8_t *bytes; /* not owned */
	size_t size;
	size_t at; /* at <= size */
	bool bad;
};

/* Is [offset, offset + length) within a block of `size` bytes? */
static inline bool reader_fits(uint64_t offset, uint64_t length, uint64_t size)
{
	return offset <= size && length <= size - offset;
}

static inline struct reader reader_of(const uint8_t *bytes, size_t size)
{
	return (struct reader){.bytes = bytes, .size = size};
}

static inline size_t reader_left(const struct reader *reader)
{
	return reader->bad ? 0 : reader->size - reader->at;
}

/* Have all bytes been read, and none that was not there? */
static inline bool reader_is_done(const struct reader *reader)
{
	return !reader->bad && reader->at == reader->size;
}

/* The next `length` bytes, which the reader moves past; NULL if there are fewer. */
static inline const uint8_t *reader_take(struct reader *reader, uint64_t length)
{
	if (reader->bad || length > reader->size - reader->at) {
		reader->bad = true;
		return NULL;
	}
	const uint8_t *taken = reader->bytes + reader->at;
	reader->at += (size_t)length;
	return taken;
}

/* A number of 1 to 8 bytes. */
static inline uint64_t reader_number(struct reader *reader, unsigned length)
{
	const uint8_t *taken = reader_take(reader, length);

	return taken ? bytes_load(taken, length) : 0;
}

static inline uint8_t reader_u8(struct reader *reader)
{
	return (uint8_t)reader_number(reader, 1);
}

static inline uint16_t reader_u16(struct reader *reader)
{
	return (uint16_t)reader_number(reader, 2);
}

static inline uint32_t reader_u32(struct reader *reader)
{
	return (uint32_t)reader_number(reader, 4);
}

static inline uint64_t reader_u64(struct reader *reader)
{
	return reader_number(reader, 8);
}

/* A number as bytes_store_leb128 writes it: bits beyond the 64th and a needless last byte are
 * bad. */
static inline uint64_t reader_leb128(struct reader *reader)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && reader_left(reader); shift += 7) {
		const uint8_t byte = reader->bytes[reader->at++];

		if ((shift == 63 && byte > 1) || (shift && !byte))
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	reader->bad = true;
	return 0;
}

#endif

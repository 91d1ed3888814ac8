/*
 * reader.h - little-endian numbers from untrusted bytes.
 *
 * A reader is a position in a block of bytes and a flag. Every read either lies
 * wholly within the block and moves the position on, or returns 0 and sets
 * `bad`; once bad, a reader stays bad and does not move. So a parser may read a
 * whole header and check the flag once, as long as it loops on nothing but a
 * good reader. Alignment and the host's byte order do not matter.
 */
#ifndef IMAGE_READER_H
#define IMAGE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
	uint64_t value = 0;

	for (unsigned i = 0; taken && i < length; i++)
		value |= (uint64_t)taken[i] << (8 * i);
	return value;
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

/* LEB128, as DWARF writes numbers. Bits beyond the 64th are dropped. */
static inline uint64_t reader_uleb(struct reader *reader)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = reader_u8(reader);
		if (shift < 64) {
			value |= (uint64_t)(byte & 0x7f) << shift;
			shift += 7;
		}
	} while (byte & 0x80);
	return reader->bad ? 0 : value;
}

static inline int64_t reader_sleb(struct reader *reader)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = reader_u8(reader);
		if (shift < 64) {
			value |= (uint64_t)(byte & 0x7f) << shift;
			shift += 7;
		}
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		value |= ~UINT64_C(0) << shift;
	return reader->bad ? 0 : (int64_t)value;
}

/* A string that ends in NUL within the block, which the reader moves past; *length is without
 * the NUL. NULL if there is no NUL. */
static inline const uint8_t *reader_string(struct reader *reader, size_t *length)
{
	const uint8_t *text = reader->bytes + reader->at;
	const uint8_t *nul = reader->bad || reader->at == reader->size
				     ? NULL
				     : memchr(text, 0, reader->size - reader->at);

	*length = 0;
	if (!nul) {
		reader->bad = true;
		return NULL;
	}
	*length = (size_t)(nul - text);
	reader->at += *length + 1;
	return text;
}

#endif

/*
 * cycles_fields.h - items of recorded cycles as lists of fields, and their coding: a number whose
 * bits say which fields differ from those of another item, then these differences.
 *
 * Fields that change often are first, so that the number is short. A number takes a byte for each 7
 * bits.
 */
#ifndef TRACE_CYCLES_FIELDS_H
#define TRACE_CYCLES_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct cycles_field {
	uint16_t offset, bytes;
	uint64_t most; /* the largest value that makes sense */
};

struct cycles_item {
	const struct cycles_field *fields;
	unsigned count; /* at most 64 */
};

extern const struct cycles_item cycles_record_item, cycles_event_item, cycles_pc_item,
	cycles_retired_item, cycles_waits_item;

/* Bytes that an item can take at most: its number and its fields. */
#define CYCLES_ITEM_BYTES (LEB128_BYTES_MOST * 65)

/* Writes the item and makes `before` equal to it. Returns the number of bytes. */
size_t cycles_item_write(const struct cycles_item *item, uint8_t bytes[CYCLES_ITEM_BYTES],
			 const void *value, void *before);

/* Makes `before` the item that was written. False if the bytes are no such item. */
bool cycles_item_read(const struct cycles_item *item, struct reader *reader, void *before);

#endif

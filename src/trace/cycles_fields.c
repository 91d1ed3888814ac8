#include "trace/cycles_fields.h"

#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "isa/insn.h"
#include "signal/cycle.h"

#define SIZE_OF(type, field) sizeof(((type *)0)->field)
#define UP_TO(type, field, most)                                              \
	{                                                                     \
		offsetof(type, field), (uint16_t)SIZE_OF(type, field), (most) \
	}
#define WHOLE(type, field) UP_TO(type, field, UINT64_MAX >> (64 - 8 * SIZE_OF(type, field)))
#define ITEM(fields)                          \
	{                                     \
		(fields), ARRAY_COUNT(fields) \
	}

#define C(field) WHOLE(struct cycle, field)
static const struct cycles_field record_fields[] = {
	C(buffer_used),
	C(iq_used),
	C(rob_used),
	C(event_count),
	C(issued),
	C(fetch_pc),
	C(fetched),
	C(fed),
	C(dispatched),
	C(committed),
	UP_TO(struct cycle, head_state, HEAD_MSHR),
	C(head_pc),
	UP_TO(struct cycle, dispatch_stall, DISPATCH_BRANCHES),
	UP_TO(struct cycle, fetch_stall, FETCH_DONE),
	C(lsq_used),
	C(store_buffer_used),
	C(useful_fetched),
	C(useful_dispatched),
	C(useful_issued),
	UP_TO(struct cycle, wrong_path, 1),
	C(repeat),
	C(front_waits),
	UP_TO(struct cycle, is_fronted, 1),
	UP_TO(struct cycle, head_late, LATE_STORE_MSHR),
	C(squashed),
	C(again_dispatched),
	UP_TO(struct cycle, excess, 15),
	C(width),
	C(thread),
	C(number),
};
#undef C

#define E(field) WHOLE(struct cycle_event, field)
static const struct cycles_field event_fields[] = {
	E(detail),
	E(pc),
	UP_TO(struct cycle_event, insn_class, CLASS_COUNT - 1),
	E(amount),
	UP_TO(struct cycle_event, wrong_path, 1),
	UP_TO(struct cycle_event, mispredicted, 1),
	UP_TO(struct cycle_event, again, 1),
};
#undef E

static const struct cycles_field pc_fields[] = {{0, sizeof(uint64_t), UINT64_MAX}};

#define R(field) WHOLE(struct cycle_retired, field)
static const struct cycles_field retired_fields[] = {
	R(pc),
	R(address),
	R(marks),
	R(tags),
	UP_TO(struct cycle_retired, has_waits, 1),
	UP_TO(struct cycle_retired, rd, REG_COUNT - 1),
	UP_TO(struct cycle_retired, rs[0], REG_COUNT - 1),
	UP_TO(struct cycle_retired, rs[1], REG_COUNT - 1),
	UP_TO(struct cycle_retired, rs[2], REG_COUNT - 1),
	UP_TO(struct cycle_retired, unit, UNIT_COUNT - 1),
	R(bytes),
	R(accessed),
};
#undef R

#define W(field) WHOLE(struct cycle_waits, field)
static const struct cycles_field waits_fields[] = {
	W(data[0]),	  W(data[1]),	   W(data[2]),	  W(data[3]),	  W(data_walk),
	W(data_queue),	  W(fetch[0]),	   W(fetch[1]),	  W(fetch[2]),	  W(fetch[3]),
	W(fetch_walk),	  W(fetch_queue),  W(store[0]),	  W(store[1]),	  W(store[2]),
	W(store[3]),	  W(store[4]),	   W(store_walk), W(store_queue), W(unit),
	W(fetch_brought), W(data_brought),
};
_Static_assert(sizeof(waits_fields) / sizeof(waits_fields[0]) ==
		       sizeof(struct cycle_waits) / sizeof(uint32_t),
	       "every field is kept");
#undef W

const struct cycles_item cycles_record_item = ITEM(record_fields),
			 cycles_event_item = ITEM(event_fields), cycles_pc_item = ITEM(pc_fields),
			 cycles_retired_item = ITEM(retired_fields),
			 cycles_waits_item = ITEM(waits_fields);

static uint64_t get(const void *item, const struct cycles_field *field)
{
	const uint8_t *at = (const uint8_t *)item + field->offset;
	uint64_t value = 0;

	switch (field->bytes) {
	case 1: return *at;
	case 2: memcpy(&value, at, 2); return value;
	case 4: memcpy(&value, at, 4); return value;
	default: memcpy(&value, at, 8); return value;
	}
}

static void set(void *item, const struct cycles_field *field, uint64_t value)
{
	memcpy((uint8_t *)item + field->offset, &value, field->bytes);
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "fields are copied by their low bytes");

size_t cycles_item_write(const struct cycles_item *item, uint8_t bytes[CYCLES_ITEM_BYTES],
			 const void *value, void *before)
{
	uint64_t differences[64], which = 0;

	for (unsigned i = 0; i < item->count; i++) {
		const uint64_t now = get(value, &item->fields[i]);
		const uint64_t difference = now - get(before, &item->fields[i]);

		differences[i] = bytes_fold(difference);
		if (difference) {
			which |= UINT64_C(1) << i;
			set(before, &item->fields[i], now);
		}
	}
	size_t count = bytes_store_leb128(bytes, which);
	for (; which; which &= which - 1)
		count += bytes_store_leb128(bytes + count, differences[__builtin_ctzll(which)]);
	return count;
}

bool cycles_item_read(const struct cycles_item *item, struct reader *reader, void *before)
{
	uint64_t which = reader_leb128(reader);

	if (item->count < 64 && which >> item->count)
		return false;
	for (; which; which &= which - 1) {
		const struct cycles_field *field = &item->fields[__builtin_ctzll(which)];
		const uint64_t coded = reader_leb128(reader);
		const uint64_t value = get(before, field) + bytes_unfold(coded);

		if (reader->bad || value > field->most)
			return false;
		set(before, field, value);
	}
	return !reader->bad;
}

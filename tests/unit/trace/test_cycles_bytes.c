/* Recorded cycles as bytes, worked out on paper, and every sentence about bytes that are not. */
#include "../test.h"
#include "base/array.h"
#include "base/crc32.h"
#include "isa/insn.h"
#include "trace/cycles.h"
#include "trace/cycles_fields.h"

struct file {
	uint8_t bytes[600];
	size_t count;
};

static void put(struct file *file, const void *bytes, size_t count)
{
	assert_true(file->count + count <= sizeof(file->bytes));
	memcpy(file->bytes + file->count, bytes, count);
	file->count += count;
}

static void take(void *context, const void *bytes, size_t size)
{
	put(context, bytes, size);
}

static void number(struct file *file, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		uint8_t byte = (uint8_t)(value >> 8 * i);

		put(file, &byte, 1);
	}
}

static void check_value(struct file *file, size_t from)
{
	number(file, crc32_add(0, file->bytes + from, file->count - from), 4);
}

static void header(struct file *file, const char *description)
{
	put(file, "CYCYCLE1", 8);
	number(file, strlen(description), 4);
	put(file, description, strlen(description));
	check_value(file, 0);
}

static void frame(struct file *file, const char *magic, uint32_t records, uint64_t first,
		  const void *bytes, size_t count)
{
	size_t start = file->count;

	put(file, magic, 4);
	number(file, records, 4);
	number(file, count, 4);
	number(file, first, 8);
	number(file, crc32_add(crc32_add(0, file->bytes + start, 20), bytes, count), 4);
	put(file, bytes, count);
}

static void trailer(struct file *file, uint64_t frames, uint64_t records, uint64_t cycles)
{
	size_t start = file->count;

	put(file, "CEND", 4);
	number(file, frames, 8);
	number(file, records, 8);
	number(file, cycles, 8);
	check_value(file, start);
}

/* Fields that differ as bits, then twice each difference, or 1 less than twice it below 0. */
#define FIRST                                                                                      \
	/* Record 0: 2 events, 1 commits, 1 useful dispatched. */                                  \
	"\x88\x84\x08\x04\x02\x02" /* Fetched in slot 1, which is the next: pc 4 + 0x100, class 3. \
				    */                                                             \
	"\x09\x06\x80\x04\x06"	   /* Dispatched in slot 1: all as that instruction has it. */     \
	"\x0a\x00"		   /* The useful pc: 4 + 0x100. */                                 \
	"\x01\x80\x04"		   /* Retired at 0x200: has waits, rd 5, 4 bytes; waits: 7. */     \
	"\x01\x80\x08\xb0\x08\x02\x0a\x08\x01\x0e"
#define SECOND                                                           \
	/* Record 1, three cycles: ROB 9, nothing of what was before. */ \
	"\x8c\x84\x48\x12\x03\x01\x01\x04"
#define THIRD                                                                                    \
	/* Record 2 at cycle 4: 2 events, 2 commit, 2 useful. */                                 \
	"\x88\x84\x08\x04\x04\x04" /* Fetched in slot 513, not 2; 4 bytes on, of the same class. \
				    */                                                           \
	"\x89\x01\xfe\x07\x00"	   /* Issued in slot 1, where 513 is, too: its pc; amount 5. */  \
	"\x0b\x08\x0a"		   /* Useful pcs: 4 on, and 8 on. */                             \
	"\x00\x01\x08" /* Retired: the next, of 2 bytes; then at 0xa00, as that at 0x200,        \
			* but rd 6; waits as before, but 1 for the unit. */                      \
	"\x00\x80\x08\x04"                                                                       \
	"\x01\xf4\x1f\x20\x02\x80\x80\x20\x02"
/* A frame by itself: 1 commits, number 5. */
#define PLAIN "\x80\x84\x80\x80\x02\x02\x0a"

static void add_records(struct cycles_writer *writer)
{
	const struct cycle_event first[] = {
		{.kind = EVENT_FETCH, .slot = 1, .pc = 0x104, .insn_class = 3},
		{.kind = EVENT_DISPATCH, .slot = 1, .pc = 0x104, .insn_class = 3}};
	const struct cycle_event third[] = {
		{.kind = EVENT_FETCH, .slot = 513, .pc = 0x108, .insn_class = 3},
		{.kind = EVENT_ISSUE, .slot = 1, .pc = 0x108, .insn_class = 3, .amount = 5}};
	const uint64_t first_pcs[] = {0x104}, third_pcs[] = {0x108, 0x110};
	const struct cycle_retired first_retired[] = {
		{.pc = 0x200, .bytes = 4, .rd = 5, .has_waits = 1}};
	const struct cycle_retired third_retired[] = {
		{.pc = 0x204, .bytes = 2}, {.pc = 0xa00, .bytes = 4, .rd = 6, .has_waits = 1}};
	const struct cycle_waits first_waits = {.data = {7}},
				 third_waits = {.data = {7}, .unit = 1};
	const struct cycle records[] = {
		{.repeat = 1,
		 .event_count = 2,
		 .committed = 1,
		 .useful_dispatched = 1,
		 .events = first,
		 .useful_pcs = first_pcs,
		 .retired = first_retired,
		 .waits = &first_waits},
		{.number = 1, .repeat = 3, .rob_used = 9},
		{.number = 4,
		 .repeat = 1,
		 .rob_used = 9,
		 .event_count = 2,
		 .committed = 2,
		 .useful_dispatched = 2,
		 .events = third,
		 .useful_pcs = third_pcs,
		 .retired = third_retired,
		 .waits = &third_waits},
		{.number = 5, .repeat = 1, .committed = 1},
	};

	for (size_t i = 0; i < ARRAY_COUNT(records); i++)
		cycles_writer_add(writer, &records[i]);
}

/* Bytes of a file with one record, of the first `count` events. */
static size_t bytes_of(const struct cycle_event *events, uint32_t count)
{
	struct file made = {.count = 0};
	struct cycles_writer *writer = cycles_writer_create("{}", take, &made);

	cycles_writer_add(writer,
			  &(struct cycle){.repeat = 1, .event_count = count, .events = events});
	cycles_writer_finish(writer);
	cycles_writer_destroy(writer);
	return made.count;
}

/* What an event has from the instruction in its slot takes no bytes: its class, and its path. */
TEST(what_follows_from_the_slot_is_not_written)
{
	for (unsigned wrong = 0; wrong < 2; wrong++) {
		struct cycle_event events[] = {
			{.kind = EVENT_FETCH, .slot = 1, .pc = 0x104, .insn_class = 3},
			{.kind = EVENT_DISPATCH, .slot = 1, .pc = 0x104, .insn_class = 3}};

		events[0].wrong_path = events[1].wrong_path = wrong;
		assert_int_equal(bytes_of(events, 2) - bytes_of(events, 1), 2);
	}
}

TEST(bytes_are_those_on_paper)
{
	static const char records[] = FIRST SECOND THIRD;
	struct file made = {.count = 0}, want = {.count = 0};
	struct cycles_writer *writer = cycles_writer_create("{\"a\":2}", take, &made);

	add_records(writer);
	cycles_writer_finish(writer);
	cycles_writer_destroy(writer);
	cycles_writer_destroy(NULL);
	header(&want, "{\"a\":2}");
	frame(&want, "CFRM", 3, 0, records, sizeof(records) - 1);
	frame(&want, "CFRP", 1, 3, PLAIN, sizeof(PLAIN) - 1);
	trailer(&want, 2, 4, 6);
	assert_int_equal(made.count, want.count);
	assert_memory_equal(made.bytes, want.bytes, want.count);

	struct err err;
	struct cycles_totals totals;
	size_t bytes;
	struct cycles_reader *reader = cycles_reader_open(want.bytes, want.count, "f", &err);
	assert_non_null(reader);
	assert_memory_equal(cycles_reader_description(reader, &bytes), "{\"a\":2}", 7);
	assert_int_equal(bytes, 7);
	assert_true(cycles_reader_totals(reader, &totals, &err));
	assert_int_equal(totals.frames, 2);
	assert_int_equal(totals.records, 4);
	assert_int_equal(totals.cycles, 6);
	assert_int_equal(totals.bytes, want.count);
	const struct cycle *c;
	const uint64_t numbers[] = {0, 1, 4, 5};
	const uint32_t waits[] = {1, 0, 1, 0};
	const uint32_t kinds[] = {0x600, 0, 0xa00, 0};
	for (unsigned i = 0; i < 4; i++) {
		assert_true(cycles_reader_next(reader, &c, &err));
		assert_int_equal(c->number, numbers[i]);
		assert_int_equal(c->wait_count, waits[i]);
		assert_int_equal(c->event_kinds, kinds[i]);
		assert_int_equal(!c->retired, i == 3);
		assert_int_equal(!c->waits, i == 3);
	}
	assert_true(cycles_reader_next(reader, &c, &err));
	assert_null(c);
	/* The end stays the end. */
	assert_true(cycles_reader_next(reader, &c, &err));
	assert_null(c);
	cycles_reader_close(reader);
	cycles_reader_close(NULL);
}

/* Reads all in memory that ends where the file ends. */
static void assert_read(const struct file *file, size_t size, const char *sentence)
{
	uint8_t *copy = malloc(size ? size : 1);
	const struct cycle *c = NULL;
	struct err err = {.text = ""};
	bool ok = true;

	memcpy(copy, file->bytes, size);
	struct cycles_reader *reader = cycles_reader_open(copy, size, "f", &err);
	while (reader && (ok = cycles_reader_next(reader, &c, &err)) && c)
		;
	assert_string_equal(err.text, sentence);
	assert_int_equal(reader && ok, !*sentence);
	cycles_reader_close(reader);
	free(copy);
}

#define AGAIN "; record the cycles again"

TEST(headers)
{
	struct file file = {.count = 0};

	header(&file, "");
	assert_int_equal(file.count, 16);
	trailer(&file, 0, 0, 0);
	assert_true(cycles_is_file(file.bytes, 8));
	assert_false(cycles_is_file(file.bytes, 7));
	assert_read(&file, 48, "");
	assert_read(&file, 7,
		    "f: at byte 0 there are no recorded cycles (run --record-cycles)" AGAIN);
	assert_read(&file, 8, "f: at byte 8 the header is damaged" AGAIN);
	assert_read(&file, 12, "f: at byte 8 the header is damaged" AGAIN);
	assert_read(&file, 15, "f: at byte 8 the header is damaged" AGAIN);
	assert_read(&file, 16,
		    "f: at byte 16 there is neither a frame nor the end of the file" AGAIN);
	assert_read(&file, 47,
		    "f: at byte 16 there is neither a frame nor the end of the file" AGAIN);
	struct cycles_totals totals;
	struct err err;
	struct cycles_reader *reader = cycles_reader_open(file.bytes, 48, "f", &err);
	assert_true(cycles_reader_totals(reader, &totals, &err));
	assert_int_equal(totals.bytes, 48);
	cycles_reader_close(reader);
	reader = cycles_reader_open(file.bytes, 47, "f", &err);
	assert_false(cycles_reader_totals(reader, &totals, &err));
	assert_string_equal(err.text, "f: at byte 47 the file ends too early" AGAIN);
	cycles_reader_close(reader);
	file.bytes[7] = '2';
	assert_read(&file, 48,
		    "f: at byte 0 there are no recorded cycles (run --record-cycles)" AGAIN);
}

TEST(frames_and_trailers)
{
	static const char gone[] = "f: at byte 16 a frame is damaged" AGAIN;
	static const char other[] = "f: at byte 41 the trailer tells of other frames" AGAIN;
	static const struct {
		const char *magic;
		uint32_t records;
		uint64_t first, told[3];
		const char *sentence;
	} cases[] = {
		{"CFRM", 1, 0, {1, 1, 1}, ""},
		{"CFRP", 1, 0, {1, 1, 1}, ""},
		{"CFRQ",
		 1,
		 0,
		 {1, 1, 1},
		 "f: at byte 16 there is neither a frame nor the end of the file" AGAIN},
		{"CFRM", 0, 0, {1, 0, 0}, gone},
		{"CFRM", 16385, 0, {1, 0, 0}, gone},
		{"CFRM", 16384, 0, {1, 0, 0}, "f: at byte 41 a record is damaged" AGAIN},
		{"CFRM", 1, 1, {1, 1, 1}, gone},
		{"CFRM", 2, 0, {1, 1, 1}, "f: at byte 41 a record is damaged" AGAIN},
		{"CFRM", 1, 0, {2, 1, 1}, other},
		{"CFRM", 1, 0, {1, 2, 1}, other},
		{"CFRM", 1, 0, {1, 1, 2}, other},
		{"CFRM", 1, 0, {0, 1, 1}, other},
	};

	/* A record in which nothing is new is one byte. */
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct file file = {.count = 0};

		header(&file, "");
		frame(&file, cases[i].magic, cases[i].records, cases[i].first, "\x00", 1);
		trailer(&file, cases[i].told[0], cases[i].told[1], cases[i].told[2]);
		assert_read(&file, file.count, cases[i].sentence);
	}
	/* A frame that has one byte more than the file, and one that fills it. */
	struct file file = {.count = 0};
	header(&file, "");
	frame(&file, "CFRM", 1, 0, "\x00", 1);
	assert_read(&file, file.count - 1, gone);
	assert_read(&file, file.count,
		    "f: at byte 41 there is neither a frame nor the end of the file" AGAIN);
	assert_read(&file, 16 + 23,
		    "f: at byte 16 there is neither a frame nor the end of the file" AGAIN);
	/* Something after the trailer. */
	trailer(&file, 1, 1, 1);
	put(&file, "", 1);
	assert_read(&file, file.count,
		    "f: at byte 41 there is neither a frame nor the end of the file" AGAIN);
}

TEST(records)
{
	static const struct {
		const char *bytes;
		size_t count;
		int damaged_at; /* of the frame's bytes; -1: goes on after its records; -2: sound */
	} cases[] = {
#define BYTES(bytes) bytes, sizeof(bytes) - 1
		{BYTES(FIRST), -2},
		{BYTES(FIRST "\x00"), -1},
		/* The record ends before its fields, its events, its pcs, what retires, its waits.
		 */
		{BYTES("\x88\x84\x08\x04\x02"), 5},
		{BYTES("\x88\x84\x08\x04\x02\x02"), 6},
		{BYTES("\x88\x84\x08\x04\x02\x02\x09\x06\x80\x04"), 10},
		{BYTES("\x88\x84\x08\x04\x02\x02\x09\x00\x0a"), 9},
		{BYTES("\x88\x84\x08\x04\x02\x02\x09\x00\x0a\x00"), 10},
		{BYTES("\x88\x84\x08\x04\x02\x02\x09\x00\x0a\x00\x00"), 11},
		{BYTES("\x88\x84\x08\x04\x02\x02\x09\x00\x0a\x00\x00\x00\x00"), -2},
		{BYTES("\x88\x84\x08\x04\x02\x02\x09\x00\x0a\x00\x00\x00"), 12},
		{BYTES("\x88\x84\x08\x04\x02\x02\x09\x00\x0a\x00\x00\x00\x10\x02"), 14},
		{BYTES("\x88\x84\x08\x04\x02\x02\x09\x00\x0a\x00\x00\x00\x10\x02\x00"), -2},
		/* More events than there can be bytes, and as many as there are: of kind 0. */
		{BYTES("\x08\x06\x00\x00"), 2},
		{BYTES("\x08\x04\x00\x00\x00\x00"), -2},
		/* The last kind of events, and one beyond; slot 2^32 - 1 after 0, and 2^32. */
		{BYTES("\x08\x02\x12\x00"), -2},
		{BYTES("\x08\x02\x13\x00"), 3},
		{BYTES("\x08\x02\x80\x01\xfc\xff\xff\xff\x1f\x00"), -2},
		{BYTES("\x08\x02\x80\x01\xfe\xff\xff\xff\x1f\x00"), 9},
		/* Repeated 0 times, INT64_MAX / 2 times and once more: bit 20. */
		{BYTES("\x80\x80\x40\x01"), 4},
		{BYTES("\x80\x80\x40\xfc\xff\xff\xff\xff\xff\xff\xff\x7f"), -2},
		{BYTES("\x80\x80\x40\xfe\xff\xff\xff\xff\xff\xff\xff\x7f"), 12},
		/* Bit 29 is the last field. */
		{BYTES("\x80\x80\x80\x80\x02\x00"), -2},
		{BYTES("\x80\x80\x80\x80\x04\x00"), 5},
		/* Values: head_state (10) up to 10, 16 bits up to 65535, never below 0. */
		{BYTES("\x80\x08\x14"), -2},
		{BYTES("\x80\x08\x16"), 3},
		{BYTES("\x01\xfe\xff\x07"), -2},
		{BYTES("\x01\x80\x80\x08"), 4},
		{BYTES("\x01\x01"), 2},
		/* Numbers of 64 bits and of 65. */
		{BYTES("\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), -2},
		{BYTES("\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), 11},
		{BYTES("\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81"), 11},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct file file = {.count = 0};
		char sentence[200] = "";
		uint64_t repeat = i == 19 ? INT64_MAX / 2 : 1;

		header(&file, "");
		frame(&file, "CFRM", 1, 0, cases[i].bytes, cases[i].count);
		trailer(&file, 1, 1, repeat);
		if (cases[i].damaged_at >= 0)
			snprintf(sentence, sizeof(sentence),
				 "f: at byte %d a record is damaged" AGAIN,
				 40 + cases[i].damaged_at);
		else if (cases[i].damaged_at == -1)
			snprintf(sentence, sizeof(sentence),
				 "f: at byte %zu a frame goes on after its records" AGAIN,
				 40 + cases[i].count - 1);
		assert_read(&file, file.count, sentence);
	}
}

/* The largest value of each field that has fewer than its bytes could hold. */
TEST(fields_have_limits)
{
	static const struct {
		const struct cycles_item *item;
		unsigned count, field;
		uint64_t most;
	} cases[] = {
		{&cycles_record_item, 30, 10, HEAD_MSHR},
		{&cycles_record_item, 30, 12, DISPATCH_BRANCHES},
		{&cycles_record_item, 30, 13, FETCH_DONE},
		{&cycles_record_item, 30, 19, 1},
		{&cycles_record_item, 30, 22, 1},
		{&cycles_record_item, 30, 23, LATE_STORE_MSHR},
		{&cycles_record_item, 30, 26, 15},
		{&cycles_record_item, 30, 28, UINT32_MAX},
		{&cycles_record_item, 30, 0, UINT16_MAX},
		{&cycles_event_item, 7, 0, UINT16_MAX},
		{&cycles_event_item, 7, 2, CLASS_RETURN},
		{&cycles_event_item, 7, 3, UINT32_MAX},
		{&cycles_event_item, 7, 4, 1},
		{&cycles_event_item, 7, 5, 1},
		{&cycles_event_item, 7, 6, 1},
		{&cycles_retired_item, 12, 4, 1},
		{&cycles_retired_item, 12, 5, 64},
		{&cycles_retired_item, 12, 6, 64},
		{&cycles_retired_item, 12, 7, 64},
		{&cycles_retired_item, 12, 8, 64},
		{&cycles_retired_item, 12, 9, UNIT_SYSTEM},
		{&cycles_retired_item, 12, 10, 255},
		{&cycles_retired_item, 12, 11, 255},
		{&cycles_waits_item, 22, 21, UINT32_MAX},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		for (unsigned beyond = 0; beyond < 2; beyond++) {
			const uint64_t numbers[] = {UINT64_C(1) << cases[i].field,
						    2 * (cases[i].most + beyond)};
			uint8_t bytes[20], *at = bytes;
			union {
				struct cycle cycle;
				struct cycle_retired retired;
				struct cycle_waits waits;
				struct cycle_event event;
			} item;

			assert_int_equal(cases[i].item->count, cases[i].count);
			memset(&item, 0, sizeof(item));
			for (unsigned k = 0; k < 2; k++) {
				uint64_t value = numbers[k];

				for (; value >= 128; value /= 128)
					*at++ = (uint8_t)(value % 128 + 128);
				*at++ = (uint8_t)value;
			}
			struct reader left = reader_of(bytes, (size_t)(at - bytes));
			assert_int_equal(cycles_item_read(cases[i].item, &left, &item), !beyond);
			assert_int_equal(left.at, left.size);
		}
}

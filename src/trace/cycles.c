#include "trace/cycles.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/crc32.h"
#include "trace/cycles_fields.h"

#define MAGIC_FRAME	 "CFRM"
#define MAGIC_PLAIN	 "CFRP" /* a frame whose records do not list what retires */
#define MAGIC_TRAILER	 "CEND"
#define HEADER_BYTES	 12 /* before the description */
#define FRAME_FIELDS	 20 /* before the check value */
#define FRAME_BYTES	 24
#define TRAILER_FIELDS	 28
#define TRAILER_BYTES	 32
#define DESCRIPTION_MOST (UINT32_C(1) << 20)
#define RETIRED_KNOWN	 1024 /* a power of two */
#define SLOTS_KNOWN	 512  /* the same */
#define KIND_MOVED	 128  /* in an event's first byte: its slot is not the next one */

/* What items are told by their differences from. */
struct before {
	struct cycle record;
	struct cycle_event events[EVENT_KINDS]; /* the last of each kind */
	struct cycle_event slots[SLOTS_KNOWN];	/* the last of each slot */
	uint64_t pc;
	struct cycle_retired retired[RETIRED_KNOWN];
	uint64_t next_pc; /* behind the last instruction that retired */
	struct cycle_waits waits;
};

/* The record's number is foretold by the one before it. */
static void foretell(struct before *before)
{
	before->record.number += before->record.repeat;
	before->record.repeat = 1;
}

/* An event is like the last of its kind, but of another instruction: that in its slot. Fetch
 * delivers a new one. */
static struct cycle_event likely(const struct before *before, unsigned kind, uint32_t slot)
{
	const struct cycle_event *of_slot = &before->slots[slot & (SLOTS_KNOWN - 1)];
	struct cycle_event e = before->events[kind];

	e.kind = (uint8_t)kind;
	e.slot = slot;
	e.pc = kind == EVENT_FETCH ? e.pc + 4 : of_slot->pc;
	if (kind != EVENT_FETCH) {
		e.insn_class = of_slot->insn_class;
		e.wrong_path = of_slot->wrong_path;
	}
	return e;
}

static void remember(struct before *before, const struct cycle_event *e)
{
	before->events[e->kind] = *e;
	before->slots[e->slot & (SLOTS_KNOWN - 1)] = *e;
}

static struct cycle_retired *known(struct before *before, uint64_t pc)
{
	return &before->retired[(pc >> 1) & (RETIRED_KNOWN - 1)];
}

/* ---- writing ---- */

struct cycles_writer {
	struct before before;
	struct bytes frame;
	uint32_t records; /* in the frame */
	bool is_plain;	  /* these have no lists of what retires */
	struct cycles_totals totals;
	cycles_sink *sink;
	void *context;
};

static void hand_out(struct cycles_writer *writer, const void *bytes, size_t count)
{
	writer->sink(writer->context, bytes, count);
}

struct cycles_writer *cycles_writer_create(const char *description, cycles_sink *sink,
					   void *context)
{
	struct cycles_writer *writer = mem_alloc(sizeof(*writer));
	const size_t length = strlen(description);
	uint8_t *header = mem_alloc(HEADER_BYTES + length + 4);

	BUG_ON(length > DESCRIPTION_MOST);
	writer->sink = sink;
	writer->context = context;
	memcpy(header, CYCLES_MAGIC, CYCLES_MAGIC_BYTES);
	bytes_store(header + CYCLES_MAGIC_BYTES, length, 4);
	memcpy(header + HEADER_BYTES, description, length);
	bytes_store(header + HEADER_BYTES + length, crc32_add(0, header, HEADER_BYTES + length), 4);
	hand_out(writer, header, HEADER_BYTES + length + 4);
	free(header);
	return writer;
}

void cycles_writer_destroy(struct cycles_writer *writer)
{
	if (writer)
		free(writer->frame.bytes);
	free(writer);
}

static void end_frame(struct cycles_writer *writer)
{
	uint8_t head[FRAME_BYTES];

	if (!writer->records)
		return;
	memcpy(head, writer->is_plain ? MAGIC_PLAIN : MAGIC_FRAME, 4);
	bytes_store(head + 4, writer->records, 4);
	bytes_store(head + 8, writer->frame.count, 4);
	bytes_store(head + 12, writer->totals.records - writer->records, 8);
	bytes_store(head + FRAME_FIELDS,
		    crc32_add(crc32_add(0, head, FRAME_FIELDS), writer->frame.bytes,
			      writer->frame.count),
		    4);
	hand_out(writer, head, sizeof(head));
	hand_out(writer, writer->frame.bytes, writer->frame.count);
	writer->totals.frames++;
	writer->frame.count = writer->records = 0;
	writer->before = (struct before){0};
}

static void put_item(struct cycles_writer *writer, const struct cycles_item *item,
		     const void *value, void *before)
{
	struct bytes *to = &writer->frame;

	to->count += cycles_item_write(item, bytes_room(to, CYCLES_ITEM_BYTES), value, before);
}

static void put_event(struct cycles_writer *writer, const struct cycle_event *e)
{
	struct before *before = &writer->before;
	const uint32_t next = before->events[e->kind].slot + 1;
	struct cycle_event guess = likely(before, e->kind, e->slot);
	uint64_t slot = e->slot, before_slot = next;

	bytes_put_number(&writer->frame, e->kind | (e->slot != next ? KIND_MOVED : 0U), 1);
	if (e->slot != next)
		put_item(writer, &cycles_pc_item, &slot, &before_slot);
	put_item(writer, &cycles_event_item, e, &guess);
	remember(before, e);
}

/* Instructions mostly follow each other at 4 bytes. */
static void put_pc(struct cycles_writer *writer, uint64_t pc)
{
	writer->before.pc += 4;
	put_item(writer, &cycles_pc_item, &pc, &writer->before.pc);
}

/* The pc comes first, because it says which instruction it is told by. */
static void put_retired(struct cycles_writer *writer, const struct cycle_retired *retired)
{
	struct before *before = &writer->before;
	struct cycle_retired *last = known(before, retired->pc);

	put_item(writer, &cycles_pc_item, &retired->pc, &before->next_pc);
	last->pc = retired->pc;
	put_item(writer, &cycles_retired_item, retired, last);
	before->next_pc = retired->pc + retired->bytes;
}

void cycles_writer_add(void *context, const struct cycle *c)
{
	struct cycles_writer *writer = context;
	struct before *before = &writer->before;
	const struct cycle_waits *waits = c->waits;

	if (c->committed && writer->is_plain != !c->retired) {
		end_frame(writer);
		writer->is_plain = !c->retired;
	}
	foretell(before);
	put_item(writer, &cycles_record_item, c, &before->record);
	for (uint32_t i = 0; i < c->event_count; i++)
		put_event(writer, &c->events[i]);
	for (unsigned i = 0; i < c->useful_dispatched; i++)
		put_pc(writer, c->useful_pcs[i]);
	for (unsigned i = 0; c->retired && i < c->committed; i++) {
		put_retired(writer, &c->retired[i]);
		if (c->retired[i].has_waits)
			put_item(writer, &cycles_waits_item, waits++, &before->waits);
	}
	writer->records++;
	writer->totals.records++;
	writer->totals.cycles += c->repeat;
	if (writer->records == CYCLES_FRAME_RECORDS)
		end_frame(writer);
}

void cycles_writer_finish(struct cycles_writer *writer)
{
	uint8_t trailer[TRAILER_BYTES];

	end_frame(writer);
	memcpy(trailer, MAGIC_TRAILER, 4);
	bytes_store(trailer + 4, writer->totals.frames, 8);
	bytes_store(trailer + 12, writer->totals.records, 8);
	bytes_store(trailer + 20, writer->totals.cycles, 8);
	bytes_store(trailer + TRAILER_FIELDS, crc32_add(0, trailer, TRAILER_FIELDS), 4);
	hand_out(writer, trailer, sizeof(trailer));
}

/* ---- reading ---- */

struct cycles_reader {
	const uint8_t *bytes;
	size_t size, at; /* of the next part */
	const char *name;
	size_t description_bytes;
	bool is_plain; /* the frame has no lists of what retires */
	struct before before;
	struct reader frame;
	uint32_t left; /* records of the frame */
	bool is_over;
	struct cycles_totals totals; /* so far */
	struct cycle record;
	struct cycle_event *events;
	uint64_t *pcs;
	struct cycle_retired *retired;
	struct cycle_waits *waits;
	size_t events_capacity, pcs_capacity, retired_capacity, waits_capacity;
};

bool cycles_is_file(const uint8_t *bytes, size_t size)
{
	return size >= CYCLES_MAGIC_BYTES && memcmp(bytes, CYCLES_MAGIC, CYCLES_MAGIC_BYTES) == 0;
}

static bool damaged(const struct cycles_reader *reader, size_t at, const char *what,
		    struct err *err)
{
	return err_set(err, "%s: at byte %zu %s; record the cycles again", reader->name, at, what);
}

struct cycles_reader *cycles_reader_open(const uint8_t *bytes, size_t size, const char *name,
					 struct err *err)
{
	struct cycles_reader *reader = mem_alloc(sizeof(*reader));
	const uint64_t length = size < HEADER_BYTES ? 0 : bytes_load(bytes + 8, 4);
	const uint64_t end = HEADER_BYTES + length;
	bool ok = true;

	*reader = (struct cycles_reader){.bytes = bytes, .size = size, .name = name};
	if (!cycles_is_file(bytes, size))
		ok = damaged(reader, 0, "there are no recorded cycles (run --record-cycles)", err);
	else if (length > DESCRIPTION_MOST || end + 4 > size ||
		 bytes_load(bytes + end, 4) != crc32_add(0, bytes, end))
		ok = damaged(reader, CYCLES_MAGIC_BYTES, "the header is damaged", err);
	if (!ok) {
		free(reader);
		return NULL;
	}
	reader->description_bytes = length;
	reader->at = end + 4;
	return reader;
}

void cycles_reader_close(struct cycles_reader *reader)
{
	if (!reader)
		return;
	free(reader->events);
	free(reader->pcs);
	free(reader->retired);
	free(reader->waits);
	free(reader);
}

const char *cycles_reader_description(const struct cycles_reader *reader, size_t *bytes)
{
	*bytes = reader->description_bytes;
	return (const char *)reader->bytes + HEADER_BYTES;
}

static bool read_trailer(const struct cycles_reader *reader, size_t at,
			 struct cycles_totals *totals, struct err *err)
{
	const uint8_t *trailer = reader->bytes + at;

	if (reader->size - at != TRAILER_BYTES || memcmp(trailer, MAGIC_TRAILER, 4) != 0 ||
	    bytes_load(trailer + TRAILER_FIELDS, 4) != crc32_add(0, trailer, TRAILER_FIELDS))
		return damaged(reader, at, "there is neither a frame nor the end of the file", err);
	*totals = (struct cycles_totals){bytes_load(trailer + 4, 8), bytes_load(trailer + 12, 8),
					 bytes_load(trailer + 20, 8), reader->size};
	return true;
}

bool cycles_reader_totals(const struct cycles_reader *reader, struct cycles_totals *totals,
			  struct err *err)
{
	const size_t begin = HEADER_BYTES + reader->description_bytes + 4;

	if (reader->size < begin + TRAILER_BYTES)
		return damaged(reader, reader->size, "the file ends too early", err);
	return read_trailer(reader, reader->size - TRAILER_BYTES, totals, err);
}

static bool begin_frame(struct cycles_reader *reader, struct err *err)
{
	const uint8_t *head = reader->bytes + reader->at;
	const size_t left = reader->size - reader->at;
	struct cycles_totals told;

	reader->is_plain = left >= 4 && memcmp(head, MAGIC_PLAIN, 4) == 0;
	if (left < FRAME_BYTES || (!reader->is_plain && memcmp(head, MAGIC_FRAME, 4) != 0)) {
		if (!read_trailer(reader, reader->at, &told, err))
			return false;
		reader->is_over = true;
		return (told.frames == reader->totals.frames &&
			told.records == reader->totals.records &&
			told.cycles == reader->totals.cycles) ||
		       damaged(reader, reader->at, "the trailer tells of other frames", err);
	}
	const uint64_t records = bytes_load(head + 4, 4), bytes = bytes_load(head + 8, 4);
	if (!records || records > CYCLES_FRAME_RECORDS || bytes > left - FRAME_BYTES ||
	    bytes_load(head + 12, 8) != reader->totals.records ||
	    bytes_load(head + FRAME_FIELDS, 4) !=
		    crc32_add(crc32_add(0, head, FRAME_FIELDS), head + FRAME_BYTES, bytes))
		return damaged(reader, reader->at, "a frame is damaged", err);
	reader->frame = reader_of(head + FRAME_BYTES, bytes);
	reader->left = (uint32_t)records;
	reader->before = (struct before){0};
	reader->at += FRAME_BYTES + bytes;
	reader->totals.frames++;
	return true;
}

/* An item takes at least a byte, so a list is no longer than the bytes that are left. */
#define RESERVE(reader, list, count)                                                            \
	((count) <= reader_left(&(reader)->frame) &&                                            \
	 ((count) <= (reader)->list##_capacity ||                                               \
	  ((reader)->list =                                                                     \
		   mem_realloc((reader)->list, (reader)->list##_capacity = 2 * (size_t)(count), \
			       sizeof(*(reader)->list)))))

static bool read_event(struct cycles_reader *reader, struct cycle_event *e)
{
	struct before *before = &reader->before;

	const uint8_t first = reader_u8(&reader->frame);
	const unsigned kind = first & (KIND_MOVED - 1);
	const bool is_moved = first & KIND_MOVED;

	if (reader->frame.bad || kind >= EVENT_KINDS)
		return false;
	uint64_t slot = (uint32_t)(before->events[kind].slot + 1);
	if (is_moved && !cycles_item_read(&cycles_pc_item, &reader->frame, &slot))
		return false;
	if (slot > UINT32_MAX)
		return false;
	*e = likely(before, kind, (uint32_t)slot);
	if (!cycles_item_read(&cycles_event_item, &reader->frame, e))
		return false;
	remember(before, e);
	return true;
}

static bool read_events(struct cycles_reader *reader, struct cycle *c)
{
	if (!RESERVE(reader, events, c->event_count))
		return false;
	c->event_kinds = 0;
	for (uint32_t i = 0; i < c->event_count; i++) {
		if (!read_event(reader, &reader->events[i]))
			return false;
		c->event_kinds |= EVENT_BIT(reader->events[i].kind);
	}
	c->events = reader->events;
	return true;
}

static bool read_retired(struct cycles_reader *reader, struct cycle *c)
{
	struct before *before = &reader->before;
	size_t waits = 0;

	c->retired = NULL;
	c->waits = NULL;
	if (reader->is_plain)
		return true;
	if (!RESERVE(reader, retired, c->committed) || !RESERVE(reader, waits, c->committed))
		return false;
	for (unsigned i = 0; i < c->committed; i++) {
		if (!cycles_item_read(&cycles_pc_item, &reader->frame, &before->next_pc))
			return false;
		struct cycle_retired *last = known(before, before->next_pc);
		last->pc = before->next_pc;
		if (!cycles_item_read(&cycles_retired_item, &reader->frame, last))
			return false;
		reader->retired[i] = *last;
		before->next_pc = last->pc + last->bytes;
		if (!last->has_waits)
			continue;
		if (!cycles_item_read(&cycles_waits_item, &reader->frame, &before->waits))
			return false;
		reader->waits[waits++] = before->waits;
	}
	c->retired = reader->retired;
	c->waits = reader->waits;
	c->wait_count = (uint32_t)waits;
	return true;
}

static bool read_record(struct cycles_reader *reader)
{
	struct before *before = &reader->before;
	struct cycle *c = &reader->record;

	foretell(before);
	if (!cycles_item_read(&cycles_record_item, &reader->frame, &before->record))
		return false;
	*c = before->record;
	if (!c->repeat || c->repeat > INT64_MAX / 2 || !read_events(reader, c) ||
	    !RESERVE(reader, pcs, c->useful_dispatched))
		return false;
	for (unsigned i = 0; i < c->useful_dispatched; i++) {
		before->pc += 4;
		if (!cycles_item_read(&cycles_pc_item, &reader->frame, &before->pc))
			return false;
		reader->pcs[i] = before->pc;
	}
	c->useful_pcs = reader->pcs;
	return read_retired(reader, c);
}

/* Where the frame is being read, as a byte of the file. */
static size_t frame_at(const struct cycles_reader *reader)
{
	return (size_t)(reader->frame.bytes - reader->bytes) + reader->frame.at;
}

bool cycles_reader_next(struct cycles_reader *reader, const struct cycle **cycle, struct err *err)
{
	*cycle = NULL;
	if (!reader->left && !reader->is_over && !begin_frame(reader, err))
		return false;
	if (reader->is_over)
		return true;
	if (!read_record(reader))
		return damaged(reader, frame_at(reader), "a record is damaged", err);
	if (!--reader->left && reader_left(&reader->frame))
		return damaged(reader, frame_at(reader), "a frame goes on after its records", err);
	reader->totals.records++;
	reader->totals.cycles += reader->record.repeat;
	*cycle = &reader->record;
	return true;
}

#include "trace/file.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/crc32.h"

#define MAGIC_HEADER  "CYTRACE1"
#define MAGIC_FRAME   "FRAM"
#define MAGIC_INDEX   "INDX"
#define MAGIC_TRAILER "CYTREND1"

#define HEADER_BYTES  12 /* before the description */
#define CRC_BYTES     4
#define FRAME_FIELDS  36 /* of a frame, before its check value */
#define FRAME_BYTES   (FRAME_FIELDS + CRC_BYTES)
#define INDEX_FIELDS  20
#define INDEX_ENTRY   16
#define TRAILER_BYTES 20
#define BATCH_STEPS   4096

/* ---- writing ---- */

struct trace_writer {
	struct frame_writer *frame;
	struct frame_bytes out;
	uint64_t steps, frame_first, end_pc;
	struct index_entry {
		uint64_t offset, first;
	} * index;
	size_t index_count, index_capacity;
};

static void put(struct frame_bytes *out, const void *bytes, size_t count)
{
	if (!count)
		return; /* an empty stream has no bytes at all */
	if (out->capacity - out->count < count) {
		out->capacity = 2 * out->capacity + count + 4096;
		out->bytes = mem_realloc(out->bytes, out->capacity, 1);
	}
	memcpy(out->bytes + out->count, bytes, count);
	out->count += count;
}

static void put_u32(struct frame_bytes *out, uint32_t value)
{
	const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
				 (uint8_t)(value >> 24)};

	put(out, bytes, sizeof(bytes));
}

static void put_u64(struct frame_bytes *out, uint64_t value)
{
	put_u32(out, (uint32_t)value);
	put_u32(out, (uint32_t)(value >> 32));
}

static void put_crc(struct frame_bytes *out, size_t from)
{
	put_u32(out, crc32_add(0, out->bytes + from, out->count - from));
}

struct trace_writer *trace_writer_create(const char *description)
{
	struct trace_writer *writer = mem_alloc(sizeof(*writer));
	size_t bytes = strlen(description);

	BUG_ON(bytes > TRACE_TEXT_MOST);
	writer->frame = frame_writer_create();
	put(&writer->out, MAGIC_HEADER, 8);
	put_u32(&writer->out, (uint32_t)bytes);
	put(&writer->out, description, bytes);
	put_crc(&writer->out, 0);
	return writer;
}

void trace_writer_destroy(struct trace_writer *writer)
{
	if (!writer)
		return;
	frame_writer_destroy(writer->frame);
	free(writer->out.bytes);
	free(writer->index);
	free(writer);
}

static void end_frame(struct trace_writer *writer)
{
	struct frame_bytes *out = &writer->out;
	size_t start = out->count;
	uint32_t steps = frame_writer_steps(writer->frame);

	if (!steps)
		return;
	const struct frame_bytes *streams = frame_writer_take(writer->frame);
	*ARRAY_PUSH(writer->index, writer->index_count, writer->index_capacity) =
		(struct index_entry){start, writer->frame_first};
	put(out, MAGIC_FRAME, 4);
	put_u32(out, steps);
	put_u64(out, writer->frame_first);
	put_u64(out, writer->end_pc);
	for (unsigned i = 0; i < FRAME_STREAMS; i++)
		put_u32(out, (uint32_t)streams[i].count);
	uint32_t crc = crc32_add(0, out->bytes + start, out->count - start);
	for (unsigned i = 0; i < FRAME_STREAMS; i++)
		crc = crc32_add(crc, streams[i].bytes, streams[i].count);
	put_u32(out, crc);
	for (unsigned i = 0; i < FRAME_STREAMS; i++)
		put(out, streams[i].bytes, streams[i].count);
	writer->frame_first = writer->steps;
}

bool trace_writer_add(void *context, const struct trace_step *steps, size_t count)
{
	struct trace_writer *writer = context;

	while (count) {
		size_t room = FRAME_STEPS - frame_writer_steps(writer->frame);
		size_t part = count < room ? count : room;

		frame_writer_add(writer->frame, steps, part);
		writer->steps += part;
		writer->end_pc = steps[part - 1].next_pc;
		if (part == room)
			end_frame(writer);
		steps += part;
		count -= part;
	}
	/* The frame under way and the index come on top; a frame's bytes are far fewer. */
	return writer->out.count < TRACE_BYTES_MOST - (UINT32_C(1) << 27);
}

const struct frame_bytes *trace_writer_finish(struct trace_writer *writer, const char *places)
{
	struct frame_bytes *out = &writer->out;
	size_t places_bytes = strlen(places);

	end_frame(writer);
	size_t start = out->count;
	put(out, MAGIC_INDEX, 4);
	put_u32(out, (uint32_t)writer->index_count);
	put_u64(out, writer->steps);
	put_u32(out, (uint32_t)places_bytes);
	for (size_t i = 0; i < writer->index_count; i++) {
		put_u64(out, writer->index[i].offset);
		put_u64(out, writer->index[i].first);
	}
	put(out, places, places_bytes);
	put_crc(out, start);
	size_t trailer = out->count;
	put_u64(out, start);
	put(out, MAGIC_TRAILER, 8);
	put_crc(out, trailer);
	return out;
}

/* ---- reading ---- */

struct trace_reader {
	const uint8_t *bytes;
	size_t size;
	const char *name;
	size_t frames_at; /* where the first frame begins */
	size_t at;	  /* the next frame, or the index */
	uint64_t step;	  /* the number of the first step there */
	uint64_t skip;	  /* steps of the frame to be read and not handed out */
	struct frame_reader *frame;
	bool is_in_frame;
	size_t frame_at;
};

static uint32_t get_u32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t get_u64(const uint8_t *p)
{
	return get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
}

static bool damaged(const struct trace_reader *r, size_t at, const char *what, struct err *err)
{
	return err_set(err, "%s: damaged at byte %zu: %s", r->name, at, what);
}

static bool truncated(const struct trace_reader *r, size_t at, const char *part, struct err *err)
{
	return err_set(err,
		       "%s: the %s that begins at byte %zu is cut off by the end of the file, at "
		       "byte %zu",
		       r->name, part, at, r->size);
}

static bool parse_header(struct trace_reader *r, struct err *err)
{
	if (!r->size)
		return err_set(err, "%s is empty: expected a trace, as `trace record` writes it",
			       r->name);
	size_t shown = r->size < 8 ? r->size : 8;
	if (memcmp(r->bytes, MAGIC_HEADER, shown) != 0)
		return err_set(err,
			       "%s is not a trace: it does not begin, at byte 0, with " MAGIC_HEADER
			       " as `trace record` writes it",
			       r->name);
	if (r->size < HEADER_BYTES)
		return truncated(r, 0, "header", err);
	uint64_t text = get_u32(r->bytes + 8);
	if (text > TRACE_TEXT_MOST || HEADER_BYTES + text + CRC_BYTES > r->size)
		return truncated(r, 0, "header", err);
	size_t end = HEADER_BYTES + text;
	if (crc32_add(0, r->bytes, end) != get_u32(r->bytes + end))
		return damaged(r, 0, "the header does not match its check value", err);
	r->at = r->frames_at = end + CRC_BYTES;
	return true;
}

struct trace_reader *trace_reader_open(const uint8_t *bytes, size_t size, const char *name,
				       struct err *err)
{
	struct trace_reader *r = mem_alloc(sizeof(*r));

	*r = (struct trace_reader){.bytes = bytes, .size = size, .name = name};
	if (!parse_header(r, err)) {
		free(r);
		return NULL;
	}
	r->frame = frame_reader_create();
	return r;
}

void trace_reader_close(struct trace_reader *reader)
{
	if (!reader)
		return;
	frame_reader_destroy(reader->frame);
	free(reader);
}

const char *trace_reader_description(const struct trace_reader *reader, size_t *bytes)
{
	*bytes = get_u32(reader->bytes + 8);
	return (const char *)reader->bytes + HEADER_BYTES;
}

static bool begin_frame(struct trace_reader *r, struct err *err)
{
	const uint8_t *p = r->bytes + r->at, *streams[FRAME_STREAMS];
	size_t bytes[FRAME_STREAMS];
	uint64_t payload = 0;

	if (r->size - r->at < FRAME_BYTES)
		return truncated(r, r->at, "frame", err);
	uint32_t steps = get_u32(p + 4);
	for (unsigned i = 0; i < FRAME_STREAMS; i++) {
		bytes[i] = get_u32(p + 24 + 4 * (size_t)i);
		streams[i] = p + FRAME_BYTES + payload;
		payload += bytes[i];
	}
	if (payload > r->size - r->at - FRAME_BYTES)
		return truncated(r, r->at, "frame", err);
	uint32_t crc = crc32_add(0, p, FRAME_FIELDS);
	if (crc32_add(crc, p + FRAME_BYTES, payload) != get_u32(p + FRAME_FIELDS))
		return damaged(r, r->at, "the frame does not match its check value", err);
	if (!steps || steps > FRAME_STEPS || get_u64(p + 8) != r->step)
		return damaged(r, r->at, "the frame's steps do not follow those before it", err);
	frame_reader_begin(r->frame, streams, bytes, steps, get_u64(p + 16));
	r->is_in_frame = true;
	r->frame_at = r->at;
	r->at += FRAME_BYTES + payload;
	r->step += steps;
	return true;
}

/* Where the index begins, by the trailer. */
static bool parse_trailer(const struct trace_reader *r, size_t *index, struct err *err)
{
	if (r->size < r->frames_at + INDEX_FIELDS + CRC_BYTES + TRAILER_BYTES)
		return err_set(
			err,
			"%s: the file ends at byte %zu without index and trailer: it was cut "
			"off, or is still being written",
			r->name, r->size);
	size_t at = r->size - TRAILER_BYTES;
	const uint8_t *p = r->bytes + at;
	if (crc32_add(0, p, 16) != get_u32(p + 16) || memcmp(p + 8, MAGIC_TRAILER, 8) != 0)
		return damaged(r, at, "expected the trailer here: the file was cut off or changed",
			       err);
	uint64_t offset = get_u64(p);
	if (offset < r->frames_at || offset > at - INDEX_FIELDS - CRC_BYTES)
		return damaged(r, at, "the trailer names no place for the index", err);
	*index = (size_t)offset;
	return true;
}

/* Checks index and trailer; the index must begin at `at`. */
static bool parse_index(const struct trace_reader *r, size_t *at, struct trace_totals *totals,
			struct err *err)
{
	if (!parse_trailer(r, at, err))
		return false;
	const uint8_t *p = r->bytes + *at;
	uint64_t frames = get_u32(p + 4), places = get_u32(p + 16);
	size_t end = r->size - TRAILER_BYTES - CRC_BYTES;
	if (memcmp(p, MAGIC_INDEX, 4) != 0 ||
	    *at + INDEX_FIELDS + frames * INDEX_ENTRY + places != end)
		return damaged(r, *at, "expected the index here", err);
	if (crc32_add(0, p, end - *at) != get_u32(r->bytes + end))
		return damaged(r, *at, "the index does not match its check value", err);
	*totals = (struct trace_totals){
		.steps = get_u64(p + 8),
		.frames = frames,
		.bytes = r->size,
		.frame_bytes = *at - r->frames_at,
		.places = (const char *)p + INDEX_FIELDS + frames * INDEX_ENTRY,
		.places_bytes = places,
	};
	return true;
}

bool trace_reader_totals(const struct trace_reader *reader, struct trace_totals *totals,
			 struct err *err)
{
	size_t at;

	return parse_index(reader, &at, totals, err);
}

/* At the end of the frames. */
static bool check_end(const struct trace_reader *r, struct err *err)
{
	struct trace_totals totals;
	size_t index;

	if (!parse_index(r, &index, &totals, err))
		return false;
	if (index != r->at || totals.steps != r->step)
		return damaged(r, index, "the index does not follow the last frame", err);
	/* Every frame must be where the index says. */
	const uint8_t *entry = r->bytes + index + INDEX_FIELDS;
	size_t at = r->frames_at;
	for (uint64_t i = 0; i < totals.frames; i++, entry += INDEX_ENTRY) {
		if (at >= index || get_u64(entry) != at ||
		    get_u64(entry + 8) != get_u64(r->bytes + at + 8))
			return damaged(r, (size_t)(entry - r->bytes),
				       "the index names a frame that is not there", err);
		const uint8_t *p = r->bytes + at + 24;
		at += FRAME_BYTES + get_u32(p) + (size_t)get_u32(p + 4) + get_u32(p + 8);
	}
	return at == index ? true
			   : damaged(r, index, "the index leaves out frames of the file", err);
}

static bool next_part(struct trace_reader *r, struct trace_step *steps, size_t most, size_t *count,
		      bool *is_end, struct err *err)
{
	*count = 0;
	*is_end = false;
	if (!r->is_in_frame) {
		if (r->size - r->at < 4)
			return err_set(
				err,
				"%s: the file ends at byte %zu without index and trailer: it "
				"was cut off, or is still being written",
				r->name, r->size);
		if (memcmp(r->bytes + r->at, MAGIC_INDEX, 4) == 0) {
			*is_end = true;
			return check_end(r, err);
		}
		if (memcmp(r->bytes + r->at, MAGIC_FRAME, 4) != 0)
			return damaged(r, r->at, "expected a frame or the index here", err);
		if (!begin_frame(r, err))
			return false;
	}
	if (!frame_reader_next(r->frame, steps, most, count, err))
		return err_prefix(err, "%s: damaged at byte %zu", r->name, r->frame_at);
	if (!*count)
		r->is_in_frame = false;
	return true;
}

bool trace_reader_next(struct trace_reader *reader, struct trace_step *steps, size_t most,
		       size_t *count, struct err *err)
{
	bool is_end = false;

	*count = 0;
	while (!*count && !is_end) {
		if (!next_part(reader, steps, most, count, &is_end, err))
			return false;
		size_t skipped = *count < reader->skip ? *count : (size_t)reader->skip;

		reader->skip -= skipped;
		*count -= skipped;
		memmove(steps, steps + skipped, *count * sizeof(*steps));
	}
	return true;
}

bool trace_reader_seek(struct trace_reader *reader, uint64_t step, struct err *err)
{
	struct trace_totals totals;
	size_t index;

	if (!parse_index(reader, &index, &totals, err))
		return false;
	const uint8_t *entries = reader->bytes + index + INDEX_FIELDS;
	uint64_t low = 0, high = totals.frames;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (get_u64(entries + middle * INDEX_ENTRY + 8) <= step)
			low = middle;
		else
			high = middle;
	}
	uint64_t at = totals.frames ? get_u64(entries + low * INDEX_ENTRY) : index;
	uint64_t first = totals.frames ? get_u64(entries + low * INDEX_ENTRY + 8) : 0;
	if (at < reader->frames_at || at > index || first > step)
		return damaged(reader, index, "the index names a frame that is not there", err);
	reader->at = (size_t)at;
	reader->step = first;
	reader->skip = step - first;
	reader->is_in_frame = false;
	return true;
}

bool trace_reader_run(struct trace_reader *reader, trace_sink *sink, void *context, struct err *err)
{
	struct trace_step *steps = mem_alloc_array(BATCH_STEPS, sizeof(*steps));
	size_t count = 0;
	bool ok, goes_on = true;

	do {
		ok = trace_reader_next(reader, steps, BATCH_STEPS, &count, err);
		if (ok && count && sink)
			goes_on = sink(context, steps, count);
	} while (ok && count && goes_on);
	free(steps);
	return ok;
}

#include "trace/file.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
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
	struct bytes out;
	uint64_t steps, frame_first, end_pc;
	struct index_entry {
		uint64_t offset, first;
	} * index;
	size_t index_count, index_capacity;
};

static void put_crc(struct bytes *out, size_t from)
{
	bytes_put_number(out, crc32_add(0, out->bytes + from, out->count - from), 4);
}

struct trace_writer *trace_writer_create(const char *description)
{
	struct trace_writer *writer = mem_alloc(sizeof(*writer));
	size_t bytes = strlen(description);

	BUG_ON(bytes > TRACE_TEXT_MOST);
	writer->frame = frame_writer_create();
	bytes_put(&writer->out, MAGIC_HEADER, 8);
	bytes_put_number(&writer->out, (uint32_t)bytes, 4);
	bytes_put(&writer->out, description, bytes);
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
	struct bytes *out = &writer->out;
	size_t start = out->count;
	uint32_t steps = frame_writer_steps(writer->frame);

	if (!steps)
		return;
	const struct bytes *streams = frame_writer_take(writer->frame);
	*ARRAY_PUSH(writer->index, writer->index_count, writer->index_capacity) =
		(struct index_entry){start, writer->frame_first};
	bytes_put(out, MAGIC_FRAME, 4);
	bytes_put_number(out, steps, 4);
	bytes_put_number(out, writer->frame_first, 8);
	bytes_put_number(out, writer->end_pc, 8);
	for (unsigned i = 0; i < FRAME_STREAMS; i++)
		bytes_put_number(out, streams[i].count, 4);
	uint32_t crc = crc32_add(0, out->bytes + start, out->count - start);
	for (unsigned i = 0; i < FRAME_STREAMS; i++)
		crc = crc32_add(crc, streams[i].bytes, streams[i].count);
	bytes_put_number(out, crc, 4);
	for (unsigned i = 0; i < FRAME_STREAMS; i++)
		bytes_put(out, streams[i].bytes, streams[i].count);
	writer->frame_first = writer->steps;
}

bool trace_writer_add(void *context, const struct trace_step *steps, size_t count)
{
	struct trace_writer *writer = context;

	/* Within a frame an op is known by its number. */
	if (!count)
		end_frame(writer);
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
	/* The frame under way and the index are still to be added. They take far fewer bytes than
	 * the difference. */
	return writer->out.count < TRACE_BYTES_MOST - (UINT32_C(1) << 27);
}

const struct bytes *trace_writer_finish(struct trace_writer *writer, const char *places)
{
	struct bytes *out = &writer->out;
	size_t places_bytes = strlen(places);

	end_frame(writer);
	size_t start = out->count;
	bytes_put(out, MAGIC_INDEX, 4);
	bytes_put_number(out, writer->index_count, 4);
	bytes_put_number(out, writer->steps, 8);
	bytes_put_number(out, (uint32_t)places_bytes, 4);
	for (size_t i = 0; i < writer->index_count; i++) {
		bytes_put_number(out, writer->index[i].offset, 8);
		bytes_put_number(out, writer->index[i].first, 8);
	}
	bytes_put(out, places, places_bytes);
	put_crc(out, start);
	size_t trailer = out->count;
	bytes_put_number(out, start, 8);
	bytes_put(out, MAGIC_TRAILER, 8);
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
	uint64_t text = bytes_load(r->bytes + 8, 4);
	if (text > TRACE_TEXT_MOST || HEADER_BYTES + text + CRC_BYTES > r->size)
		return truncated(r, 0, "header", err);
	size_t end = HEADER_BYTES + text;
	if (crc32_add(0, r->bytes, end) != bytes_load(r->bytes + end, 4))
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
	*bytes = bytes_load(reader->bytes + 8, 4);
	return (const char *)reader->bytes + HEADER_BYTES;
}

static bool begin_frame(struct trace_reader *r, struct err *err)
{
	const uint8_t *p = r->bytes + r->at, *streams[FRAME_STREAMS];
	size_t bytes[FRAME_STREAMS];
	uint64_t payload = 0;

	if (r->size - r->at < FRAME_BYTES)
		return truncated(r, r->at, "frame", err);
	uint32_t steps = (uint32_t)bytes_load(p + 4, 4);
	for (unsigned i = 0; i < FRAME_STREAMS; i++) {
		bytes[i] = bytes_load(p + 24 + 4 * (size_t)i, 4);
		streams[i] = p + FRAME_BYTES + payload;
		payload += bytes[i];
	}
	if (payload > r->size - r->at - FRAME_BYTES)
		return truncated(r, r->at, "frame", err);
	uint32_t crc = crc32_add(0, p, FRAME_FIELDS);
	if (crc32_add(crc, p + FRAME_BYTES, payload) != bytes_load(p + FRAME_FIELDS, 4))
		return damaged(r, r->at, "the frame does not match its check value", err);
	if (!steps || steps > FRAME_STEPS || bytes_load(p + 8, 8) != r->step)
		return damaged(r, r->at, "the frame's steps do not follow those before it", err);
	frame_reader_begin(r->frame, streams, bytes, steps, bytes_load(p + 16, 8));
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
	if (crc32_add(0, p, 16) != bytes_load(p + 16, 4) || memcmp(p + 8, MAGIC_TRAILER, 8) != 0)
		return damaged(r, at, "expected the trailer here: the file was cut off or changed",
			       err);
	uint64_t offset = bytes_load(p, 8);
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
	uint64_t frames = bytes_load(p + 4, 4), places = bytes_load(p + 16, 4);
	size_t end = r->size - TRAILER_BYTES - CRC_BYTES;
	if (memcmp(p, MAGIC_INDEX, 4) != 0 ||
	    *at + INDEX_FIELDS + frames * INDEX_ENTRY + places != end)
		return damaged(r, *at, "expected the index here", err);
	if (crc32_add(0, p, end - *at) != bytes_load(r->bytes + end, 4))
		return damaged(r, *at, "the index does not match its check value", err);
	*totals = (struct trace_totals){
		.steps = bytes_load(p + 8, 8),
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
		if (at >= index || bytes_load(entry, 8) != at ||
		    bytes_load(entry + 8, 8) != bytes_load(r->bytes + at + 8, 8))
			return damaged(r, (size_t)(entry - r->bytes),
				       "the index names a frame that is not there", err);
		const uint8_t *p = r->bytes + at + 24;
		at += FRAME_BYTES + bytes_load(p, 4) + bytes_load(p + 4, 4) + bytes_load(p + 8, 4);
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

		if (bytes_load(entries + middle * INDEX_ENTRY + 8, 8) <= step)
			low = middle;
		else
			high = middle;
	}
	uint64_t at = totals.frames ? bytes_load(entries + low * INDEX_ENTRY, 8) : index;
	uint64_t first = totals.frames ? bytes_load(entries + low * INDEX_ENTRY + 8, 8) : 0;
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

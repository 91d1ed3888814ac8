/*
 * file.h - a trace as a file: a header, frames, an index of the frames, a trailer.
 *
 *   header   "CYTRACE1", length of the description, description (JSON text)
 *   frame    "FRAM", steps, number of the first step, pc after the last, bytes of each stream
 *   index    "INDX", frames, steps, length of the places; offset and first step of each frame;
 *            places (JSON text: functions and lines of the instructions executed)
 *   trailer  offset of the index, "CYTREND1"
 *
 * Each part ends or begins with a check value (crc32.h) of all its other bytes; numbers are little
 * endian. A frame can be read without any other. A reader in sequence needs no index: of a damaged
 * or truncated file it hands out every step before the damage, then says where that is. Everything
 * read is hostile until checked; the bytes are in memory, read by a process that can do no harm.
 */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/frame.h"
#include "trace/step.h"

/* A longer trace would not fit what a worker may send. */
#define TRACE_BYTES_MOST (UINT32_C(1) << 29)
#define TRACE_TEXT_MOST	 (UINT32_C(1) << 24)

struct trace_writer;

struct trace_writer *trace_writer_create(const char *description);
void trace_writer_destroy(struct trace_writer *writer); /* NULL is accepted */
/* A trace_sink; false when the trace has become too long. */
bool trace_writer_add(void *writer, const struct trace_step *steps, size_t count);
/* Writes what is left, index and trailer. The bytes belong to the writer. */
const struct bytes *trace_writer_finish(struct trace_writer *writer, const char *places);

struct trace_reader;

/* `bytes` are not copied; `name` is for sentences. NULL with a sentence if they do not begin as a
 * trace does. */
struct trace_reader *trace_reader_open(const uint8_t *bytes, size_t size, const char *name,
				       struct err *err);
void trace_reader_close(struct trace_reader *reader); /* NULL is accepted */
const char *trace_reader_description(const struct trace_reader *reader, size_t *bytes);
/* The next steps, at most `most`; *count is 0 at the end. Ops live until the next call. False with
 * a sentence about the first damage, in a frame or, at the end, in index or trailer. */
bool trace_reader_next(struct trace_reader *reader, struct trace_step *steps, size_t most,
		       size_t *count, struct err *err);
/* Continues at a step, which the index finds; at the end if the trace has fewer steps. False with a
 * sentence. */
bool trace_reader_seek(struct trace_reader *reader, uint64_t step, struct err *err);

struct trace_totals {
	uint64_t steps, frames, bytes, frame_bytes, ops;
	const char *places; /* part of the file; not terminated */
	size_t places_bytes;
};
/* From the index alone. False with a sentence if it is damaged. */
bool trace_reader_totals(const struct trace_reader *reader, struct trace_totals *totals,
			 struct err *err);
/* Hands every step to the sink (NULL: only checks); true if the whole file is sound. */
bool trace_reader_run(struct trace_reader *reader, trace_sink *sink, void *context,
		      struct err *err);

#endif

/*
 * cycles.h - recorded cycles: every record of a run (signal/cycle.h) as a file.
 *
 *   header   "CYCYCLE1", length of the description, description (JSON text), check value
 *   frame    "CFRM", records, bytes, number of the first record, check value; the records;
 *            "CFRP" if they do not list what retires, as those of in-order cores
 *   trailer  "CEND", frames, records, cycles, check value
 *
 * Numbers are little endian; a check value (base/crc32.h) is of all other bytes of its part. A
 * frame holds up to CYCLES_FRAME_RECORDS records and can be read by itself: a record is written as
 * its differences from the one before it, an event from the last of its kind, a retired instruction
 * from the last that had its pc, all of the same frame.
 *
 * Everything in the record is kept but the running totals, which a reader sets to NULL. Bytes to be
 * read are hostile: values are within the fields' ranges and enumerations, lists have the lengths
 * that the record says, and a damaged file is refused in a sentence with the offset. That records
 * also make sense one after the other is for cycles_check.h.
 */
#ifndef TRACE_CYCLES_H
#define TRACE_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "signal/cycle.h"

#define CYCLES_FRAME_RECORDS (UINT32_C(1) << 14)
#define CYCLES_MAGIC	     "CYCYCLE1"
#define CYCLES_MAGIC_BYTES   8

/* The kinds of events that a recorder needs. */
#define CYCLES_EVENTS (EVENTS_RETIRED | EVENTS_USEFUL | (EVENT_BIT(EVENT_KINDS) - 1))

struct cycles_totals {
	uint64_t frames, records, cycles, bytes;
};

struct cycles_writer;

/* Receives the file's bytes in order. */
typedef void cycles_sink(void *context, const void *bytes, size_t size);

struct cycles_writer *cycles_writer_create(const char *description, cycles_sink *sink,
					   void *context);
void cycles_writer_destroy(struct cycles_writer *writer); /* NULL is accepted */
/* For simulation_attach: the context is the writer. */
void cycles_writer_add(void *writer, const struct cycle *cycle);
/* The last frame and the trailer. */
void cycles_writer_finish(struct cycles_writer *writer);

struct cycles_reader;

/* Whether the bytes begin as recorded cycles do. */
bool cycles_is_file(const uint8_t *bytes, size_t size);
/* `bytes` are not copied; `name` is for sentences. NULL with a sentence. */
struct cycles_reader *cycles_reader_open(const uint8_t *bytes, size_t size, const char *name,
					 struct err *err);
void cycles_reader_close(struct cycles_reader *reader); /* NULL is accepted */
const char *cycles_reader_description(const struct cycles_reader *reader, size_t *bytes);
/* The next record, valid until the next call; *cycle is NULL at the end of a sound file. False with
 * a sentence about the first damage. */
bool cycles_reader_next(struct cycles_reader *reader, const struct cycle **cycle, struct err *err);
/* From the trailer alone. False with a sentence if there is none, or it is damaged. */
bool cycles_reader_totals(const struct cycles_reader *reader, struct cycles_totals *totals,
			  struct err *err);

#endif

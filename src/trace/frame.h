/*
 * frame.h - a stretch of steps as bytes, readable by itself.
 *
 * A frame holds up to FRAME_STEPS steps. Writer and reader both predict the next step from those
 * before it in the frame: the op that follows, by the last branches; the address, by the op's last
 * address and stride or by its distance from the access before it. Only the lengths of runs of
 * right predictions and what was predicted wrongly are written, in three streams: ops at their
 * first appearance, the path, the addresses. Nothing outside the frame is needed to read it.
 *
 * Bytes to be read are hostile until checked. Reading takes time and memory in proportion to the
 * number of steps, whatever the bytes are.
 */
#ifndef TRACE_FRAME_H
#define TRACE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/err.h"
#include "trace/step.h"

#define FRAME_STEPS (UINT32_C(1) << 20)

enum frame_stream { FRAME_OPS, FRAME_PATH, FRAME_ADDRESSES, FRAME_STREAMS };

struct frame_writer;

struct frame_writer *frame_writer_create(void);
void frame_writer_destroy(struct frame_writer *writer); /* NULL is accepted */
/* Adds steps; the op numbers of one source are distinct until frame_writer_take. */
void frame_writer_add(struct frame_writer *writer, const struct trace_step *steps, size_t count);
uint32_t frame_writer_steps(const struct frame_writer *writer);
/* The streams of the steps so far, valid until the next call; the writer begins a new frame. */
const struct bytes *frame_writer_take(struct frame_writer *writer);

struct frame_reader;

struct frame_reader *frame_reader_create(void);
void frame_reader_destroy(struct frame_reader *reader); /* NULL is accepted */
/* Begins a frame of `steps` steps. The streams must live as long as it is read. end_pc is the
 * next_pc of the last step. */
void frame_reader_begin(struct frame_reader *reader, const uint8_t *const streams[FRAME_STREAMS],
			const size_t bytes[FRAME_STREAMS], uint32_t steps, uint64_t end_pc);
/* Reads up to `most` steps into `steps`; *count is 0 at the end of the frame. Ops live until the
 * next begin. False with a sentence if the bytes are not what a writer writes. */
bool frame_reader_next(struct frame_reader *reader, struct trace_step *steps, size_t most,
		       size_t *count, struct err *err);

#endif

/*
 * Any bytes as a trace file, as the streams of a frame (which a check value protects in a file), as
 * ChampSim records and as the places of a trace: reading fails with one sentence or yields steps
 * that keep what step.h promises.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/champsim.h"
#include "trace/file.h"
#include "trace/places.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool check_steps(void *unused, const struct trace_step *steps, size_t count)
{
	(void)unused;
	for (size_t i = 0; i < count; i++) {
		const struct trace_op *op = steps[i].op;

		BUG_ON(!op->bytes || op->unit >= UNIT_COUNT || op->control > CONTROL_RETURN);
		BUG_ON((op->access_bytes != 0) != (op->is_load || op->is_store));
		BUG_ON(i + 1 < count && steps[i].next_pc != steps[i + 1].op->pc);
	}
	return true;
}

static void read_file(const uint8_t *bytes, size_t size)
{
	struct err err = {.text = ""};
	struct trace_reader *reader = trace_reader_open(bytes, size, "input", &err);

	BUG_ON(!reader && !err.text[0]);
	if (!reader)
		return;
	BUG_ON(!trace_reader_run(reader, check_steps, NULL, &err) && !err.text[0]);
	trace_reader_seek(reader, size, &err);
	trace_reader_close(reader);
}

static void read_frame(const uint8_t *bytes, size_t size)
{
	struct frame_reader *reader = frame_reader_create();
	struct trace_step steps[64];
	struct err err;

	if (size >= 4) {
		const size_t rest = size - 4, ops = rest * bytes[0] / 256;
		const size_t path = (rest - ops) * bytes[1] / 256;
		const uint8_t *first = bytes + 4;
		const uint8_t *const streams[] = {first, first + ops, first + ops + path};
		const size_t counts[] = {ops, path, rest - ops - path};
		size_t count = 1;

		frame_reader_begin(reader, streams, counts, 1U + (bytes[2] | bytes[3] << 8), 0);
		while (count && frame_reader_next(reader, steps, 64, &count, &err))
			check_steps(NULL, steps, count);
	}
	frame_reader_destroy(reader);
}

static void read_champsim(const uint8_t *bytes, size_t size)
{
	struct err err = {.text = ""};
	char *text = NULL;
	size_t written = 0;
	uint64_t instructions;
	FILE *out = open_memstream(&text, &written);

	if (!out)
		return;
	bool ok = size && champsim_import(bytes, size, "input", out, &instructions, &err);
	fclose(out);
	/* What was imported is a sound trace. */
	if (ok) {
		struct trace_reader *reader =
			trace_reader_open((const uint8_t *)text, written, "input", &err);

		BUG_ON(!reader || !trace_reader_run(reader, check_steps, NULL, &err));
		trace_reader_close(reader);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct err err;
	struct trace_places *places = trace_places_read((const char *)bytes, size, &err);

	if (places)
		trace_places_find(places, size);
	trace_places_free(places);
	read_file(bytes, size);
	read_frame(bytes, size);
	if (size % CHAMPSIM_RECORD_BYTES == 0)
		read_champsim(bytes, size);
	return 0;
}

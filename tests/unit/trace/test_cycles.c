/* Recorded cycles: what is written is read again, and damage is named. */
#include "../test.h"
#include "base/array.h"
#include "base/crc32.h"
#include "base/rng.h"
#include "isa/insn.h"
#include "trace/cycles.h"

#define EVENTS_MOST  40
#define RECORDS_LONG (CYCLES_FRAME_RECORDS + 300)

struct file {
	uint8_t *bytes;
	size_t count;
};

static void take(void *context, const void *bytes, size_t size)
{
	struct file *file = context;

	file->bytes = mem_realloc(file->bytes, file->count + size, 1);
	memcpy(file->bytes + file->count, bytes, size);
	file->count += size;
}

/* A record of any values, with lists of its own. */
struct made {
	struct cycle cycle;
	struct cycle_event events[EVENTS_MOST];
	uint64_t pcs[8];
	struct cycle_retired retired[8];
	struct cycle_waits waits[8];
};

static void make_lists(struct made *m, struct rng *state)
{
	unsigned waits = 0;

	for (unsigned i = 0; i < m->cycle.event_count; i++) {
		m->events[i] =
			(struct cycle_event){.kind = (uint8_t)(rng_next(state) % EVENT_KINDS),
					     .wrong_path = rng_next(state) & 1,
					     .insn_class = rng_next(state) % CLASS_COUNT,
					     .detail = (uint16_t)rng_next(state),
					     .slot = (uint32_t)(rng_next(state) % 256),
					     .amount = rng_next(state) % 3,
					     .pc = rng_next(state) >> rng_next(state) % 64};
		m->cycle.event_kinds |= EVENT_BIT(m->events[i].kind);
	}
	for (unsigned i = 0; i < m->cycle.useful_dispatched; i++)
		m->pcs[i] = rng_next(state);
	for (unsigned i = 0; i < m->cycle.committed; i++) {
		m->retired[i] = (struct cycle_retired){.pc = rng_next(state) % 4096,
						       .address = rng_next(state),
						       .rd = rng_next(state) % REG_COUNT,
						       .rs = {1, 2, rng_next(state) % REG_COUNT},
						       .unit = rng_next(state) % UNIT_COUNT,
						       .bytes = 4,
						       .marks = (uint16_t)rng_next(state),
						       .has_waits = rng_next(state) & 1};
		if (m->retired[i].has_waits)
			m->waits[waits++] = (struct cycle_waits){
				.data = {0, (uint32_t)rng_next(state)}, .unit = 7};
	}
}

static void make(struct made *m, uint64_t number, struct rng *state)
{
	memset(m, 0, sizeof(*m));
	m->cycle = (struct cycle){.number = number,
				  .repeat = rng_next(state) % 5 ? 1 : 1 + rng_next(state) % 300,
				  .rob_used = (uint16_t)rng_next(state),
				  .committed = rng_next(state) % 9,
				  .useful_dispatched = rng_next(state) % 9,
				  .head_state = rng_next(state) % (HEAD_MSHR + 1),
				  .fetch_stall = rng_next(state) % (FETCH_DONE + 1),
				  .event_count = rng_next(state) % EVENTS_MOST,
				  .thread = (uint32_t)rng_next(state),
				  .head_pc = rng_next(state),
				  .fetch_pc = rng_next(state) % 9};
	m->cycle.events = m->events;
	m->cycle.useful_pcs = m->pcs;
	m->cycle.retired = m->retired;
	m->cycle.waits = m->waits;
	make_lists(m, state);
}

static struct file write_file(unsigned records, uint64_t *cycles)
{
	struct file file = {0};
	struct cycles_writer *writer = cycles_writer_create("{}", take, &file);
	struct rng state = {5};
	uint64_t number = 0;
	struct made made;

	for (unsigned i = 0; i < records; i++) {
		make(&made, number, &state);
		cycles_writer_add(writer, &made.cycle);
		number += made.cycle.repeat;
	}
	cycles_writer_finish(writer);
	cycles_writer_destroy(writer);
	*cycles = number;
	return file;
}

static void assert_same(const struct cycle *got, const struct made *m)
{
	const struct cycle *want = &m->cycle;
	struct cycle bare = *got;
	unsigned waits = 0;

	bare.events = want->events;
	bare.useful_pcs = want->useful_pcs;
	bare.retired = want->retired;
	bare.waits = want->waits;
	/* Without the padding between two fields. */
	const size_t head = offsetof(struct cycle, thread) + sizeof(bare.thread),
		     tail = offsetof(struct cycle, head_pc);
	assert_memory_equal(&bare, want, head);
	assert_memory_equal((const char *)&bare + tail, (const char *)want + tail,
			    sizeof(bare) - tail);
	for (unsigned i = 0; i < want->event_count; i++) {
		const struct cycle_event *a = &got->events[i], *b = &m->events[i];

		assert_memory_equal(a, b, offsetof(struct cycle_event, again) + 1);
		assert_memory_equal(&a->detail, &b->detail,
				    sizeof(*a) - offsetof(struct cycle_event, detail));
	}
	assert_memory_equal(got->useful_pcs, m->pcs, want->useful_dispatched * sizeof(m->pcs[0]));
	assert_memory_equal(got->retired, m->retired, want->committed * sizeof(m->retired[0]));
	for (unsigned i = 0; i < want->committed; i++)
		waits += m->retired[i].has_waits;
	assert_memory_equal(got->waits, m->waits, waits * sizeof(m->waits[0]));
}

TEST(what_is_written_is_read)
{
	struct rng state = {5};
	uint64_t number = 0, cycles;
	const struct cycle *cycle;
	struct cycles_totals totals;
	struct made made;
	struct err err;
	struct file file = write_file(RECORDS_LONG, &cycles);
	struct cycles_reader *reader = cycles_reader_open(file.bytes, file.count, "file", &err);

	assert_non_null(reader);
	for (unsigned i = 0; i < RECORDS_LONG; i++) {
		make(&made, number, &state);
		number += made.cycle.repeat;
		assert_true(cycles_reader_next(reader, &cycle, &err));
		assert_non_null(cycle);
		assert_same(cycle, &made);
	}
	assert_true(cycles_reader_next(reader, &cycle, &err));
	assert_null(cycle);
	assert_true(cycles_reader_totals(reader, &totals, &err));
	assert_int_equal(totals.records, RECORDS_LONG);
	assert_int_equal(totals.cycles, cycles);
	assert_int_equal(totals.frames, 2);
	cycles_reader_close(reader);
	free(file.bytes);
}

/* Reads to the end; true if the file is sound. */
static bool read_all(const uint8_t *bytes, size_t count)
{
	struct err err = {.text = ""};
	struct cycles_reader *reader = cycles_reader_open(bytes, count, "file", &err);
	const struct cycle *cycle = NULL;
	bool ok = reader;

	while (ok && (ok = cycles_reader_next(reader, &cycle, &err)) && cycle)
		;
	assert_true(ok || strstr(err.text, "file: at byte "));
	cycles_reader_close(reader);
	return ok;
}

TEST(damage_is_named)
{
	uint64_t cycles;
	struct file file = write_file(6, &cycles);

	assert_true(read_all(file.bytes, file.count));
	for (size_t size = 0; size < file.count; size++)
		assert_false(read_all(file.bytes, size));
	for (size_t i = 0; i < file.count; i++) {
		file.bytes[i] ^= (uint8_t)(1 << i % 8);
		assert_false(read_all(file.bytes, file.count));
		file.bytes[i] ^= (uint8_t)(1 << i % 8);
	}
	free(file.bytes);
}

/* With a check value that is right, bytes of a frame are still refused or give values in range. */
TEST(hostile_frames)
{
	struct rng state = {9};
	uint64_t cycles;
	struct file file = write_file(6, &cycles);
	const size_t frame = 12 + 2 + 4, fields = 20, payload = file.count - frame - 24 - 32;

	for (unsigned n = 0; n < 5000; n++) {
		uint8_t *copy = mem_alloc(file.count);

		memcpy(copy, file.bytes, file.count);
		for (unsigned k = 0; k <= n % 3; k++)
			copy[frame + 24 + rng_next(&state) % payload] = (uint8_t)rng_next(&state);
		const uint32_t crc =
			crc32_add(crc32_add(0, copy + frame, fields), copy + frame + 24, payload);
		for (unsigned k = 0; k < 4; k++)
			copy[frame + fields + k] = (uint8_t)(crc >> 8 * k);
		read_all(copy, file.count);
		free(copy);
	}
	free(file.bytes);
}

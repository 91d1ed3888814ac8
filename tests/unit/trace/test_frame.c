/* The bytes of a frame: worked out on paper for a few steps, by a slow twin for many; what is not a
 * frame is refused. */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "trace/frame.h"

#define NONE UINT32_MAX

static struct trace_op insn_op(uint32_t number, uint64_t pc, uint32_t raw)
{
	const struct insn insn = insn_decode(raw);
	struct trace_op op;

	trace_op_init(&op, pc, &insn, raw);
	op.number = number;
	return op;
}

static void assert_stream(const struct bytes *stream, const char *bytes, size_t count)
{
	assert_int_equal(stream->count, count);
	if (count)
		assert_memory_equal(stream->bytes, bytes, count);
}

#define ASSERT_STREAM(stream, bytes) assert_stream(stream, bytes, sizeof(bytes) - 1)

TEST(bytes_are_those_on_paper)
{
	const struct trace_op add = insn_op(5, 0x1000, 0x00b50533);
	const struct trace_op load = insn_op(1, 0x1004, 0x0005b503);
	const struct trace_op branch = insn_op(200, 0x1008, 0x00b50463);
	const struct trace_op li = insn_op(0, 0x100c, 0x4501);
	const struct trace_step steps[] = {
		{&add, 0, 0},	    {&load, 0x2000, 0}, {&branch, 0, 0}, {&add, 0, 0},
		{&load, 0x2008, 0}, {&branch, 0, 0},	{&li, 0, 0},	 {&add, 0, 0},
		{&load, 0x2010, 0}, {&branch, 0, 0},	{&add, 0, 0},	 {&load, 0x2000, 0},
	};
	struct frame_writer *writer = frame_writer_create();

	/* A frame twice: nothing of the first is left for the second. */
	for (unsigned i = 0; i < 2; i++) {
		frame_writer_add(writer, steps, 5);
		assert_int_equal(frame_writer_steps(writer), 5);
		frame_writer_add(writer, steps + 5, 7);
		assert_int_equal(frame_writer_steps(writer), 12);
		const struct bytes *streams = frame_writer_take(writer);
		assert_int_equal(frame_writer_steps(writer), 0);
		/* pc 0x1000 from 0, twice doubled; the others follow at once. */
		ASSERT_STREAM(&streams[FRAME_OPS], "\x80\x80\x01\x33\x05\xb5\x00"
						   "\x00\x03\xb5\x05\x00"
						   "\x00\x63\x04\xb5\x00"
						   "\x00\x01\x45");
		/* Right ones before a wrong one, and the op plus 1; 0 is the op that followed
		 * before the last. */
		ASSERT_STREAM(&streams[FRAME_PATH],
			      "\x00\x01\x00\x02\x00\x03\x00\x01\x02\x04\x00\x01\x02\x00");
		/* 0x2000, then 8 on, then by the stride, then 16 back. */
		ASSERT_STREAM(&streams[FRAME_ADDRESSES], "\x00\x80\x80\x01\x00\x10\x02\x1f");
	}
	const struct bytes *streams = frame_writer_take(writer);
	for (unsigned i = 0; i < FRAME_STREAMS; i++)
		assert_int_equal(streams[i].count, 0);
	frame_writer_destroy(writer);
	frame_writer_destroy(NULL);
}

/* Two loads, the second ever 0x30 behind the first, which goes anywhere: told by the distance from
 * the access before it, once that was right and the stride was not. */
TEST(addresses_are_told_by_the_nearer)
{
	const struct trace_op first = insn_op(0, 0x1000, 0x0005b503);
	const struct trace_op second = insn_op(1, 0x1004, 0x0005b503);
	const struct trace_step steps[] = {
		{&first, 0x1000, 0},  {&second, 0x1030, 0}, {&first, 0x5000, 0},
		{&second, 0x5030, 0}, {&first, 0x3000, 0},  {&second, 0x3030, 0},
		{&first, 0x3031, 0},  {&second, 0x3030, 0},
	};
	struct frame_writer *writer = frame_writer_create();

	frame_writer_add(writer, steps, ARRAY_COUNT(steps));
	const struct bytes *streams = frame_writer_take(writer);
	/* 0x1000 from 0 by its own; 0x30 from the last; 0x4000 from its own (0x3fd0 from the last
	 * is nearer); 0x4000 from its own is farther than 0x30 from the last, and foretold as
	 * 0x5000 + 0x1030 by stride: wrong; then 0x2000 back: 0x2030 from the last is farther, so
	 * own; 0x3030 is right by distance; 0x31 from its own, 1 from the last; 0x3030: foretold
	 * 0x3031 + 0x30; its own last, 0 away. */
	ASSERT_STREAM(&streams[FRAME_ADDRESSES], "\x00\x80\x40"
						 "\x01\x60"
						 "\x01\xa0\xff\x01"
						 "\x01\x60"
						 "\x00\xff\x7f"
						 "\x03\x02"
						 "\x00\x00");
	frame_writer_destroy(writer);
}

/* ---- the twin: everything is looked up in the steps before ---- */

#define TWIN_OPS 300

struct twin {
	uint8_t out[FRAME_STREAMS][1 << 20];
	size_t count[FRAME_STREAMS];
	uint32_t by_path[16384];
	uint32_t following[TWIN_OPS], before_that[TWIN_OPS]; /* plus 1 */
	struct {
		uint64_t address, stride, distance;
		bool by_distance;
	} access[TWIN_OPS];
	uint32_t index[TWIN_OPS]; /* plus 1 */
};

static void twin_number(struct twin *t, unsigned stream, uint64_t value)
{
	do {
		uint8_t low = value % 128;

		value /= 128;
		t->out[stream][t->count[stream]++] = (uint8_t)(low + (value ? 128 : 0));
	} while (value);
}

/* 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ... */
static uint64_t twin_signed(uint64_t value)
{
	return value >> 63 ? 2 * (0 - value) - 1 : 2 * value;
}

static void twin_write(struct twin *t, const struct trace_step *steps, size_t count)
{
	uint32_t last = NONE, path = 0, ops = 0;
	uint64_t path_right = 0, address_right = 0, pc = 0, last_address = 0;

	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < count; i++) {
		const struct trace_op *op = steps[i].op;
		bool is_new = !t->index[op->number];
		uint32_t op_index = is_new ? ops : t->index[op->number] - 1, guess = 0;
		uint32_t *slot =
			&t->by_path[((last * 0x9e3779b1U) ^ (path * 0x85ebca6bU)) / 262144];
		bool after_branch = i && steps[i - 1].op->control;

		if (i)
			guess = after_branch && *slot ? *slot : t->following[last];
		if (guess == op_index + 1) {
			path_right++;
		} else {
			twin_number(t, FRAME_PATH, path_right);
			path_right = 0;
			twin_number(t, FRAME_PATH,
				    i && t->before_that[last] == op_index + 1 ? 0 : op_index + 1);
		}
		if (is_new) {
			unsigned size = op->raw % 4 == 3 ? 4 : 2;

			twin_number(t, FRAME_OPS, 2 * twin_signed(op->pc - pc));
			for (unsigned k = 0; k < size; k++)
				t->out[FRAME_OPS][t->count[FRAME_OPS]++] =
					(uint8_t)(op->raw >> 8 * k);
			pc = op->pc + size;
			t->index[op->number] = ++ops;
		}
		if (i) {
			if (after_branch) {
				*slot = op_index + 1;
				path = (path * 2) ^ (op_index % 256);
			}
			if (t->following[last] != op_index + 1) {
				t->before_that[last] = t->following[last];
				t->following[last] = op_index + 1;
			}
		}
		last = op_index;
		if (!op->access_bytes)
			continue;
		uint64_t address = steps[i].address, own = t->access[last].address;
		uint64_t by_stride = own + t->access[last].stride;
		uint64_t by_distance = last_address + t->access[last].distance;
		if ((t->access[last].by_distance ? by_distance : by_stride) == address) {
			address_right++;
		} else {
			uint64_t a = twin_signed(address - own),
				 b = twin_signed(address - last_address);

			twin_number(t, FRAME_ADDRESSES, 2 * address_right + (b < a));
			twin_number(t, FRAME_ADDRESSES, b < a ? b : a);
			address_right = 0;
		}
		if (by_stride == address && by_distance != address)
			t->access[last].by_distance = false;
		if (by_stride != address && by_distance == address)
			t->access[last].by_distance = true;
		t->access[last].stride = address - own;
		t->access[last].distance = address - last_address;
		t->access[last].address = last_address = address;
	}
}

/* A program: a path of basic blocks with few successors, and accesses of all regularities. */
static void make_steps(struct trace_step *steps, size_t count, struct trace_op *ops,
		       struct rng *rng)
{
	static const uint32_t raws[] = {0x00b50533, 0x0005b503, 0x00a5b023,
					0x00b50463, 0x4501,	0x00008067};
	uint64_t base = 0x10000;
	uint32_t at = 0;

	for (uint32_t i = 0; i < TWIN_OPS; i++)
		ops[i] = insn_op(i, 0x10000 + 4 * i + rng_below(rng, 3) * 0x10000000,
				 raws[rng_below(rng, ARRAY_COUNT(raws))]);
	for (size_t i = 0; i < count; i++) {
		const struct trace_op *op = &ops[at];

		steps[i] = (struct trace_step){.op = op};
		if (op->access_bytes) {
			switch (op->number % 4) {
			case 0: steps[i].address = base = rng_next(rng); break;
			case 1: steps[i].address = base + 8; break;
			case 2: steps[i].address = 16 * i; break;
			default: steps[i].address = 0x8000 + 8 * (i / 512);
			}
		}
		if (op->control)
			at = (uint32_t)((at * 7 + 11 * rng_below(rng, 3)) % TWIN_OPS);
		else
			at = rng_below(rng, 40) ? (at + 1) % TWIN_OPS
						: (uint32_t)rng_below(rng, TWIN_OPS);
	}
}

TEST(bytes_are_those_of_the_twin)
{
	static struct trace_op ops[TWIN_OPS];
	static struct trace_step steps[60000], got[1000];
	static struct twin twin;
	struct frame_writer *writer = frame_writer_create();
	struct frame_reader *reader = frame_reader_create();
	const size_t counts[] = {60000, 1, 777};

	for (unsigned n = 0; n < 3; n++) {
		struct rng rng = {n + 7};
		const uint8_t *streams[FRAME_STREAMS];
		size_t bytes[FRAME_STREAMS], count, total = 0;
		struct err err;

		make_steps(steps, counts[n], ops, &rng);
		twin_write(&twin, steps, counts[n]);
		frame_writer_add(writer, steps, counts[n]);
		const struct bytes *made = frame_writer_take(writer);
		for (unsigned i = 0; i < FRAME_STREAMS; i++) {
			assert_int_equal(made[i].count, twin.count[i]);
			if (twin.count[i])
				assert_memory_equal(made[i].bytes, twin.out[i], twin.count[i]);
			streams[i] = twin.out[i];
			bytes[i] = twin.count[i];
		}
		frame_reader_begin(reader, streams, bytes, (uint32_t)counts[n], 0x77);
		do {
			assert_true(frame_reader_next(reader, got, ARRAY_COUNT(got), &count, &err));
			for (size_t i = 0; i < count; i++) {
				const struct trace_step *want = &steps[total++];

				assert_int_equal(got[i].op->pc, want->op->pc);
				assert_int_equal(got[i].op->raw, want->op->raw);
				assert_int_equal(got[i].address, want->address);
				assert_int_equal(got[i].next_pc,
						 total < counts[n] ? want[1].op->pc : 0x77);
			}
		} while (count);
		assert_int_equal(total, counts[n]);
	}
	frame_reader_destroy(reader);
	frame_writer_destroy(writer);
	frame_reader_destroy(NULL);
}

/* ---- hand-made streams to be read ---- */

struct streams {
	const char *bytes[FRAME_STREAMS];
	size_t count[FRAME_STREAMS];
};

#define STREAMS(ops, path, addresses)                   \
	((struct streams){{(ops), (path), (addresses)}, \
			  {sizeof(ops) - 1, sizeof(path) - 1, sizeof(addresses) - 1}})

static bool reads(const struct streams *s, uint32_t steps, struct trace_step *out,
		  struct trace_op *ops)
{
	struct frame_reader *reader = frame_reader_create();
	const uint8_t *streams[FRAME_STREAMS];
	uint8_t *copies[FRAME_STREAMS];
	struct err err = {.text = ""};
	size_t count = 1, total = 0;
	bool ok = true;

	/* In memory that ends where they end. */
	for (unsigned i = 0; i < FRAME_STREAMS; i++) {
		copies[i] = malloc(s->count[i] ? s->count[i] : 1);
		memcpy(copies[i], s->bytes[i], s->count[i]);
		streams[i] = copies[i];
	}
	frame_reader_begin(reader, streams, s->count, steps, 0xeeee);
	while (count && (ok = frame_reader_next(reader, out + total, 1, &count, &err)))
		if (count) {
			ops[total] = *out[total].op;
			total++;
		}
	if (ok)
		assert_int_equal(total, steps);
	else
		assert_string_equal(err.text,
				    "the contents of this frame are not those of a trace");
	frame_reader_destroy(reader);
	for (unsigned i = 0; i < FRAME_STREAMS; i++)
		free(copies[i]);
	return ok;
}

/* pc 0x100; 4 bytes, a load of 8, two sources of the address. */
#define FIELDS "\x81\x08\x04\x06\x00\x08\x01\x02\x0b\x0c\x0d\x0e\x15\x16"

TEST(an_op_of_other_origin_keeps_its_fields)
{
	struct trace_step out[4];
	struct trace_op ops[4];
	const struct streams s = STREAMS(FIELDS, "\x00\x01\x00\x01", "\x00\x80\x01");

	assert_true(reads(&s, 2, out, ops));
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(ops[i].pc, 0x100);
		assert_int_equal(ops[i].raw, 0);
		assert_int_equal(ops[i].insn.op, OP_ILLEGAL);
		assert_int_equal(ops[i].number, 0);
		assert_int_equal(ops[i].bytes, 4);
		assert_int_equal(ops[i].unit, UNIT_LOAD);
		assert_int_equal(ops[i].control, CONTROL_NONE);
		assert_int_equal(ops[i].access_bytes, 8);
		assert_true(ops[i].is_load);
		assert_false(ops[i].is_store);
		assert_int_equal(ops[i].address_sources, 2);
		assert_memory_equal(ops[i].sources, "\x0b\x0c\x0d\x0e", 4);
		assert_memory_equal(ops[i].destinations, "\x15\x16", 2);
	}
	assert_int_equal(out[0].address, 0x40);
	assert_int_equal(out[1].address, 0x80);
	assert_int_equal(out[0].next_pc, 0x100);
	assert_int_equal(out[1].next_pc, 0xeeee);
	/* And it is written so. */
	struct frame_writer *writer = frame_writer_create();
	const struct trace_step steps[] = {{&ops[0], 0x40, 0x100}, {&ops[0], 0x80, 0xeeee}};
	frame_writer_add(writer, steps, 2);
	const struct bytes *made = frame_writer_take(writer);
	ASSERT_STREAM(&made[FRAME_OPS], FIELDS);
	ASSERT_STREAM(&made[FRAME_PATH], "\x00\x01\x00\x01");
	ASSERT_STREAM(&made[FRAME_ADDRESSES], "\x00\x80\x01");
	/* A store, which is the other of the two bits. */
	ops[0].is_load = false;
	ops[0].is_store = true;
	frame_writer_add(writer, steps, 1);
	made = frame_writer_take(writer);
	assert_int_equal(made[FRAME_OPS].bytes[6], 2);
	frame_writer_destroy(writer);
}

TEST(fields_have_limits)
{
	static const struct {
		uint8_t at, most, least;
	} fields[] = {{2, 255, 1}, {3, 14, 0}, {4, 6, 0}, {5, 64, 1}, {6, 7, 1}, {7, 4, 0}};
	struct trace_step out[4];
	struct trace_op ops[4];

	for (size_t i = 0; i < ARRAY_COUNT(fields); i++)
		for (unsigned value = 0; value < 256; value++) {
			char bytes[] = FIELDS;
			const struct streams s = {{bytes, "\x00\x01", "\x00\x80\x01"},
						  {sizeof(bytes) - 1, 2, 3}};
			bool is_possible = value >= fields[i].least && value <= fields[i].most;

			/* The highest bit of the address, without an access. */
			is_possible &= fields[i].at != 6 || value != 4;
			bytes[fields[i].at] = (char)value;
			assert_int_equal(reads(&s, 1, out, ops), is_possible);
			if (is_possible && fields[i].at == 6) {
				assert_int_equal(ops[0].is_load, value & 1);
				assert_int_equal(ops[0].is_store, value >> 1 & 1);
				assert_int_equal(ops[0].pc >> 62, value >> 2 ? 1 : 0);
			}
		}
}

TEST(what_is_no_frame_is_refused)
{
	/* An op of its own: c.li at 0x40, li t0 at 0x42. */
	static const struct {
		struct streams streams;
		uint32_t steps;
		bool ok;
	} cases[] = {
		{STREAMS("", "", ""), 0, true},
		{STREAMS("", "", ""), 1, false},
		{STREAMS("\x80\x02\x01\x45", "\x00\x01", ""), 1, true},
		/* Something left of a stream. */
		{STREAMS("\x80\x02\x01\x45\x00", "\x00\x01", ""), 1, false},
		{STREAMS("\x80\x02\x01\x45", "\x00\x01\x05", ""), 1, false},
		{STREAMS("\x80\x02\x01\x45", "\x00\x01", "\x05"), 1, false},
		/* Too little of a stream. */
		{STREAMS("\x80\x02\x01", "\x00\x01", ""), 1, false},
		{STREAMS("\x80\x02", "\x00\x01", ""), 1, false},
		{STREAMS("\x80", "\x00\x01", ""), 1, false},
		{STREAMS("\x80\x02\x01\x45", "\x00", ""), 1, false},
		{STREAMS("\x80\x02\x01\x45", "\x80", ""), 1, false},
		{STREAMS("\x80\x02\x01\x45", "\x00\x81", ""), 1, false},
		{STREAMS("\x80\x02\x01\x45", "\x00\x01\x80", ""), 1, false},
		/* Four bytes: li t0, 1 and the half of it. */
		{STREAMS("\x80\x02\x93\x02\x10\x00", "\x00\x01", ""), 1, true},
		{STREAMS("\x80\x02\x93\x02\x10", "\x00\x01", ""), 1, false},
		{STREAMS("\x80\x02\x93\x02", "\x00\x01", ""), 1, false},
		/* No instruction. */
		{STREAMS("\x80\x02\x00\x00", "\x00\x01", ""), 1, false},
		{STREAMS("\x80\x02\xff\xff\xff\xff", "\x00\x01", ""), 1, false},
		/* Nothing can be foretold at the beginning or after the only op. */
		{STREAMS("\x80\x02\x01\x45", "\x01\x01", ""), 2, false},
		{STREAMS("\x80\x02\x01\x45", "\x00\x01", ""), 2, false},
		{STREAMS("\x80\x02\x01\x45", "\x00\x01\x00\x01", ""), 2, true},
		{STREAMS("\x80\x02\x01\x45", "\x00\x01\x00\x01", ""), 3, true},
		/* The op that followed before the last, where there is none. */
		{STREAMS("\x80\x02\x01\x45", "\x00\x00", ""), 1, false},
		{STREAMS("\x80\x02\x01\x45", "\x00\x01\x00\x00", ""), 2, false},
		/* The op after the next new one. */
		{STREAMS("\x80\x02\x01\x45\x00\x01\x45", "\x00\x02", ""), 1, false},
		{STREAMS("\x80\x02\x01\x45\x00\x01\x45", "\x00\x01\x00\x02", ""), 2, true},
		{STREAMS("\x80\x02\x01\x45\x00\x01\x45", "\x00\x01\x00\x03", ""), 2, false},
		{STREAMS("\x80\x02\x01\x45", "\x00\xff\xff\xff\xff\x0f", ""), 1, false},
		{STREAMS("\x80\x02\x01\x45", "\x00\x80\x80\x80\x80\x10", ""), 1, false},
		{STREAMS("\x80\x02\x01\x45", "\x00\x81\x80\x80\x80\x10", ""), 1, false},
		/* Numbers with a last byte that says nothing, and of more than 64 bits. */
		{STREAMS("\x80\x02\x01\x45", "\x80\x00\x01", ""), 1, false},
		{STREAMS("\x80\x02\x01\x45", "\x00\x81\x00", ""), 1, false},
		{STREAMS(FIELDS, "\x00\x01", "\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 1,
		 true},
		{STREAMS(FIELDS, "\x00\x01", "\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), 1,
		 false},
		{STREAMS(FIELDS, "\x00\x01", "\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81"), 1,
		 false},
		{STREAMS(FIELDS, "\x00\x01", "\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01"), 1,
		 false},
		/* An address is missing, or is one too many. */
		{STREAMS(FIELDS, "\x00\x01", "\x00"), 1, false},
		{STREAMS(FIELDS, "\x00\x01", "\x80"), 1, false},
		{STREAMS(FIELDS, "\x00\x01", ""), 1, true},
		{STREAMS(FIELDS, "\x00\x01", "\x02"), 1, false},
		{STREAMS(FIELDS, "\x00\x01", "\x00\x10\x00\x10"), 1, false},
		{STREAMS(FIELDS, "\x00\x01", "\x00\x10\x80"), 1, false},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct trace_step out[8];
		struct trace_op ops[8];
		bool ok = reads(&cases[i].streams, cases[i].steps, out, ops);

		if (ok != cases[i].ok)
			fail_msg("case %zu", i);
	}
}

/* A new frame forgets a step that was read and not handed out. */
TEST(a_frame_begun_again)
{
	static const char ops[] = "\x80\x02\x01\x45", path[] = "\x00\x01\x00\x01";
	struct frame_reader *reader = frame_reader_create();
	const uint8_t *streams[] = {(const uint8_t *)ops, (const uint8_t *)path,
				    (const uint8_t *)""};
	const size_t bytes[] = {sizeof(ops) - 1, sizeof(path) - 1, 0};
	struct trace_step steps[8];
	size_t count;
	struct err err;

	for (unsigned i = 0; i < 3; i++) {
		frame_reader_begin(reader, streams, bytes, 4, 0x99);
		assert_true(frame_reader_next(reader, steps, 2, &count, &err));
		assert_int_equal(count, 2);
		assert_int_equal(steps[0].op->pc, 0x40);
		assert_int_equal(steps[1].next_pc, 0x40);
	}
	assert_true(frame_reader_next(reader, steps, 8, &count, &err));
	assert_int_equal(count, 2);
	assert_int_equal(steps[0].next_pc, 0x40);
	assert_int_equal(steps[1].next_pc, 0x99);
	assert_true(frame_reader_next(reader, steps, 8, &count, &err));
	assert_int_equal(count, 0);
	frame_reader_destroy(reader);
}

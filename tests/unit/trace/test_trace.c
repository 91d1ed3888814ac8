/* Traces: what is written is read; any damage is found and named; recording executes what the
 * reference interpreter executes. */
#include "../test.h"
#include "base/array.h"
#include "base/crc32.h"
#include "base/rng.h"
#include "image/image.h"
#include "trace/champsim.h"
#include "trace/file.h"
#include "trace/places.h"
#include "trace/record.h"

#define OPS 200

/* Instructions of every unit a model distinguishes, at random addresses. */
static void make_ops(struct trace_op *ops, struct rng *rng)
{
	static const uint32_t raws[] = {0x00b50533, 0x0005b503, 0x00a5b023, 0x00b50463,
					0x004000ef, 0x00008067, 0x4501,	    0x02b50533,
					0x00b6352f, 0x02a5f553, 0x00000073};

	for (uint32_t i = 0; i < OPS; i++) {
		uint32_t raw = raws[rng_below(rng, ARRAY_COUNT(raws))];
		const struct insn insn = insn_decode(raw);

		assert_int_not_equal(insn.op, OP_ILLEGAL);
		trace_op_init(&ops[i], 0x10000 + 4 * i + rng_below(rng, 2) * 0x40000000, &insn,
			      raw);
		ops[i].number = i;
	}
}

static void make_steps(struct trace_step *steps, size_t count, const struct trace_op *ops,
		       struct rng *rng)
{
	uint64_t at = 0;

	for (size_t i = 0; i < count; i++) {
		at = rng_below(rng, 5) ? (at + 1) % OPS : rng_below(rng, OPS);
		steps[i] = (struct trace_step){.op = &ops[at]};
		if (steps[i].op->access_bytes)
			steps[i].address = rng_below(rng, 3) ? 0x1000 + 8 * i : rng_next(rng);
		if (i)
			steps[i - 1].next_pc = steps[i].op->pc;
	}
	if (count)
		steps[count - 1].next_pc = 0xabcdef0;
}

struct reading {
	const struct trace_step *expected;
	size_t count, total;
};

static bool compare(void *context, const struct trace_step *steps, size_t count)
{
	struct reading *reading = context;

	for (size_t i = 0; i < count; i++, reading->count++) {
		const struct trace_step *e = &reading->expected[reading->count];

		assert_true(reading->count < reading->total);
		assert_int_equal(steps[i].op->pc, e->op->pc);
		assert_int_equal(steps[i].op->raw, e->op->raw);
		assert_int_equal(steps[i].op->unit, e->op->unit);
		assert_int_equal(steps[i].address, e->address);
		assert_int_equal(steps[i].next_pc, e->next_pc);
	}
	return true;
}

static struct bytes write_trace(const struct trace_step *steps, size_t count,
				struct trace_writer **writer)
{
	*writer = trace_writer_create("{\"schema\":\"x\"}");
	for (size_t i = 0; i < count; i += 1000)
		assert_true(
			trace_writer_add(*writer, steps + i, count - i < 1000 ? count - i : 1000));
	return *trace_writer_finish(*writer, "{\"names\":[],\"ranges\":[]}");
}

TEST(what_is_written_is_read)
{
	static struct trace_op ops[OPS];
	const size_t counts[] = {0, 1, 5000, FRAME_STEPS, FRAME_STEPS + 1, 2 * FRAME_STEPS + 77};
	struct rng rng = {1};

	make_ops(ops, &rng);
	for (size_t i = 0; i < ARRAY_COUNT(counts); i++) {
		struct trace_step *steps = mem_alloc_array(counts[i] + 1, sizeof(*steps));
		struct trace_writer *writer;
		struct trace_totals totals;
		struct err err = {.text = ""};

		make_steps(steps, counts[i], ops, &rng);
		struct bytes bytes = write_trace(steps, counts[i], &writer);
		struct trace_reader *reader =
			trace_reader_open(bytes.bytes, bytes.count, "t", &err);
		assert_non_null(reader);
		struct reading whole = {steps, 0, counts[i]};
		assert_true(trace_reader_run(reader, compare, &whole, &err));
		assert_int_equal(whole.count, counts[i]);
		assert_true(trace_reader_totals(reader, &totals, &err));
		assert_int_equal(totals.steps, counts[i]);
		for (unsigned k = 0; k < 4; k++) {
			uint64_t from = rng_below(&rng, counts[i] + 1);
			struct reading rest = {steps, from, counts[i]};

			assert_true(trace_reader_seek(reader, from, &err));
			assert_true(trace_reader_run(reader, compare, &rest, &err));
			assert_int_equal(rest.count, counts[i]);
		}
		trace_reader_close(reader);
		trace_writer_destroy(writer);
		free(steps);
	}
}

/* True if the whole file is sound; the steps before a damage must be the right ones. */
static bool is_sound(const uint8_t *bytes, size_t size, const struct trace_step *steps,
		     size_t count, struct err *err)
{
	struct trace_reader *reader = trace_reader_open(bytes, size, "t", err);
	struct reading reading = {steps, 0, count};
	bool ok = reader && trace_reader_run(reader, compare, &reading, err);

	trace_reader_close(reader);
	return ok;
}

TEST(every_damage_is_found_and_named)
{
	static struct trace_op ops[OPS];
	static struct trace_step steps[300];
	struct trace_writer *writer;
	struct rng rng = {2};
	struct err err;

	make_ops(ops, &rng);
	make_steps(steps, ARRAY_COUNT(steps), ops, &rng);
	struct bytes bytes = write_trace(steps, ARRAY_COUNT(steps), &writer);
	assert_true(is_sound(bytes.bytes, bytes.count, steps, ARRAY_COUNT(steps), &err));
	for (size_t at = 0; at < bytes.count; at++)
		for (unsigned bit = 0; bit < 9; bit++) {
			uint8_t flip = bit < 8 ? (uint8_t)(1U << bit) : 0xff;

			bytes.bytes[at] ^= flip;
			err.text[0] = 0;
			assert_false(is_sound(bytes.bytes, bytes.count, steps, ARRAY_COUNT(steps),
					      &err));
			assert_non_null(strstr(err.text, "byte "));
			bytes.bytes[at] ^= flip;
		}
	for (size_t size = 0; size < bytes.count; size++) {
		uint8_t *part = mem_alloc(size + 1);

		memcpy(part, bytes.bytes, size);
		err.text[0] = 0;
		assert_false(is_sound(part, size, steps, ARRAY_COUNT(steps), &err));
		assert_true(size ? strstr(err.text, "byte ") != NULL
				 : strstr(err.text, "is empty") != NULL);
		free(part);
	}
	trace_writer_destroy(writer);
}

TEST(check_values_are_those_of_the_standard)
{
	assert_int_equal(crc32_add(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(crc32_add(crc32_add(0, "1234", 4), "56789", 5), 0xcbf43926);
}

/* The arguments must live as long as the process. */
static struct process *start(const uint8_t *image, size_t bytes, const char *const *argv)
{
	const struct process_options options = {.program = argv[0],
						.image = image,
						.image_bytes = bytes,
						.argv = argv,
						.seed = 1,
						.memory_limit_bytes = UINT64_C(1) << 30,
						.silent = true};
	struct err err;

	return process_create(&options, &err);
}

/* Executes the same program by cpu_step, one instruction at a time. */
static bool follow(void *context, const struct trace_step *steps, size_t count)
{
	struct process *twin = context;
	struct cpu *cpu = &twin->cpu;

	for (size_t i = 0; i < count; i++) {
		const struct trace_op *op = steps[i].op;
		uint64_t before = cpu->instructions;

		/* An instruction that faults is no step. */
		while (twin->state == PROCESS_RUNNING && cpu->instructions == before) {
			if (cpu->hart.pc != op->pc)
				return false;
			uint64_t address = op->access_bytes
						   ? cpu->hart.r[op->insn.rs1] +
							     (uint64_t)(int64_t)op->insn.imm
						   : 0;
			if (address != steps[i].address)
				return false;
			enum cpu_stop stop = cpu_step(cpu);

			if (stop != STOP_LIMIT || cpu->instructions >= process_slice_end(twin))
				process_handle(twin, stop);
		}
		if (twin->state == PROCESS_RUNNING && steps[i].next_pc != cpu->hart.pc)
			return false;
	}
	return true;
}

TEST(recording_is_what_the_reference_executes)
{
	static const char *const names[] = {"heapsort", "netflow", "interp", "raytrace"};
	const char *build = getenv("BUILD");

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		char path[512];
		size_t bytes;
		struct err err;

		snprintf(path, sizeof(path), "%s/workloads/%s", build ? build : "build", names[i]);
		uint8_t *image = image_read(path, &bytes, &err);
		if (!image)
			skip();
		const char *const argv[] = {names[i], "test", NULL};
		struct process *process = start(image, bytes, argv);
		struct process *twin = start(image, bytes, argv);
		struct recorder *recorder = recorder_create(process);
		assert_true(recorder_run(recorder, 123456, follow, twin));
		assert_true(recorder_run(recorder, INT64_MAX, follow, twin));
		assert_int_equal(process->state, PROCESS_EXITED);
		assert_int_equal(process->status, twin->status);
		assert_int_equal(process->cpu.instructions, twin->cpu.instructions);
		recorder_destroy(recorder);
		process_destroy(process);
		process_destroy(twin);
		free(image);
	}
}

TEST(places_are_read_back)
{
	static const char text[] = "{\"names\":[\"main\",\"a.c\"],\"ranges\":[[16,32,0,1,7]]}";
	struct err err;
	struct trace_places *places = trace_places_read(text, strlen(text), &err);

	assert_non_null(places);
	assert_string_equal(trace_places_find(places, 16).function, "main");
	assert_int_equal(trace_places_find(places, 31).line, 7);
	assert_string_equal(trace_places_find(places, 32).function, "(unknown)");
	assert_string_equal(trace_places_find(places, 15).function, "(unknown)");
	trace_places_free(places);
	assert_null(trace_places_read("[]", 2, &err));
	assert_null(trace_places_read("{\"names\":[],\"ranges\":[[1,2,0,0,0]]}", 35, &err));
}

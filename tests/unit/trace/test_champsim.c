/* ChampSim records: what each becomes, field by field, in both directions; what is none. */
#include "../test.h"
#include "base/array.h"
#include "base/crc32.h"
#include "trace/champsim.h"

/* As the format has it. */
struct champsim {
	uint64_t ip;
	uint8_t is_branch, taken, destinations[2], sources[4];
	uint64_t stores[2], loads[4];
};

_Static_assert(sizeof(struct champsim) == 64, "a record");

#define IP    0x400100
#define STEPS 8

struct got {
	struct trace_step steps[STEPS];
	struct trace_op ops[STEPS];
	size_t count;
};

static bool keep(void *context, const struct trace_step *steps, size_t count)
{
	struct got *got = context;

	for (size_t i = 0; i < count; i++) {
		assert_true(got->count < STEPS);
		got->steps[got->count] = steps[i];
		got->ops[got->count++] = *steps[i].op;
	}
	return true;
}

static void import(const struct champsim *records, size_t count, struct got *got)
{
	char *text = NULL;
	size_t size = 0, bytes;
	uint64_t instructions = 0;
	struct err err;
	FILE *out = open_memstream(&text, &size);

	assert_true(champsim_import((const uint8_t *)records, 64 * count, "r", out, &instructions,
				    &err));
	fclose(out);
	struct trace_reader *reader = trace_reader_open((uint8_t *)text, size, "t", &err);
	assert_non_null(reader);
	const char *about = trace_reader_description(reader, &bytes);
	assert_int_equal(bytes, strlen("{\"schema\":\"cyclestack-trace-1\"}"));
	assert_memory_equal(about, "{\"schema\":\"cyclestack-trace-1\"}", bytes);
	got->count = 0;
	assert_true(trace_reader_run(reader, keep, got, &err));
	assert_int_equal(got->count, instructions);
	trace_reader_close(reader);
	free(text);
}

static void export(const struct trace_op *op, uint64_t address, uint64_t next_pc,
		   struct champsim *record);

struct wanted {
	uint8_t unit, control;
	bool is_load, is_store;
	uint8_t address_sources, sources[4], destinations[2];
	uint64_t address, next;
};

static void assert_step(const struct got *got, size_t i, uint8_t bytes, const struct wanted *want)
{
	const struct trace_op *op = &got->ops[i];

	assert_int_equal(op->pc, IP);
	assert_int_equal(op->raw, 0);
	assert_int_equal(op->bytes, bytes);
	assert_int_equal(op->unit, want->unit);
	assert_int_equal(op->control, want->control);
	assert_int_equal(op->is_load, want->is_load);
	assert_int_equal(op->is_store, want->is_store);
	assert_int_equal(op->access_bytes, want->is_load || want->is_store ? 8 : 0);
	assert_int_equal(op->address_sources, want->address_sources);
	assert_memory_equal(op->sources, want->sources, 4);
	assert_memory_equal(op->destinations, want->destinations, 2);
	assert_int_equal(got->steps[i].address, want->address);
	assert_int_equal(got->steps[i].next_pc, want->next);
}

static const struct {
	struct champsim record;
	unsigned count;
	struct wanted steps[4];
} imports[] = {
	{{IP, 0, 0, {6, 64}, {4, 65, 127, 128}, {0}, {0}},
	 1,
	 {{UNIT_ALU, 0, false, false, 4, {67, 1, 63, 128}, {2, 127}, 0, IP + 4}}},
	{{IP, 0, 0, {1, 191}, {255, 63, 66, 5}, {0}, {0, 0x500}},
	 1,
	 {{UNIT_LOAD, 0, true, false, 4, {255, 126, 69, 68}, {64, 191}, 0x500, IP + 4}}},
	{{IP, 0, 0, {0}, {7, 8}, {0, 0x600}, {0}},
	 1,
	 {{UNIT_STORE, 0, false, true, 1, {70, 71}, {0}, 0x600, IP + 4}}},
	{{IP, 0, 0, {9}, {7, 8}, {0x600}, {0, 0, 0x600}},
	 1,
	 {{UNIT_AMO, 0, true, true, 4, {70, 71}, {72}, 0x600, IP + 4}}},
	/* Two accesses: two steps, the store without what the load writes. */
	{{IP, 0, 0, {9, 10}, {7, 8}, {0x608}, {0, 0, 0x600}},
	 2,
	 {{UNIT_LOAD, 0, true, false, 4, {70, 71}, {72, 73}, 0x600, IP},
	  {UNIT_STORE, 0, false, true, 4, {70, 71}, {0}, 0x608, IP + 4}}},
	{{IP, 0, 0, {9}, {7}, {0x608, 0x610}, {0}},
	 2,
	 {{UNIT_STORE, 0, false, true, 4, {70}, {0}, 0x608, IP},
	  {UNIT_STORE, 0, false, true, 4, {70}, {0}, 0x610, IP + 4}}},
	{{IP, 0, 0, {9}, {7}, {0x600, 0x610}, {0x600}},
	 3,
	 {{UNIT_LOAD, 0, true, false, 4, {70}, {72}, 0x600, IP},
	  {UNIT_STORE, 0, false, true, 4, {70}, {0}, 0x600, IP},
	  {UNIT_STORE, 0, false, true, 4, {70}, {0}, 0x610, IP + 4}}},
	/* Branches by what they read; what tells the kind is no dependence, but flags are. */
	{{IP, 1, 0, {26}, {26, 25}, {0}, {0}},
	 1,
	 {{UNIT_BRANCH, CONTROL_CONDITIONAL, false, false, 4, {88}, {0}, 0, IP + 4}}},
	{{IP, 1, 0, {26}, {25}, {0}, {0}},
	 1,
	 {{UNIT_BRANCH, CONTROL_CONDITIONAL, false, false, 4, {88}, {0}, 0, IP + 4}}},
	{{IP, 1, 0, {26}, {26, 9}, {0}, {0}},
	 1,
	 {{UNIT_BRANCH, CONTROL_CONDITIONAL, false, false, 4, {72}, {0}, 0, IP + 4}}},
	{{IP, 1, 0, {26}, {9, 25, 10}, {0}, {0}},
	 1,
	 {{UNIT_BRANCH, CONTROL_CONDITIONAL, false, false, 4, {72, 88, 73}, {0}, 0, IP + 4}}},
	{{IP, 1, 1, {26}, {26}, {0}, {0}},
	 1,
	 {{UNIT_JUMP, CONTROL_JUMP, false, false, 4, {0}, {0}, 0, IP + 4}}},
	{{IP, 1, 1, {26}, {0}, {0}, {0}},
	 1,
	 {{UNIT_JUMP, CONTROL_JUMP, false, false, 4, {0}, {0}, 0, IP + 4}}},
	{{IP, 1, 1, {26, 6}, {26, 6}, {0}, {0}},
	 1,
	 {{UNIT_JUMP, CONTROL_CALL, false, false, 4, {0}, {0}, 0, IP + 4}}},
	{{IP, 1, 1, {26}, {0, 0, 0, 9}, {0}, {0}},
	 1,
	 {{UNIT_JUMP_INDIRECT, CONTROL_INDIRECT, false, false, 4, {72}, {0}, 0, IP + 4}}},
	{{IP, 1, 1, {26, 6}, {26, 9, 6, 70}, {0}, {0}},
	 1,
	 {{UNIT_JUMP_INDIRECT, CONTROL_INDIRECT_CALL, false, false, 4, {72, 6}, {0}, 0, IP + 4}}},
	{{IP, 1, 1, {26, 6}, {6}, {0}, {0}},
	 1,
	 {{UNIT_JUMP_INDIRECT, CONTROL_RETURN, false, false, 4, {0}, {0}, 0, IP + 4}}},
	{{IP, 1, 1, {26, 6}, {0, 9, 0, 6}, {0}, {0}},
	 1,
	 {{UNIT_JUMP_INDIRECT, CONTROL_RETURN, false, false, 4, {72}, {0}, 0, IP + 4}}},
	/* A branch with accesses comes after them. */
	{{IP, 1, 1, {26, 6}, {26, 6, 9}, {0x700}, {0x600, 0x608}},
	 4,
	 {{UNIT_LOAD, 0, true, false, 4, {89, 2, 72}, {0}, 0x600, IP},
	  {UNIT_LOAD, 0, true, false, 4, {89, 2, 72}, {0}, 0x608, IP},
	  {UNIT_STORE, 0, false, true, 4, {89, 2, 72}, {0}, 0x700, IP},
	  {UNIT_JUMP_INDIRECT, CONTROL_INDIRECT_CALL, false, false, 4, {72}, {0}, 0, IP + 4}}},
	{{IP, 1, 1, {26, 6}, {6}, {0}, {0x600}},
	 2,
	 {{UNIT_LOAD, 0, true, false, 4, {2}, {0}, 0x600, IP},
	  {UNIT_JUMP_INDIRECT, CONTROL_RETURN, false, false, 4, {0}, {0}, 0, IP + 4}}},
};

TEST(a_record_becomes_these_steps)
{
	struct got got;

	for (size_t i = 0; i < ARRAY_COUNT(imports); i++) {
		const struct champsim *r = &imports[i].record;

		import(r, 1, &got);
		assert_int_equal(got.count, imports[i].count);
		for (unsigned k = 0; k < got.count; k++)
			assert_step(&got, k, 4, &imports[i].steps[k]);
	}
}

TEST(lengths_are_distances)
{
	static const struct {
		uint64_t distance;
		bool taken;
		uint8_t bytes;
	} cases[] = {
		{1, false, 1}, {2, false, 2},  {15, false, 15}, {16, false, 4},
		{0, false, 4}, {-1, false, 4}, {4, true, 2},	{2, true, 4},
		{5, true, 4},  {3, true, 4},   {300, true, 4},
	};
	struct got got;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct champsim records[] = {
			{.ip = IP, .is_branch = 1, .taken = cases[i].taken, .sources = {26, 25}},
			{.ip = IP + cases[i].distance}};

		import(records, 2, &got);
		assert_int_equal(got.count, 2);
		assert_int_equal(got.ops[0].bytes, cases[i].bytes);
		assert_int_equal(got.steps[0].next_pc, IP + cases[i].distance);
	}
}

/* As of x86: calls of 5, 2, 3 and 7 bytes, one of them twice before it returns, and one that never
 * does. A call's target is no neighbour of it. */
TEST(a_call_is_as_long_as_its_return_says)
{
#define CALL(at)                                                                              \
	{                                                                                     \
		.ip = (at), .is_branch = 1, .taken = 1, .destinations = {26, 6}, .sources = { \
			26,                                                                   \
			6                                                                     \
		}                                                                             \
	}
#define RETURN(at)                                                                                \
	{                                                                                         \
		.ip = (at), .is_branch = 1, .taken = 1, .destinations = {26, 6}, .sources = { 6 } \
	}
	const struct champsim direct[] = {
		CALL(IP), CALL(IP + 0x103), RETURN(IP + 0x204), RETURN(IP + 0x105), {.ip = IP + 5}};
	const struct champsim again[] = {CALL(IP),	    CALL(IP),	      CALL(IP + 0x31),
					 RETURN(IP + 0x50), RETURN(IP + 0x3), {.ip = IP + 3}};
	const uint8_t direct_bytes[] = {5, 2, 4, 4, 4}, again_bytes[] = {3, 3, 4, 4, 4, 4};
	struct got got;

	import(direct, 5, &got);
	assert_int_equal(got.count, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(got.ops[i].bytes, direct_bytes[i]);
	/* The third call is left without a return: both returns are of the first. */
	import(again, 6, &got);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(got.ops[i].bytes, again_bytes[i]);
	/* One to the instruction behind it, which is how a program finds its own address. */
	const struct champsim next[] = {CALL(IP), RETURN(IP + 5), {.ip = IP + 5}};
	import(next, 3, &got);
	assert_int_equal(got.ops[0].bytes, 5);
#undef CALL
#undef RETURN
}

/* A branch has one length, taken or not. */
TEST(a_branch_is_one_op)
{
	const struct champsim records[] = {
		{.ip = IP, .is_branch = 1, .taken = 1, .sources = {26, 25}},
		{.ip = IP, .is_branch = 1, .taken = 0, .sources = {26, 25}},
		{.ip = IP + 6},
	};
	struct got got;

	import(records, 3, &got);
	assert_int_equal(got.ops[0].bytes, 6);
	assert_int_equal(got.ops[0].number, got.ops[1].number);
}

/* Whatever number a register has, it stays apart from all others, and comes back as it was. */
TEST(registers_do_not_collide)
{
	bool seen[256] = {0};
	struct got got;

	for (unsigned reg = 1; reg < 256; reg++) {
		const struct champsim record = {.ip = IP, .sources = {(uint8_t)reg}};
		union {
			struct champsim record;
			char room[65];
		} back;

		import(&record, 1, &got);
		assert_false(seen[got.ops[0].sources[0]]);
		seen[got.ops[0].sources[0]] = true;
		export(&got.ops[0], 0, IP + 4, &back.record);
		assert_memory_equal(&back.record, &record, 64);
	}
}

/* Addresses of which each belongs where all others do in the importer's table: each is what it is,
 * and it does not take the square of the time. */
TEST(addresses_that_compete_for_one_place_stay_apart)
{
	const uint64_t inverse = UINT64_C(0xf1de83e19937733d);
	const size_t count = 200000;
	struct champsim *records = calloc(count, sizeof(*records));
	char *text = NULL;
	size_t size = 0, read, at = 0;
	uint64_t instructions = 0;
	struct trace_step steps[64];
	struct err err;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < count; i++)
		records[i] = (struct champsim){.ip = i % 70000 * inverse, .sources = {1}};
	assert_true(champsim_import((const uint8_t *)records, 64 * count, "r", out, &instructions,
				    &err));
	fclose(out);
	struct trace_reader *reader = trace_reader_open((uint8_t *)text, size, "t", &err);
	do {
		assert_true(trace_reader_next(reader, steps, 64, &read, &err));
		for (size_t i = 0; i < read; i++, at++)
			assert_true(steps[i].op->pc == records[at].ip);
	} while (read);
	assert_int_equal(at, count);
	trace_reader_close(reader);
	free(text);
	free(records);
}

/* Instructions at one address that differ in a single field are different ones. */
TEST(ops_are_told_apart)
{
	const struct champsim records[] = {
		{.ip = IP, .sources = {65, 66}, .destinations = {67}},
		{.ip = IP, .sources = {65, 68}, .destinations = {67}},
		{.ip = IP, .sources = {65, 66}, .destinations = {68}},
		{.ip = IP, .sources = {65, 66}, .destinations = {67}, .loads = {8}},
		{.ip = IP, .sources = {65, 66}, .destinations = {67}},
		{.ip = IP + 3, .sources = {65, 66}, .destinations = {67}},
	};
	/* Of one store the data are known to be no part of the address; of two nothing is. */
	const struct champsim stores[] = {{.ip = IP, .sources = {65, 67}, .stores = {8}},
					  {.ip = IP, .sources = {65, 67}, .stores = {8, 16}}};
	struct got got;

	import(stores, 2, &got);
	assert_int_equal(got.count, 3);
	assert_int_equal(got.ops[0].address_sources, 1);
	assert_int_equal(got.ops[1].address_sources, 4);
	assert_int_equal(got.ops[2].address_sources, 4);
	import(records, ARRAY_COUNT(records), &got);
	assert_int_equal(got.count, 6);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(got.ops[i].pc, i == 5 ? IP + 3 : IP);
		assert_int_equal(got.ops[i].bytes, i < 5 ? 3 : 4);
		assert_int_equal(got.ops[i].sources[1], i == 1 ? 4 : 69);
		assert_int_equal(got.ops[i].destinations[0], i == 2 ? 4 : 3);
		assert_int_equal(got.ops[i].is_load, i == 3);
	}
	/* Branches of two kinds that are one unit; and the first kind once more. */
	const struct champsim branches[] = {
		{.ip = IP, .is_branch = 1, .taken = 1, .sources = {26}},
		{.ip = IP, .is_branch = 1, .taken = 1, .sources = {26, 6}},
		{.ip = IP, .is_branch = 1, .taken = 1, .sources = {26}},
		{.ip = IP + 9},
	};
	import(branches, 4, &got);
	assert_int_equal(got.ops[0].control, CONTROL_JUMP);
	assert_int_equal(got.ops[1].control, CONTROL_CALL);
	assert_int_equal(got.ops[2].control, CONTROL_JUMP);
	assert_int_equal(got.ops[2].number, got.ops[0].number);
	assert_int_not_equal(got.ops[1].number, got.ops[0].number);
}

/* More instructions than the first room that is made for them. */
TEST(many_ops)
{
	static struct champsim records[1000];
	char *text = NULL;
	size_t size = 0, count;
	uint64_t instructions = 0, at = 0;
	struct trace_step steps[64];
	struct err err;
	FILE *out = open_memstream(&text, &size);

	for (unsigned i = 0; i < 1000; i++)
		records[i] = (struct champsim){.ip = 0x1000 + 4 * (i % 500),
					       .sources = {(uint8_t)(1 + i % 5)}};
	assert_true(champsim_import((const uint8_t *)records, sizeof(records), "r", out,
				    &instructions, &err));
	assert_int_equal(instructions, 1000);
	fclose(out);
	struct trace_reader *reader = trace_reader_open((uint8_t *)text, size, "t", &err);
	do {
		assert_true(trace_reader_next(reader, steps, 64, &count, &err));
		for (size_t i = 0; i < count; i++, at++) {
			assert_int_equal(steps[i].op->pc, 0x1000 + 4 * (at % 500));
			assert_int_equal(steps[i].op->number, at % 500);
			assert_int_equal(steps[i].op->sources[0], 64 + at % 5);
		}
	} while (count);
	assert_int_equal(at, 1000);
	trace_reader_close(reader);
	free(text);
}

TEST(what_is_no_record_is_named)
{
	static const char cut[] =
		"r: the record that begins at byte 0 is cut off by the end of the "
		"file, at byte %d: records have 64 bytes";
	static const char bad[] =
		"r: at byte %d: is_branch is %d and branch_taken %d, but only 0 and 1 are possible, "
		"and only a branch is taken: these are no ChampSim records of 64 bytes";
	static const struct {
		const char *begin;
		size_t size;
		unsigned flag_at, flags[2];
		const char *sentence;
		int numbers[3];
	} cases[] = {
		{"", 0, 0, {0}, "r is empty: expected ChampSim records of 64 bytes", {0}},
		{"\xfd"
		 "7zXZ",
		 6,
		 0,
		 {0},
		 "r is compressed: unpack it first, with xz -d or gzip -d",
		 {0}},
		{"\xfd"
		 "7zXZ",
		 128,
		 0,
		 {0},
		 "r is compressed: unpack it first, with xz -d or gzip -d",
		 {0}},
		{"\xfd"
		 "7zXZ",
		 5,
		 0,
		 {0},
		 cut,
		 {5}},
		{"\x1f\x8b",
		 2,
		 0,
		 {0},
		 "r is compressed: unpack it first, with xz -d or gzip -d",
		 {0}},
		{"\x1f\x8b", 1, 0, {0}, cut, {1}},
		{"", 63, 0, {0}, cut, {63}},
		{"", 64, 8, {2, 0}, bad, {8, 2, 0}},
		{"", 64, 8, {2, 1}, bad, {8, 2, 1}},
		{"", 64, 8, {0, 1}, bad, {8, 0, 1}},
		{"", 64, 8, {1, 2}, bad, {8, 1, 2}},
		{"", 128, 72, {0, 1}, bad, {72, 0, 1}},
		{"",
		 129,
		 0,
		 {0},
		 "r: the record that begins at byte 128 is cut off by the end of the file, at byte "
		 "129: records have 64 bytes",
		 {0}},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		uint8_t *bytes = calloc(1, cases[i].size + 1), *end;
		char sentence[400], *text = NULL;
		size_t size = 0;
		uint64_t instructions;
		struct err err = {.text = ""};
		FILE *out = open_memstream(&text, &size);

		memcpy(bytes, cases[i].begin,
		       strlen(cases[i].begin) < cases[i].size ? strlen(cases[i].begin)
							      : cases[i].size);
		if (cases[i].flag_at) {
			bytes[cases[i].flag_at] = (uint8_t)cases[i].flags[0];
			bytes[cases[i].flag_at + 1] = (uint8_t)cases[i].flags[1];
		}
		/* A copy that ends where the file ends. */
		end = malloc(cases[i].size ? cases[i].size : 1);
		memcpy(end, bytes, cases[i].size);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(sentence, sizeof(sentence), cases[i].sentence, cases[i].numbers[0],
			 cases[i].numbers[1], cases[i].numbers[2]);
#pragma GCC diagnostic pop
		assert_false(champsim_import(end, cases[i].size, "r", out, &instructions, &err));
		assert_string_equal(err.text, sentence);
		fclose(out);
		assert_int_equal(size, 0);
		free(text);
		free(bytes);
		free(end);
	}
}

/* ---- export ---- */

static void export(const struct trace_op *op, uint64_t address, uint64_t next_pc,
		   struct champsim *record)
{
	struct trace_writer *writer = trace_writer_create("{}");
	const struct trace_step step = {op, address, next_pc};
	uint64_t instructions = 0;
	struct err err;

	trace_writer_add(writer, &step, 1);
	const struct bytes *trace = trace_writer_finish(writer, "");
	struct trace_reader *reader = trace_reader_open(trace->bytes, trace->count, "t", &err);
	FILE *out = fmemopen(record, 65, "w");
	assert_true(champsim_export(reader, out, &instructions, &err));
	assert_int_equal(instructions, 1);
	assert_int_equal(ftell(out), 64);
	fclose(out);
	trace_reader_close(reader);
	trace_writer_destroy(writer);
}

TEST(a_step_becomes_this_record)
{
	static const struct {
		struct trace_op op;
		uint64_t address, next;
		struct champsim record;
	} cases[] = {
		{{.unit = UNIT_ALU, .sources = {0, 5, 0, 7}, .destinations = {0, 3}},
		 0,
		 IP + 4,
		 {.destinations = {0, 67}, .sources = {69, 71}}},
		{{.unit = UNIT_ALU, .sources = {1, 2, 63, 64}, .destinations = {2, 200}},
		 0,
		 IP + 4,
		 {.destinations = {6, 200}, .sources = {65, 6, 127, 1}}},
		{{.unit = UNIT_LOAD, .is_load = true, .sources = {2}, .destinations = {10}},
		 0x700,
		 IP + 4,
		 {.destinations = {74}, .sources = {6}, .loads = {0x700}}},
		{{.unit = UNIT_STORE, .is_store = true, .sources = {2, 11}},
		 0x708,
		 IP + 4,
		 {.sources = {6, 75}, .stores = {0x708}}},
		{{.unit = UNIT_AMO, .is_load = true, .is_store = true, .sources = {10}},
		 0x710,
		 IP + 4,
		 {.sources = {74}, .stores = {0x710}, .loads = {0x710}}},
		{{.unit = UNIT_BRANCH, .control = CONTROL_CONDITIONAL, .sources = {10, 11}},
		 0,
		 IP + 4,
		 {.is_branch = 1, .destinations = {26}, .sources = {26, 74, 75, 25}}},
		{{.unit = UNIT_BRANCH, .control = CONTROL_CONDITIONAL, .sources = {10, 11}},
		 0,
		 IP + 8,
		 {.is_branch = 1, .taken = 1, .destinations = {26}, .sources = {26, 74, 75, 25}}},
		/* What would make it another kind is left out; without anything else, flags tell
		   it. */
		{{.unit = UNIT_BRANCH, .control = CONTROL_CONDITIONAL, .sources = {2, 11}},
		 0,
		 IP + 4,
		 {.is_branch = 1, .destinations = {26}, .sources = {26, 75, 25}}},
		{{.unit = UNIT_BRANCH, .control = CONTROL_CONDITIONAL},
		 0,
		 IP + 4,
		 {.is_branch = 1, .destinations = {26}, .sources = {26, 25}}},
		/* Of another machine: three registers and flags. */
		{{.unit = UNIT_BRANCH, .control = CONTROL_CONDITIONAL, .sources = {72, 88, 73, 74}},
		 0,
		 IP + 4,
		 {.is_branch = 1, .destinations = {26}, .sources = {26, 9, 10, 11}}},
		{{.unit = UNIT_JUMP, .control = CONTROL_JUMP, .sources = {10}},
		 0,
		 IP + 4,
		 {.is_branch = 1, .taken = 1, .destinations = {26}, .sources = {26}}},
		{{.unit = UNIT_JUMP, .control = CONTROL_CALL, .sources = {10}, .destinations = {1}},
		 0,
		 IP + 4,
		 {.is_branch = 1, .taken = 1, .destinations = {26, 6}, .sources = {26, 6}}},
		{{.unit = UNIT_JUMP_INDIRECT, .control = CONTROL_INDIRECT, .sources = {10}},
		 0,
		 IP,
		 {.is_branch = 1, .taken = 1, .destinations = {26}, .sources = {74}}},
		{{.unit = UNIT_JUMP_INDIRECT, .control = CONTROL_INDIRECT},
		 0,
		 IP,
		 {.is_branch = 1, .taken = 1, .destinations = {26}, .sources = {255}}},
		{{.unit = UNIT_JUMP_INDIRECT, .control = CONTROL_INDIRECT, .sources = {2}},
		 0,
		 IP,
		 {.is_branch = 1, .taken = 1, .destinations = {26}, .sources = {255}}},
		{{.unit = UNIT_JUMP_INDIRECT, .control = CONTROL_INDIRECT, .sources = {64, 10}},
		 0,
		 IP,
		 {.is_branch = 1, .taken = 1, .destinations = {26}, .sources = {1, 74}}},
		{{.unit = UNIT_JUMP_INDIRECT, .control = CONTROL_INDIRECT, .sources = {1}},
		 0,
		 IP,
		 {.is_branch = 1, .taken = 1, .destinations = {26}, .sources = {65}}},
		{{.unit = UNIT_JUMP_INDIRECT,
		  .control = CONTROL_INDIRECT_CALL,
		  .sources = {11},
		  .destinations = {1}},
		 0,
		 IP,
		 {.is_branch = 1, .taken = 1, .destinations = {26, 6}, .sources = {26, 6, 75}}},
		{{.unit = UNIT_JUMP_INDIRECT, .control = CONTROL_RETURN, .sources = {1}},
		 0,
		 IP,
		 {.is_branch = 1, .taken = 1, .destinations = {26, 6}, .sources = {6, 65}}},
		/* Floating point: what is stored, and three sources. */
		{{.unit = UNIT_STORE, .is_store = true, .sources = {10, 42}},
		 0x708,
		 IP + 4,
		 {.sources = {74, 106}, .stores = {0x708}}},
		{{.unit = UNIT_FP_MUL, .sources = {32, 33, 63}, .destinations = {34}},
		 0,
		 IP + 4,
		 {.destinations = {98}, .sources = {96, 97, 127}}},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct trace_op op = cases[i].op;
		struct champsim want = cases[i].record;
		union {
			struct champsim record;
			char room[65];
		} got;

		op.pc = want.ip = IP;
		op.bytes = 4;
		op.insn.op = OP_ILLEGAL;
		op.access_bytes = op.is_load || op.is_store ? 8 : 0;
		export(&op, cases[i].address, cases[i].next, &got.record);
		assert_memory_equal(&got.record, &want, 64);
	}
}

/* So many that the file would be too large, by what the index says. */
TEST(too_many_to_export)
{
	static const struct {
		uint32_t steps;
		const char *sentence;
	} cases[] = {
		{8387584, "t: damaged at byte 18: the index does not follow the last frame"},
		{8387585, "the trace has 8387585 instructions and at most 8387584 can be exported: "
			  "record fewer with --max-insns"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct trace_writer *writer = trace_writer_create("{}");
		uint8_t *bytes = trace_writer_finish(writer, "")->bytes;
		uint64_t instructions;
		struct err err = {.text = ""};
		FILE *out = fmemopen(NULL, 64, "w");

		memcpy(bytes + 18 + 8, &cases[i].steps, 4);
		uint32_t crc = crc32_add(0, bytes + 18, 20);
		memcpy(bytes + 18 + 20, &crc, 4);
		struct trace_reader *reader = trace_reader_open(bytes, 62, "t", &err);
		assert_false(champsim_export(reader, out, &instructions, &err));
		assert_string_equal(err.text, cases[i].sentence);
		trace_reader_close(reader);
		fclose(out);
		trace_writer_destroy(writer);
	}
}

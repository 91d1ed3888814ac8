/* Functions and lines of a trace as text and back, and what an op keeps of its instruction. */
#include "../test.h"
#include "../replace.h"
#include "base/array.h"
#include "image/debug.h"
#include "trace/places.h"
#include "trace/record.h"

static bool has_tables;
static int table;

static const struct lines *the_lines(struct debug *debug)
{
	(void)debug;
	return has_tables ? (void *)&table : NULL;
}
REPLACE(debug_lines, the_lines);

static const char *function_at(struct debug *debug, uint64_t address, const struct symbol **symbol)
{
	(void)debug, (void)symbol;
	if (!has_tables || address < 0x100 || address >= 0x130)
		return NULL;
	return address >= 0x120 ? "g" : "f";
}
REPLACE(debug_function, function_at);

static bool line_at(const struct lines *lines, uint64_t address, struct source_line *out)
{
	(void)lines;
	if (address >= 0x118)
		return false;
	*out = (struct source_line){"a.c", "", address < 0x108 ? 3 : 4, 0};
	return true;
}
REPLACE(lines_find, line_at);

/* Not in order; one twice, one longer, two that overlap, a gap. The program is at 0x1000. */
static const struct trace_op ops[] = {
	{.pc = 0x1108, .bytes = 4}, {.pc = 0x1100, .bytes = 4}, {.pc = 0x1104, .bytes = 4},
	{.pc = 0x1104, .bytes = 2}, {.pc = 0x1110, .bytes = 4}, {.pc = 0x1118, .bytes = 2},
	{.pc = 0x111a, .bytes = 6}, {.pc = 0x1120, .bytes = 4}, {.pc = 0x1200, .bytes = 4},
};

static size_t op_count(const struct recorder *recorder)
{
	(void)recorder;
	return ARRAY_COUNT(ops);
}
REPLACE(recorder_op_count, op_count);

static const struct trace_op *op_of(const struct recorder *recorder, size_t index)
{
	(void)recorder;
	return &ops[index];
}
REPLACE(recorder_op, op_of);

TEST(neighbours_of_one_place_are_one_range)
{
	static struct process process;

	process.bias = 0x1000;
	has_tables = true;
	char *text = trace_places_text(NULL, &process);
	/* f: line 3 to 0x1108, line 4 in two parts, no line to 0x1120; g; nothing known. */
	assert_string_equal(text, "{\"names\":[\"f\",\"a.c\",\"\",\"g\",\"(unknown)\"],\"ranges\":["
				  "[4352,4360,0,1,3],[4360,4364,0,1,4],[4368,4372,0,1,4],"
				  "[4376,4384,0,2,0],[4384,4388,3,2,0],[4608,4612,4,2,0]]}");
	free(text);
	has_tables = false;
	text = trace_places_text(NULL, &process);
	assert_string_equal(text, "{\"names\":[\"(unknown)\",\"\"],\"ranges\":["
				  "[4352,4364,0,1,0],[4368,4372,0,1,0],[4376,4388,0,1,0],"
				  "[4608,4612,0,1,0]]}");
	free(text);
}

TEST(places_are_found)
{
	static const char text[] = "{\"names\":[\"f\",\"a.c\",\"g\",\"\"],\"ranges\":["
				   "[16,32,0,1,7],[32,33,2,3,0],[40,50,0,1,4294967295]]}";
	static const struct {
		uint64_t pc;
		const char *function, *file;
		uint32_t line;
	} cases[] = {
		{0, "(unknown)", "", 0},
		{15, "(unknown)", "", 0},
		{16, "f", "a.c", 7},
		{31, "f", "a.c", 7},
		{32, "g", "", 0},
		{33, "(unknown)", "", 0},
		{39, "(unknown)", "", 0},
		{40, "f", "a.c", UINT32_MAX},
		{49, "f", "a.c", UINT32_MAX},
		{50, "(unknown)", "", 0},
		{UINT64_MAX, "(unknown)", "", 0},
	};
	struct err err;

	struct trace_places *places = trace_places_read(text, sizeof(text) - 1, &err);
	assert_non_null(places);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct trace_place place = trace_places_find(places, cases[i].pc);

		assert_string_equal(place.function, cases[i].function);
		assert_string_equal(place.file, cases[i].file);
		assert_int_equal(place.line, cases[i].line);
	}
	trace_places_free(places);
	trace_places_free(NULL);
	/* No text, no places. */
	places = trace_places_read("", 0, &err);
	assert_non_null(places);
	assert_string_equal(trace_places_find(places, 16).function, "(unknown)");
	trace_places_free(places);
	assert_string_equal(trace_places_find(NULL, 16).function, "(unknown)");
}

TEST(what_is_no_list_of_places)
{
#define RANGES(ranges) "{\"names\":[\"f\",\"a.c\",7],\"ranges\":[" ranges "]}"
	static const struct {
		const char *text;
		bool ok;
	} cases[] = {
		{RANGES(""), true},
		{RANGES("[1,2,0,1,0]"), true},
		{RANGES("[1,2,0,1,0],[1,2,0,1,0]"), true},
		{RANGES("[2,3,0,1,0],[1,2,0,1,0]"), false},
		{RANGES("[2,2,0,1,0]"), false},
		{RANGES("[1,2,2,1,0]"), false}, /* no text */
		{RANGES("[1,2,0,3,0]"), false},
		{RANGES("[1,2,-1,1,0]"), false},
		{RANGES("[1,2,0,\"a.c\",0]"), false},
		{RANGES("[1,2,0,1,-1]"), false},
		{RANGES("[1,2,0,1,4294967296]"), false},
		{RANGES("[1,2,0,1]"), false},
		{RANGES("[1,2,0,1,0,0]"), false},
		{"{\"names\":[],\"ranges\":{}}", false},
		{"{\"names\":{},\"ranges\":[]}", false},
		{"nonsense", false},
		{"{\"names\":[],\"names\":[],\"ranges\":[]}", false},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct err err = {.text = ""};
		struct trace_places *places =
			trace_places_read(cases[i].text, strlen(cases[i].text), &err);

		if ((places != NULL) != cases[i].ok)
			fail_msg("case %zu", i);
		assert_string_equal(err.text, cases[i].ok
						      ? ""
						      : "the trace's functions and lines are not "
							"what `trace record` writes");
		trace_places_free(places);
	}
}

TEST(an_op_is_its_instruction)
{
	static const struct {
		uint32_t raw;
		uint8_t bytes, unit, control, access;
		bool is_load, is_store;
		uint8_t sources[3], destination;
	} cases[] = {
		{0x00c58533,
		 4,
		 UNIT_ALU,
		 CONTROL_NONE,
		 0,
		 false,
		 false,
		 {11, 12},
		 10},							       /* add a0,a1,a2 */
		{0x4501, 2, UNIT_ALU, CONTROL_NONE, 0, false, false, {0}, 10}, /* c.li a0,0 */
		{0x00058503, 4, UNIT_LOAD, CONTROL_NONE, 1, true, false, {11}, 10}, /* lb */
		{0x0005d503, 4, UNIT_LOAD, CONTROL_NONE, 2, true, false, {11}, 10}, /* lhu */
		{0x0005a503, 4, UNIT_LOAD, CONTROL_NONE, 4, true, false, {11}, 10}, /* lw */
		{0x0005b503, 4, UNIT_LOAD, CONTROL_NONE, 8, true, false, {11}, 10}, /* ld */
		{0x0005b507, 4, UNIT_LOAD, CONTROL_NONE, 8, true, false, {11}, 42}, /* fld fa0 */
		{0x00a58023, 4, UNIT_STORE, CONTROL_NONE, 1, false, true, {11, 10}, 0}, /* sb */
		{0x00a5b027, 4, UNIT_STORE, CONTROL_NONE, 8, false, true, {11, 42}, 0}, /* fsd */
		{0x00c5a52f, 4, UNIT_AMO, CONTROL_NONE, 4, true, true, {11, 12}, 10}, /* amoadd.w */
		{0x1005b52f, 4, UNIT_AMO, CONTROL_NONE, 8, true, false, {11}, 10},    /* lr.d */
		{0x18c5b52f, 4, UNIT_AMO, CONTROL_NONE, 8, true, true, {11, 12}, 10}, /* sc.d */
		{0x00b50463, 4, UNIT_BRANCH, CONTROL_CONDITIONAL, 0, false, false, {10, 11}, 0},
		{0x0040006f, 4, UNIT_JUMP, CONTROL_JUMP, 0, false, false, {0}, 0},
		{0x004000ef, 4, UNIT_JUMP, CONTROL_CALL, 0, false, false, {0}, 1},
		{0x00008067, 4, UNIT_JUMP_INDIRECT, CONTROL_RETURN, 0, false, false, {1}, 0},
		{0x00058067, 4, UNIT_JUMP_INDIRECT, CONTROL_INDIRECT, 0, false, false, {11}, 0},
		{0x000580e7,
		 4,
		 UNIT_JUMP_INDIRECT,
		 CONTROL_INDIRECT_CALL,
		 0,
		 false,
		 false,
		 {11},
		 1},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct insn insn = insn_decode(cases[i].raw);
		struct trace_op op;

		memset(&op, 0xff, sizeof(op));
		trace_op_init(&op, 0x12345678, &insn, cases[i].raw);
		assert_int_equal(op.pc, 0x12345678);
		assert_int_equal(op.raw, cases[i].raw);
		assert_int_equal(op.insn.op, insn.op);
		assert_int_equal(op.bytes, cases[i].bytes);
		assert_int_equal(op.unit, cases[i].unit);
		assert_int_equal(op.control, cases[i].control);
		assert_int_equal(op.access_bytes, cases[i].access);
		assert_int_equal(op.is_load, cases[i].is_load);
		assert_int_equal(op.is_store, cases[i].is_store);
		assert_memory_equal(op.sources, cases[i].sources, 3);
		assert_int_equal(op.sources[3], 0);
		assert_int_equal(op.destinations[0], cases[i].destination);
		assert_int_equal(op.destinations[1], 0);
		assert_int_equal(op.address_sources, 1);
	}
}

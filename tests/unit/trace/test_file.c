/* A trace as a file: the layout byte by byte, and every sentence about a file that is damaged
 * although its check values are right. */
#include "../test.h"
#include "base/array.h"
#include "base/crc32.h"
#include "trace/file.h"

struct made {
	uint8_t bytes[1000];
	size_t count;
};

static void put(struct made *m, const void *bytes, size_t count)
{
	memcpy(m->bytes + m->count, bytes, count);
	m->count += count;
}

static void number(struct made *m, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		m->bytes[m->count++] = (uint8_t)(value >> 8 * i);
}

static void check_value(struct made *m, size_t from)
{
	number(m, crc32_add(0, m->bytes + from, m->count - from), 4);
}

static void header(struct made *m, const char *description)
{
	put(m, "CYTRACE1", 8);
	number(m, strlen(description), 4);
	put(m, description, strlen(description));
	check_value(m, 0);
}

/* A frame of `steps` steps of c.li at pc 0x40. The check value is of fields and streams. */
static void frame(struct made *m, uint32_t steps, uint64_t first, uint64_t end_pc)
{
	static const char ops[] = "\x80\x02\x01\x45", path[] = "\x00\x01\x00\x01";
	struct made all = {.count = 0};
	const unsigned path_bytes = steps > 1 ? 4 : 2;

	put(&all, "FRAM", 4);
	number(&all, steps, 4);
	number(&all, first, 8);
	number(&all, end_pc, 8);
	number(&all, 4, 4);
	number(&all, path_bytes, 4);
	number(&all, 0, 4);
	put(m, all.bytes, 36);
	put(&all, ops, 4);
	put(&all, path, path_bytes);
	number(m, crc32_add(0, all.bytes, all.count), 4);
	put(m, ops, 4);
	put(m, path, path_bytes);
}

struct index {
	uint32_t frames;
	uint64_t steps;
	uint64_t entries[3][2];
};

static size_t index_at(struct made *m, const struct index *index, const char *places)
{
	size_t start = m->count;

	put(m, "INDX", 4);
	number(m, index->frames, 4);
	number(m, index->steps, 8);
	number(m, strlen(places), 4);
	for (unsigned i = 0; i < index->frames; i++) {
		number(m, index->entries[i][0], 8);
		number(m, index->entries[i][1], 8);
	}
	put(m, places, strlen(places));
	check_value(m, start);
	return start;
}

static void trailer(struct made *m, uint64_t index)
{
	size_t start = m->count;

	number(m, index, 8);
	put(m, "CYTREND1", 8);
	check_value(m, start);
}

/* Header of 18 bytes; frames of 3 and 1 steps at 18 and 66; the index at 112. */
static void two_frames(struct made *m)
{
	m->count = 0;
	header(m, "{}");
	frame(m, 3, 0, 0x123456789abc);
	frame(m, 1, 3, 0x77);
}

static const struct index right = {2, 4, {{18, 0}, {66, 3}}};

static void whole(struct made *m)
{
	two_frames(m);
	trailer(m, index_at(m, &right, "[7]"));
}

static bool count_steps(void *context, const struct trace_step *steps, size_t count)
{
	(void)steps;
	*(size_t *)context += count;
	return true;
}

static void assert_refused(const uint8_t *bytes, size_t size, size_t steps, const char *sentence)
{
	/* Memory that ends where the file ends. */
	uint8_t *copy = malloc(size ? size : 1);
	struct err err = {.text = ""};
	size_t got = 0;

	if (size)
		memcpy(copy, bytes, size);
	struct trace_reader *reader = trace_reader_open(copy, size, "t", &err);
	if (reader)
		assert_false(trace_reader_run(reader, count_steps, &got, &err));
	assert_string_equal(err.text, sentence);
	assert_int_equal(got, steps);
	trace_reader_close(reader);
	free(copy);
}

TEST(the_layout_is_this)
{
	const struct insn insn = insn_decode(0x4501);
	struct trace_op op;
	struct made m = {.count = 0};

	trace_op_init(&op, 0x40, &insn, 0x4501);
	op.number = 0;
	const struct trace_step steps[] = {{&op, 0, 0x40}, {&op, 0, 0x40}, {&op, 0, 0x1234567890}};
	struct trace_writer *writer = trace_writer_create("{\"a\":1}");
	assert_true(trace_writer_add(writer, steps, 1));
	assert_true(trace_writer_add(writer, steps + 1, 2));
	const struct bytes *made = trace_writer_finish(writer, "[7,8]");
	header(&m, "{\"a\":1}");
	frame(&m, 3, 0, 0x1234567890);
	trailer(&m, index_at(&m, &(struct index){1, 3, {{23, 0}}}, "[7,8]"));
	assert_int_equal(made->count, m.count);
	assert_memory_equal(made->bytes, m.bytes, m.count);
	trace_writer_destroy(writer);
	trace_writer_destroy(NULL);
	/* Nothing at all: neither frame nor places. */
	writer = trace_writer_create("");
	made = trace_writer_finish(writer, "");
	m.count = 0;
	header(&m, "");
	trailer(&m, index_at(&m, &(struct index){0}, ""));
	assert_int_equal(made->count, m.count);
	assert_memory_equal(made->bytes, m.bytes, m.count);
	trace_writer_destroy(writer);
}

TEST(totals_are_those_of_the_index)
{
	struct trace_totals totals;
	struct made m;
	struct err err;
	size_t bytes;

	whole(&m);
	struct trace_reader *reader = trace_reader_open(m.bytes, m.count, "t", &err);
	assert_non_null(reader);
	assert_memory_equal(trace_reader_description(reader, &bytes), "{}", 2);
	assert_int_equal(bytes, 2);
	assert_true(trace_reader_totals(reader, &totals, &err));
	assert_int_equal(totals.steps, 4);
	assert_int_equal(totals.frames, 2);
	assert_int_equal(totals.bytes, 112 + 20 + 2 * 16 + 3 + 4 + 20);
	assert_int_equal(totals.frame_bytes, 112 - 18);
	assert_int_equal(totals.places_bytes, 3);
	assert_memory_equal(totals.places, "[7]", 3);
	trace_reader_close(reader);
	trace_reader_close(NULL);
}

TEST(any_step_can_be_sought)
{
	/* The steps' next pcs tell them apart. */
	static const uint64_t next[] = {0x40, 0x40, 0x123456789abc, 0x77};
	struct trace_step steps[8];
	struct made m;
	struct err err;
	size_t count;

	whole(&m);
	struct trace_reader *reader = trace_reader_open(m.bytes, m.count, "t", &err);
	for (unsigned from = 0; from <= 6; from++)
		for (size_t most = 1; most <= 4; most++) {
			unsigned at = from;

			assert_true(trace_reader_seek(reader, from, &err));
			for (;;) {
				assert_true(trace_reader_next(reader, steps, most, &count, &err));
				if (!count)
					break;
				assert_true(count <= most);
				for (size_t i = 0; i < count; i++)
					assert_int_equal(steps[i].next_pc, next[at++]);
			}
			assert_int_equal(at, from < 4 ? 4 : from);
		}
	trace_reader_close(reader);
}

TEST(every_part_is_checked)
{
	static const struct {
		struct index index;
		size_t trailer; /* 0: the index */
		size_t steps;
		const char *sentence;
	} cases[] = {
		{{2, 5, {{18, 0}, {66, 3}}},
		 0,
		 4,
		 "t: damaged at byte 112: the index does not follow the last frame"},
		{{2, 4, {{18, 0}, {67, 3}}},
		 0,
		 4,
		 "t: damaged at byte 148: the index names a frame that is not there"},
		{{2, 4, {{18, 0}, {66, 2}}},
		 0,
		 4,
		 "t: damaged at byte 148: the index names a frame that is not there"},
		{{2, 4, {{17, 0}, {66, 3}}},
		 0,
		 4,
		 "t: damaged at byte 132: the index names a frame that is not there"},
		{{3, 4, {{18, 0}, {66, 3}, {112, 4}}},
		 0,
		 4,
		 "t: damaged at byte 164: the index names a frame that is not there"},
		{{1, 4, {{18, 0}}},
		 0,
		 4,
		 "t: damaged at byte 112: the index leaves out frames of the file"},
		{{0, 4, {{0}}},
		 0,
		 4,
		 "t: damaged at byte 112: the index leaves out frames of the file"},
		{{2, 4, {{18, 0}, {66, 3}}},
		 66,
		 4,
		 "t: damaged at byte 66: expected the index here"},
		{{2, 4, {{18, 0}, {66, 3}}},
		 113,
		 4,
		 "t: damaged at byte 113: expected the index here"},
		{{2, 4, {{18, 0}, {66, 3}}},
		 17,
		 4,
		 "t: damaged at byte 171: the trailer names no place for the index"},
		{{2, 4, {{18, 0}, {66, 3}}},
		 171 - 23,
		 4,
		 "t: damaged at byte 171: the trailer names no place for the index"},
		{{2, 4, {{18, 0}, {66, 3}}},
		 171 - 24,
		 4,
		 "t: damaged at byte 147: expected the index here"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct made m;

		two_frames(&m);
		assert_int_equal(m.count, 112);
		size_t start = index_at(&m, &cases[i].index, "[7]");
		trailer(&m, cases[i].trailer ? cases[i].trailer : start);
		assert_refused(m.bytes, m.count, cases[i].steps, cases[i].sentence);
	}
}

TEST(frames_follow_each_other)
{
	static const struct {
		uint32_t steps;
		uint64_t first;
		const char *sentence;
	} cases[] = {
		{0, 3, "t: damaged at byte 66: the frame's steps do not follow those before it"},
		{1, 2, "t: damaged at byte 66: the frame's steps do not follow those before it"},
		{1, 4, "t: damaged at byte 66: the frame's steps do not follow those before it"},
		{1048577, 3,
		 "t: damaged at byte 66: the frame's steps do not follow those before it"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct made m = {.count = 0};

		header(&m, "{}");
		frame(&m, 3, 0, 0);
		frame(&m, cases[i].steps, cases[i].first, 0);
		assert_refused(m.bytes, m.count, 3, cases[i].sentence);
	}
	/* As many steps as a frame may have. */
	struct made m = {.count = 0};
	header(&m, "{}");
	frame(&m, 1048576, 0, 0);
	trailer(&m, index_at(&m, &(struct index){1, 1048576, {{18, 0}}}, ""));
	struct err err;
	size_t steps = 0;
	struct trace_reader *reader = trace_reader_open(m.bytes, m.count, "t", &err);
	assert_true(trace_reader_run(reader, count_steps, &steps, &err));
	assert_int_equal(steps, 1048576);
	trace_reader_close(reader);
	/* A frame that says less than its streams do. */
	m.count = 0;
	header(&m, "{}");
	frame(&m, 2, 0, 0);
	m.bytes[18 + 4] = 1;
	uint32_t crc = crc32_add(crc32_add(0, m.bytes + 18, 36), m.bytes + 18 + 40, 8);
	for (unsigned i = 0; i < 4; i++)
		m.bytes[18 + 36 + i] = (uint8_t)(crc >> 8 * i);
	assert_refused(
		m.bytes, m.count, 0,
		"t: damaged at byte 18: the contents of this frame are not those of a trace");
}

TEST(a_file_is_cut_off)
{
	struct made m;
	char text[200];

	whole(&m);
	assert_int_equal(m.count, 191);
	assert_refused(m.bytes, 0, 0, "t is empty: expected a trace, as `trace record` writes it");
	for (size_t size = 1; size < m.count; size++) {
		size_t steps = size < 66 ? 0 : size < 112 ? 3 : 4;

		if (size < 18)
			snprintf(text, sizeof(text),
				 "t: the header that begins at byte 0 is cut off by the end of the "
				 "file, at byte %zu",
				 size);
		else if ((size < 66 && size >= 22) || (size >= 70 && size < 112))
			snprintf(text, sizeof(text),
				 "t: the frame that begins at byte %d is cut off by the end of the "
				 "file, at byte %zu",
				 size < 66 ? 18 : 66, size);
		else if (size < 116)
			snprintf(text, sizeof(text),
				 "t: the file ends at byte %zu without index and trailer: it was "
				 "cut off, or is still being written",
				 size);
		else
			snprintf(text, sizeof(text),
				 "t: damaged at byte %zu: expected the trailer here: the file was "
				 "cut off or changed",
				 size - 20);
		assert_refused(m.bytes, size, steps, text);
	}
	/* Where header, index and trailer are all there is, they fill the file to a byte. */
	m.count = 0;
	header(&m, "{}");
	trailer(&m, index_at(&m, &(struct index){0}, ""));
	assert_int_equal(m.count, 62);
	snprintf(text, sizeof(text),
		 "t: the file ends at byte 61 without index and trailer: it was cut off, or is "
		 "still being written");
	assert_refused(m.bytes, 61, 0, text);
	struct err err;
	struct trace_reader *reader = trace_reader_open(m.bytes, 62, "t", &err);
	assert_true(trace_reader_run(reader, NULL, NULL, &err));
	assert_true(trace_reader_seek(reader, 0, &err));
	assert_true(trace_reader_seek(reader, 7, &err));
	trace_reader_close(reader);
}

TEST(bytes_are_changed)
{
	static const struct {
		size_t at, steps;
		const char *sentence;
	} cases[] = {
		{0, 0,
		 "t is not a trace: it does not begin, at byte 0, with CYTRACE1 as `trace record` "
		 "writes it"},
		{7, 0,
		 "t is not a trace: it does not begin, at byte 0, with CYTRACE1 as `trace record` "
		 "writes it"},
		{12, 0, "t: damaged at byte 0: the header does not match its check value"},
		{14, 0, "t: damaged at byte 0: the header does not match its check value"},
		{18, 0, "t: damaged at byte 18: expected a frame or the index here"},
		{21, 0, "t: damaged at byte 18: expected a frame or the index here"},
		{26, 0, "t: damaged at byte 18: the frame does not match its check value"},
		{54, 0, "t: damaged at byte 18: the frame does not match its check value"},
		{58, 0, "t: damaged at byte 18: the frame does not match its check value"},
		{65, 0, "t: damaged at byte 18: the frame does not match its check value"},
		{66, 3, "t: damaged at byte 66: expected a frame or the index here"},
		{115, 4, "t: damaged at byte 112: expected a frame or the index here"},
		{120, 4, "t: damaged at byte 112: the index does not match its check value"},
		{164, 4, "t: damaged at byte 112: the index does not match its check value"},
		{170, 4, "t: damaged at byte 112: the index does not match its check value"},
		{171, 4,
		 "t: damaged at byte 171: expected the trailer here: the file was cut off or "
		 "changed"},
		{190, 4,
		 "t: damaged at byte 171: expected the trailer here: the file was cut off or "
		 "changed"},
	};
	struct made m;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		whole(&m);
		m.bytes[cases[i].at] ^= 1;
		assert_refused(m.bytes, m.count, cases[i].steps, cases[i].sentence);
	}
	/* A trailer whose check value is right and whose word is not. */
	whole(&m);
	m.count = 171;
	size_t start = m.count;
	number(&m, 112, 8);
	put(&m, "CYTREND2", 8);
	check_value(&m, start);
	assert_refused(m.bytes, m.count, 4,
		       "t: damaged at byte 171: expected the trailer here: the file was cut off or "
		       "changed");
	/* A description longer than any, though the file may be long enough. */
	whole(&m);
	m.bytes[8] = 1;
	m.bytes[11] = 1;
	assert_refused(m.bytes, m.count, 0,
		       "t: the header that begins at byte 0 is cut off by the end of the file, at "
		       "byte 191");
}

/* What the index says is not believed where a reader seeks by it. */
TEST(seeking_checks_the_index)
{
	static const struct {
		struct index index;
		uint64_t step;
		bool ok;
	} cases[] = {
		{{2, 4, {{18, 0}, {66, 3}}}, 3, true},	{{2, 4, {{17, 0}, {66, 3}}}, 2, false},
		{{2, 4, {{18, 0}, {112, 3}}}, 3, true}, {{2, 4, {{18, 0}, {113, 3}}}, 3, false},
		{{2, 4, {{18, 1}, {66, 3}}}, 0, false}, {{2, 4, {{18, 1}, {66, 3}}}, 1, true},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct made m;
		struct err err = {.text = ""};

		two_frames(&m);
		trailer(&m, index_at(&m, &cases[i].index, ""));
		struct trace_reader *reader = trace_reader_open(m.bytes, m.count, "t", &err);
		assert_int_equal(trace_reader_seek(reader, cases[i].step, &err), cases[i].ok);
		assert_string_equal(err.text,
				    cases[i].ok ? ""
						: "t: damaged at byte 112: the index names a frame "
						  "that is not there");
		trace_reader_close(reader);
	}
}

/* A sink that has had enough ends the reading, which is no failure. */
static bool has_enough(void *context, const struct trace_step *steps, size_t count)
{
	(void)steps;
	*(size_t *)context += count;
	return false;
}

TEST(a_sink_can_end_it)
{
	struct made m;
	struct err err;
	size_t steps = 0;

	whole(&m);
	struct trace_reader *reader = trace_reader_open(m.bytes, m.count, "t", &err);
	assert_true(trace_reader_run(reader, has_enough, &steps, &err));
	assert_int_equal(steps, 3);
	trace_reader_close(reader);
}

static bool keep_pc(void *context, const struct trace_step *steps, size_t count)
{
	uint64_t **pc = context;

	for (size_t i = 0; i < count; i++)
		*(*pc)++ = steps[i].op->pc;
	return true;
}

/* Ops that had a number before are no others', and addresses may be as far apart as they can be. */
TEST(numbers_begin_anew_without_steps)
{
	static const uint64_t pcs[] = {0x100, UINT64_C(1) << 63, UINT64_C(3) << 62, 0x200,
				       0,     UINT64_MAX - 3};
	struct trace_writer *writer = trace_writer_create("{}");
	uint64_t got[6] = {0}, *end = got;
	struct err err = {.text = ""};

	for (size_t i = 0; i < 6; i++) {
		const struct trace_op op = {
			.pc = pcs[i], .bytes = 1, .number = i % 3, .insn = {.op = OP_ILLEGAL}};
		const struct trace_step step = {&op, 0, pcs[(i + 1) % 6]};

		if (i == 3)
			assert_true(trace_writer_add(writer, NULL, 0));
		assert_true(trace_writer_add(writer, &step, 1));
	}
	const struct bytes *trace = trace_writer_finish(writer, "");
	struct trace_reader *reader = trace_reader_open(trace->bytes, trace->count, "t", &err);
	assert_true(trace_reader_run(reader, keep_pc, &end, &err));
	assert_memory_equal(got, pcs, sizeof(pcs));
	trace_reader_close(reader);
	trace_writer_destroy(writer);
}

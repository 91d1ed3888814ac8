/* Instructions of a pipeline's window and those whose results they wait for, from rows that are
 * made up. */
#include "../test.h"
#include "../replace.h"
#include "base/array.h"
#include "count/pipeline.h"
#include "job/insn_text.h"
#include "job/pipeline_rows.h"

#define NEVER PIPELINE_NEVER

/* What is at pc 0x100, 0x104 and so on: rd, rs1, rs2, rs3. */
static const uint8_t registers[][4] = {
	{5, 0, 0, 0},	     /* 0: writes x5 */
	{6, 5, 0, 0},	     /* 1: reads it */
	{5, 6, 5, 0},	     /* 2: reads both, writes x5 again */
	{REG_SINK, 5, 5, 5}, /* 3: reads the new one, three times; writes nothing */
	{7, 6, 0, 40},	     /* 4: reads x6, which has left by then, and f8, which nobody wrote */
	{8, 5, 0, 0},	     /* 5: does not dispatch */
	{9, 6, 5, 7},	     /* 6: of its three, two */
	{5, 0, 0, 0},	     /* 7: writes x5, on a wrong path, and is squashed at 60 */
	{10, 5, 0, 0},	     /* 8: fetched before that: reads it */
	{11, 5, 0, 0},	     /* 9: fetched after it: reads that of 2 */
	{12, 5, 0, 0},	     /* 10: of another thread, whose x5 nobody wrote */
};

static const struct pipeline_row rows[] = {
	{0x100, 1, 5, 6, 7, 30, 3, false, false},
	{0x104, 1, 6, 8, 9, 31, 3, false, false},
	{0x108, 2, 7, 10, 11, 90, 3, false, false},
	{0x10c, 3, 8, 12, NEVER, NEVER, 3, false, false},
	{0x110, 4, 31, 32, 33, 40, 3, false, false},
	{0x114, 5, NEVER, NEVER, NEVER, 20, 3, true, true},
	{0x118, 6, 30, 34, 35, 41, 3, false, false},
	{0x11c, 7, 50, 51, 52, 60, 3, true, true},
	{0x120, 59, 59, 61, 62, 63, 3, false, true},
	{0x124, 60, 70, 71, 72, 73, 3, false, false},
	{0x128, 61, 70, 71, 72, 73, 4, false, false},
};

static const struct pipeline_row *made_up_rows(const struct pipeline *pipeline, size_t *count)
{
	assert_null(pipeline);
	*count = ARRAY_COUNT(rows);
	return rows;
}
REPLACE(pipeline_rows, made_up_rows);

static struct insn insn_at(const struct memory *memory, uint64_t pc, char text[INSN_TEXT_BYTES])
{
	const uint8_t *r = registers[(pc - 0x100) / 4];

	assert_null(memory);
	snprintf(text, INSN_TEXT_BYTES, "insn %d", (int)(pc - 0x100) / 4);
	return (struct insn){.rd = r[0], .rs1 = r[1], .rs2 = r[2], .rs3 = r[3]};
}
REPLACE(insn_text_read, insn_at);

static void assert_cycle(const json_t *row, const char *name, uint64_t want)
{
	const json_t *got = json_object_get(row, name);

	if (want == NEVER)
		assert_true(json_is_null(got));
	else
		assert_int_equal(json_integer_value(got), want);
}

TEST(rows_and_their_producers)
{
	/* -1 ends a list. */
	static const int producers[][3] = {{-1},      {0, -1}, {1, 0, -1}, {2, -1}, {-1}, {-1},
					   {1, 2, 4}, {-1},    {7, -1},	   {2, -1}, {-1}};
	json_t *result = json_object();
	char text[32];

	pipeline_describe(NULL, NULL, result);
	const json_t *list = json_object_get(json_object_get(result, "pipeline"), "instructions");
	assert_int_equal(json_array_size(list), ARRAY_COUNT(rows));
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const json_t *row = json_array_get(list, i),
			     *of = json_object_get(row, "producers");
		size_t count = 0;

		snprintf(text, sizeof(text), "0x%x", 0x100 + 4 * (unsigned)i);
		assert_string_equal(json_string_value(json_object_get(row, "pc")), text);
		snprintf(text, sizeof(text), "insn %zu", i);
		assert_string_equal(json_string_value(json_object_get(row, "text")), text);
		assert_cycle(row, "thread", rows[i].thread);
		assert_cycle(row, "fetched", rows[i].fetched);
		assert_cycle(row, "dispatched", rows[i].dispatched);
		assert_cycle(row, "issued", rows[i].issued);
		assert_cycle(row, "completed", rows[i].completed);
		assert_cycle(row, "ended", rows[i].ended);
		assert_int_equal(json_is_true(json_object_get(row, "squashed")),
				 rows[i].is_squashed);
		assert_int_equal(json_is_true(json_object_get(row, "wrong_path")),
				 rows[i].is_wrong);
		for (; count < 3 && producers[i][count] >= 0; count++)
			assert_int_equal(json_integer_value(json_array_get(of, count)),
					 producers[i][count]);
		assert_int_equal(json_array_size(of), count);
	}
	json_decref(result);
}

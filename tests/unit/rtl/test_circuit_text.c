/* Circuits that are made up: the text of their stimuli, modules and test benches, whole; what is no
 * circuit. */
#include "../test.h"
#include "../bug.h"
#include "keep.h"
#include "rtl/templates.h"
#include "rtl/verilog.h"

static const struct circuit_machine machine;

/* A circuit that is made up: it has three inputs of 5, twice 60 and 3 bits, and shows the number of
 * records and that number times 2^60 + 1, cut to 64 bits, in words of 4 and 64 bits. */
struct made_up {
	uint64_t records;
	bool has_ended;
};

static bool made_up_shape(const struct circuit_machine *of, struct circuit_shape *shape,
			  struct err *err)
{
	(void)of;
	(void)err;
	assert_int_equal(circuit_add_input(shape, 5, 1, "five"), 0);
	assert_int_equal(circuit_add_input(shape, 60, 2, "sixty"), 1);
	assert_int_equal(circuit_add_input(shape, 3, 1, "three%d", 3), 2);
	assert_int_equal(circuit_add_word(shape, 4, false, "a"), 0);
	assert_int_equal(circuit_add_word(shape, 64, true, "b"), 1);
	return true;
}

static void *made_up_create(const struct circuit_machine *of)
{
	assert_ptr_equal(of, &machine);
	return mem_alloc(sizeof(struct made_up));
}

static void made_up_cycle(void *context, const struct cycle *c, struct stimulus *stimulus)
{
	struct made_up *model = context;

	if (c->rob_used == 1)
		stimulus_clear(stimulus);
	stimulus_set(stimulus, 0, c->fetched);
	stimulus_set_field(stimulus, 1, 0, c->head_pc);
	stimulus_set_field(stimulus, 1, 1, c->fetch_pc);
	if (c->rob_used != 1)
		stimulus_set(stimulus, 2, c->fed);
	stimulus_emit(stimulus, c->repeat);
	model->records++;
}

static void made_up_words(const void *context, uint64_t *words)
{
	const struct made_up *model = context;

	words[0] = model->records + (model->has_ended ? 3 : 0);
	words[1] = model->records * ((UINT64_C(1) << 60) + 1);
}

static void made_up_end(void *context, struct stimulus *stimulus)
{
	struct made_up *model = context;

	(void)stimulus;
	model->has_ended = true;
}

static const struct circuit_kind made_up = {
	.name = "made_up",
	.summary = "nothing",
	.events = 5,
	.shape = made_up_shape,
	.create = made_up_create,
	.cycle = made_up_cycle,
	.words = made_up_words,
	.end = made_up_end,
	.destroy = free,
};
static const struct circuit_kind checks_itself = {
	.name = "checks_itself",
	.summary = "nothing",
	.events = 8,
	.shape = made_up_shape,
	.create = made_up_create,
	.cycle = made_up_cycle,
	.words = made_up_words,
	.checks_itself = true,
	.destroy = free,
};

TEST(stimuli_are_text)
{
	static const struct cycle records[] = {
		{.repeat = 7, .fetched = 0x1f},
		/* The lowest of the first sixty is bit 5, and the highest of the second bit 124. */
		{.repeat = 1, .head_pc = 1},
		{.repeat = 2, .head_pc = 1},
		{.repeat = 1, .fetch_pc = UINT64_C(1) << 59},
		{.repeat = 1, .fetch_pc = 0xf, .head_pc = (UINT64_C(1) << 60) - 1, .fed = 5},
		/* A thousand cycles since the last check. */
		{.repeat = 988, .fetched = 1},
		{.repeat = 999, .fetched = 2, .fed = 1},
		/* What was not set stays unless all is cleared. */
		{.repeat = 0, .fetched = 2, .rob_used = 1},
		{.repeat = 1, .fetched = 3, .rob_used = 1},
		{.repeat = 4},
	};
	struct circuit circuits[2];
	struct err err = {.text = ""};

	assert_true(circuit_init(&circuits[0], &made_up, &machine, &err));
	assert_true(circuit_init(&circuits[1], &checks_itself, &machine, &err));
	struct stimuli *stimuli = stimuli_create(circuits, 2, keep, kept);
	assert_int_equal(stimuli_events(stimuli), 13);
	for (size_t i = 0; i < ARRAY_COUNT(records); i++)
		stimuli_cycle(stimuli, &records[i]);
	assert_null(kept[0][0]);
	stimuli_end(stimuli);
	stimuli_destroy(stimuli);
	stimuli_destroy(NULL);
	assert_string_equal(kept[0][STIMULUS_VECTORS], "7 1f\n"
						       "3 20\n"
						       "1 10000000000000000000000000000000\n"
						       "1 a00000000000001fffffffffffffffe0\n"
						       "988 1\n"
						       "0 0\n"
						       "999 20000000000000000000000000000002\n"
						       "1 3\n"
						       "0 0\n"
						       "4 0\n"
						       "0 0\n");
	/* 6 records: 6 * 2^60 + 6; 9; 10 of which the last check adds 3. */
	assert_string_equal(kept[0][STIMULUS_EXPECTED], "60000000000000066\n"
							"90000000000000099\n"
							"a00000000000000ad\n");
	assert_string_equal(kept[1][STIMULUS_VECTORS], "7 1f\n"
						       "3 20\n"
						       "1 10000000000000000000000000000000\n"
						       "1 a00000000000001fffffffffffffffe0\n"
						       "988 1\n"
						       "999 20000000000000000000000000000002\n"
						       "1 3\n"
						       "4 0\n");
	assert_null(kept[1][STIMULUS_EXPECTED]);
	forget();
	circuit_release(&circuits[0]);
	circuit_release(&circuits[1]);
}

/* More than fits into a piece: it comes in several, and in order. */
TEST(long_stimuli_come_in_pieces)
{
	struct circuit circuit;
	struct err err = {.text = ""};
	char line[64];

	assert_true(circuit_init(&circuit, &checks_itself, &machine, &err));
	struct stimuli *stimuli = stimuli_create(&circuit, 1, keep, kept);
	for (unsigned i = 0; i < 4000; i++) {
		const struct cycle record = {.repeat = i + 1, .head_pc = i};

		stimuli_cycle(stimuli, &record);
		/* 16 lines of 1 to 16 cycles have far less than 32 KB. */
		assert_true(i > 16 || !kept[0][0]);
	}
	assert_non_null(kept[0][0]);
	stimuli_end(stimuli);
	stimuli_destroy(stimuli);
	const char *at = kept[0][0];
	for (unsigned i = 0; i < 4000; i++) {
		sprintf(line, "%u %x\n", i + 1, i * 32);
		assert_int_equal(strncmp(at, line, strlen(line)), 0);
		at += strlen(line);
	}
	assert_int_equal(*at, 0);
	forget();
	circuit_release(&circuit);
}

/* The circuit has no inner words. */
static bool is_plain;

/* The text without a template, which must be there. */
static char *without(char *text, const char *template)
{
	const struct rtl_template found = template_named(template);
	char *at = memmem(text, strlen(text), found.bytes, found.size);

	assert_true(found.size > 100);
	assert_non_null(at);
	memmove(at, at + found.size, strlen(at + found.size) + 1);
	return text;
}

static bool text_shape(const struct circuit_machine *of, struct circuit_shape *shape,
		       struct err *err)
{
	(void)of;
	(void)err;
	circuit_add_input(shape, 5, 1, "five");
	circuit_add_input(shape, 20, 3, "sixty");
	circuit_add_word(shape, 4, false, "a");
	circuit_add_word(shape, 7, false, "b");
	if (!is_plain)
		circuit_add_word(shape, 9, true, "c");
	circuit_add_constant(shape, 1234567890123, "LARGE");
	circuit_add_constant(shape, 0, "NONE");
	circuit_add_table(shape, 8, 2, (uint32_t[]){0x12, 0xab}, "TABLE");
	return true;
}

TEST(circuits_are_text)
{
	static const char *const templates[] = {"power5", "counters", "window", NULL};
	struct circuit_kind kind = {.name = "texty",
				    .summary = "a text",
				    .templates = templates,
				    .common = "tables",
				    .shape = text_shape};
	struct circuit circuits[2];
	struct err err = {.text = ""};
	char *text = NULL;
	size_t bytes = 0;

	is_plain = false;
	assert_true(circuit_init(&circuits[0], &kind, &machine, &err));
	FILE *out = open_memstream(&text, &bytes);
	verilog_write_module(out, &circuits[0], "About it.");
	fclose(out);
	/* The body of the module, then whole modules. */
	const struct rtl_template power5 = template_named("power5");
	const char *body = memmem(text, bytes, power5.bytes, power5.size);
	assert_non_null(body);
	assert_int_equal(strncmp(body + power5.size, "endmodule\n", 10), 0);
	without(without(without(without(text, "tables"), "power5"), "counters"), "window");
	assert_string_equal(text, "// texty: a text.\n// About it.\n\nmodule texty (\n"
				  "\tinput wire clock,\n\tinput wire reset,\n\tinput wire valid,\n"
				  "\tinput wire [4:0] five,\n\tinput wire [59:0] sixty,\n"
				  "\toutput wire ready,\n\toutput wire idle,\n"
				  "`ifdef COSIMULATE\n\toutput wire [8:0] inner,\n`endif\n"
				  "\toutput wire [10:0] words\n);\n"
				  "\tlocalparam LARGE = 1234567890123;\n\tlocalparam NONE = 0;\n"
				  "\tlocalparam [15:0] TABLE = 16'hab12;\n\nendmodule\n");
	free(text);
	text = NULL;
	out = open_memstream(&text, &bytes);
	verilog_write_bench(out, &circuits[0], "About it.");
	fclose(out);
	without(text, "bench");
	assert_string_equal(
		text,
		"// Compares the circuit texty with its model, word by word.\n// About it.\n\n"
		"module texty_tb;\n\tlocalparam NAME = \"texty\";\n\tlocalparam INPUT_BITS = 65;\n"
		"\tlocalparam WORD_BITS = 20;\n\tlocalparam WORDS = 3;\n\n"
		"\n\ttexty circuit (\n\t\t.clock(clock),\n\t\t.reset(reset),\n\t\t.valid(valid),\n"
		"\t\t.five(vector[4:0]),\n\t\t.sixty(vector[64:5]),\n\t\t.inner(words[19:11]),\n"
		"\t\t.words(words[10:0]),\n\t\t.ready(ready),\n\t\t.idle(idle));\n"
		"\n\ttask compare_words;\n\t\tbegin\n"
		"\t\t\tif (words[3:0] !== expected[3:0]) begin\n"
		"\t\t\t\t$display(\"texty: check %0d: a is %0d, expected %0d\", checks,\n"
		"\t\t\t\t\twords[3:0], expected[3:0]);\n\t\t\t\tfail;\n\t\t\tend\n"
		"\t\t\tif (words[10:4] !== expected[10:4]) begin\n"
		"\t\t\t\t$display(\"texty: check %0d: b is %0d, expected %0d\", checks,\n"
		"\t\t\t\t\twords[10:4], expected[10:4]);\n\t\t\t\tfail;\n\t\t\tend\n"
		"\t\t\tif (words[19:11] !== expected[19:11]) begin\n"
		"\t\t\t\t$display(\"texty: check %0d: c is %0d, expected %0d\", checks,\n"
		"\t\t\t\t\twords[19:11], expected[19:11]);\n\t\t\t\tfail;\n\t\t\tend\n"
		"\t\tend\n\tendtask\nendmodule\n");
	free(text);
	circuit_release(&circuits[0]);
	/* No inner words, and nothing in common. */
	is_plain = true;
	kind.common = NULL;
	assert_true(circuit_init(&circuits[0], &kind, &machine, &err));
	text = NULL;
	out = open_memstream(&text, &bytes);
	verilog_write_module(out, &circuits[0], "");
	verilog_write_bench(out, &circuits[0], "");
	fclose(out);
	assert_null(strstr(text, " inner,"));
	assert_null(strstr(text, ".inner("));
	assert_null(
		memmem(text, bytes, template_named("tables").bytes, template_named("tables").size));
	free(text);
	text = NULL;
	circuits[1] = circuits[0];
	out = open_memstream(&text, &bytes);
	verilog_write_makefile(out, circuits, 2);
	fclose(out);
	assert_string_equal(without(text, "makefile"), "CIRCUITS := texty texty\n\n");
	free(text);
	circuit_release(&circuits[0]);
}

TEST(numbers_need_bits)
{
	static const struct {
		uint64_t most;
		unsigned bits;
	} rows[] = {{0, 1}, {1, 1}, {2, 2}, {3, 2}, {4, 3}, {255, 8}, {256, 9}, {UINT64_MAX, 64}};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		assert_int_equal(circuit_bits_for(rows[i].most), rows[i].bits);
	struct circuit_shape shape = {0};
	circuit_add_table(&shape, 12, 3, (uint32_t[]){0xabc, 0x1, 0xfff}, "TABLE");
	assert_string_equal(shape.tables[0].name, "TABLE");
	assert_int_equal(shape.tables[0].bits, 36);
	assert_string_equal(shape.tables[0].digits, "fff001abc");
	circuit_add_table(&shape, 32, 2, (uint32_t[]){0x89abcdef, 0x01234567}, "LARGE");
	assert_int_equal(shape.table_count, 2);
	assert_string_equal(shape.tables[0].digits, "fff001abc");
	assert_int_equal(shape.tables[1].bits, 64);
	assert_string_equal(shape.tables[1].digits, "0123456789abcdef");
	assert_int_equal(circuit_add_input(&shape, 64, 1, "input"), 0);
	assert_int_equal(circuit_add_word(&shape, 1, false, "word"), 0);
	assert_int_equal(circuit_add_word(&shape, 64, false, "last"), 1);
	circuit_shape_release(&shape);
	assert_int_equal(shape.table_count, 0);
}

static void wrong_shape(void *context)
{
	struct circuit_shape shape = {0};

	switch (*(int *)context) {
	case 0: circuit_add_input(&shape, 0, 1, "a"); break;
	case 1: circuit_add_input(&shape, 65, 1, "a"); break;
	case 2: circuit_add_input(&shape, 1, 0, "a"); break;
	case 3: circuit_add_word(&shape, 0, false, "a"); break;
	case 4: circuit_add_word(&shape, 65, false, "a"); break;
	case 5:
		circuit_add_word(&shape, 1, true, "a");
		circuit_add_word(&shape, 1, false, "b");
		break;
	case 6: circuit_add_table(&shape, 4, 0, (uint32_t[]){1}, "a"); break;
	case 7: circuit_add_table(&shape, 0, 1, (uint32_t[]){1}, "a"); break;
	case 8: circuit_add_table(&shape, 6, 1, (uint32_t[]){1}, "a"); break;
	case 9: circuit_add_table(&shape, 36, 1, (uint32_t[]){1}, "a"); break;
	case 10: circuit_add_constant(&shape, 1, "%s", ""); break;
	case 11: circuit_add_constant(&shape, 1, "a2345678901234567890123456789012"); break;
	default: circuit_add_constant(&shape, 1, "a234567890123456789012345678901"); break;
	}
}

static int wrong_input;

static void wrong_cycle(void *context, const struct cycle *c, struct stimulus *stimulus)
{
	(void)context;
	(void)c;
	switch (wrong_input) {
	case 0: stimulus_set(stimulus, 0, 32); break;
	case 1: stimulus_set(stimulus, 3, 0); break;
	case 2: stimulus_set_field(stimulus, 1, 2, 0); break;
	default:
		stimulus_set(stimulus, 0, 31);
		stimulus_set_field(stimulus, 1, 1, 0);
		break;
	}
}

static void emit_wrong(void *context)
{
	static struct circuit_kind kind;
	struct circuit circuit;
	struct err err = {.text = ""};

	wrong_input = *(int *)context;
	kind = made_up;
	kind.cycle = wrong_cycle;
	circuit_init(&circuit, &kind, &machine, &err);
	stimuli_cycle(stimuli_create(&circuit, 1, keep, kept), &(struct cycle){.repeat = 1});
}

TEST(wrong_use_is_a_bug)
{
	for (int i = 0; i <= 12; i++)
		assert_int_equal(is_bug(wrong_shape, &i), i < 12);
	for (int i = 0; i <= 3; i++)
		assert_int_equal(is_bug(emit_wrong, &i), i < 3);
}

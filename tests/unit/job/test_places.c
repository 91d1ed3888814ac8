/* Functions, lines and instructions of a run, from a ledger and a program that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "count/exact.h"
#include "image/lines.h"
#include "image/symbols.h"
#include "job/insn_text.h"
#include "job/places.h"

static struct symbols *the_symbols(const uint8_t *bytes, size_t size, const char *name,
				   struct err *err);
static struct lines *the_lines(const uint8_t *bytes, size_t size, const char *name,
			       struct err *err);
static void forget(void *table);
static const struct symbol *symbol_at(const struct symbols *symbols, uint64_t address);
static const struct symbol *symbol_named(const struct symbols *symbols, const char *name);
static bool line_at(const struct lines *lines, uint64_t address, struct source_line *out);
static struct ledger *the_ledger(struct exact *exact);
static uint64_t per_cycle(const struct exact *exact);
static const struct ledger_row *the_rows(struct ledger *ledger, size_t *count);
static const struct ledger_thread *the_threads(struct ledger *ledger, size_t *count);
static const struct ledger_interval *the_intervals(struct ledger *ledger, size_t *count);
static struct insn text_at(const struct memory *memory, uint64_t pc, char text[INSN_TEXT_BYTES]);
#define symbols_read	      the_symbols
#define lines_read	      the_lines
#define symbols_free	      forget
#define lines_free	      forget
#define symbols_find	      symbol_at
#define symbols_by_name	      symbol_named
#define lines_find	      line_at
#define exact_ledger	      the_ledger
#define exact_slots_per_cycle per_cycle
#define ledger_rows	      the_rows
#define ledger_threads	      the_threads
#define ledger_intervals      the_intervals
#define insn_text_read	      text_at
#include "job/places.c" /* with its static functions */

static bool has_tables;
static unsigned freed;
static int table;

static struct symbols *the_symbols(const uint8_t *bytes, size_t size, const char *name,
				   struct err *err)
{
	(void)bytes, (void)err;
	assert_int_equal(size, 77);
	assert_string_equal(name, "p");
	return has_tables ? (void *)&table : NULL;
}

static struct lines *the_lines(const uint8_t *bytes, size_t size, const char *name, struct err *err)
{
	return (void *)the_symbols(bytes, size, name, err);
}

static void forget(void *unused)
{
	(void)unused;
	freed++;
}

static const struct symbol known[] = {{"f", 0x100, 0x0c}, {"g", 0x200, 4}};

static const struct symbol *symbol_at(const struct symbols *symbols, uint64_t address)
{
	(void)symbols;
	for (unsigned i = 0; i < 2; i++)
		if (address >= known[i].address && address < known[i].address + known[i].bytes)
			return &known[i];
	return NULL;
}

static const struct symbol *symbol_named(const struct symbols *symbols, const char *name)
{
	(void)symbols;
	return strcmp(name, "f") == 0 ? &known[0] : strcmp(name, "g") == 0 ? &known[1] : NULL;
}

static bool line_at(const struct lines *lines, uint64_t address, struct source_line *out)
{
	(void)lines;
	if (address >= 0x100 && address < 0x10c)
		*out = (struct source_line){"a.c", "/d", address < 0x108 ? 3 : 2, 1};
	else if (address == 0x300)
		*out = (struct source_line){"h.c", "", 9, 0};
	else
		return false;
	return true;
}

static struct ledger ledger;
/* Not in any order. */
static const struct ledger_row rows[] = {
	{0xa00f, 70, {[CAUSE_BASE] = 2}},
	{0x1108, 30, {[CAUSE_BRANCH] = 5}},
	{0x1200, 40, {[CAUSE_BASE] = 125}},
	{0x1400, 80, {[CAUSE_BASE] = 3}},
	{0x1104, 20, {[CAUSE_BASE] = 7, [CAUSE_L1D] = 13}},
	{0x9010, 60, {[CAUSE_BASE] = 500}},
	{0x1300, 50, {[CAUSE_BASE] = 1}},
	{0x1100, 10, {[CAUSE_BASE] = 100}},
};
static const struct ledger_thread threads_made[] = {{100, {[CAUSE_BASE] = 6}},
						    {101, {[CAUSE_L1I] = 8, [CAUSE_BASE] = 9}}};
static const struct ledger_interval intervals_made[] = {{1000, 1500, {[CAUSE_DTLB] = 4}},
							{900, 800, {[CAUSE_BASE] = 1}}};

static struct ledger *the_ledger(struct exact *exact)
{
	assert_ptr_equal(exact, &table);
	return &ledger;
}

static uint64_t per_cycle(const struct exact *exact)
{
	(void)exact;
	return 4;
}

static size_t row_count = ARRAY_COUNT(rows);

static const struct ledger_row *the_rows(struct ledger *unused, size_t *count)
{
	assert_ptr_equal(unused, &ledger);
	*count = row_count;
	return rows;
}

static const struct ledger_thread *the_threads(struct ledger *unused, size_t *count)
{
	(void)unused;
	*count = 2;
	return threads_made;
}

static const struct ledger_interval *the_intervals(struct ledger *unused, size_t *count)
{
	(void)unused;
	*count = 2;
	return intervals_made;
}

static struct insn text_at(const struct memory *memory, uint64_t pc, char text[INSN_TEXT_BYTES])
{
	(void)memory;
	snprintf(text, INSN_TEXT_BYTES, "at %llx", (unsigned long long)pc);
	return (struct insn){0};
}

static json_t *describe(const char *const *annotate, size_t annotate_count)
{
	static struct elf_segment segments[] = {{.vaddr = 0x100, .mem_bytes = 0x300}};
	static char library[] = "/lib/x/libm.so", plain[] = "plain";
	static struct file_mapping mappings[] = {{.start = 0x9000, .bytes = 0x100, .path = library},
						 {.start = 0xa000, .bytes = 0x10, .path = plain}};
	static struct process process;
	static struct job_machine machine;
	static char name[] = "p";
	const struct program program = {.name = name, .image_bytes = 77};
	const struct job job = {.program = &program,
				.machine = &machine,
				.annotate = annotate,
				.annotate_count = annotate_count};
	json_t *result = json_object();

	config_default(&machine.config);
	machine.config.cache_levels = 1;
	machine.config.tlb_miss = TLB_MISS_FIXED;
	machine.config.memory_kind = MEMORY_FIXED;
	machine.config.memory_line = 0;
	process.bias = 0x1000;
	process.elf.segments = segments;
	process.elf.segment_count = 1;
	process.mappings = mappings;
	process.mapping_count = 2;
	memset(ledger.slots, 0, sizeof(ledger.slots));
	ledger.slots[CAUSE_BASE] = 738;
	ledger.slots[CAUSE_L1D] = 13;
	ledger.slots[CAUSE_BRANCH] = 5;
	freed = 0;
	places_describe((void *)&table, &job, &process, result);
	assert_int_equal(freed, 2);
	return result;
}

static void assert_json(const json_t *got, const char *want)
{
	json_error_t error;
	json_t *wanted = json_loads(want, 0, &error);

	if (!wanted)
		fail_msg("%s", error.text);
	if (!json_equal(got, wanted)) {
		char *text = json_dumps(got, JSON_SORT_KEYS);

		fail_msg("%s", text ? text : "nothing");
	}
	json_decref(wanted);
}

static void functions_and_their_lines(void **unused)
{
	(void)unused;
	has_tables = true;
	json_t *result = describe(NULL, 0), *exact = json_object_get(result, "exact");
	assert_int_equal(json_object_size(result), 1);
	assert_json(
		json_object_get(exact, "functions"),
		"[{\"name\":\"libm.so\",\"file\":\"\",\"line\":0,\"executed\":60,"
		"\"slots\":{\"base\":500},\"lines\":["
		"{\"file\":\"\",\"line\":0,\"executed\":60,\"slots\":{\"base\":500}}]},"
		/* As many slots as g: by name. It begins at line 3. */
		"{\"name\":\"f\",\"file\":\"a.c\",\"line\":3,\"executed\":60,"
		"\"slots\":{\"base\":107,\"l1d\":13,\"branch\":5},\"lines\":["
		"{\"file\":\"a.c\",\"line\":2,\"executed\":30,\"slots\":{\"branch\":5}},"
		"{\"file\":\"a.c\",\"line\":3,\"executed\":30,\"slots\":{\"base\":107,\"l1d\":13}}]},"
		"{\"name\":\"g\",\"file\":\"\",\"line\":0,\"executed\":40,"
		"\"slots\":{\"base\":125},\"lines\":["
		"{\"file\":\"\",\"line\":0,\"executed\":40,\"slots\":{\"base\":125}}]},"
		/* Code of the program without a symbol, and an address behind it. */
		"{\"name\":\"(unknown)\",\"file\":\"h.c\",\"line\":9,\"executed\":130,"
		"\"slots\":{\"base\":4},\"lines\":["
		"{\"file\":\"\",\"line\":0,\"executed\":80,\"slots\":{\"base\":3}},"
		"{\"file\":\"h.c\",\"line\":9,\"executed\":50,\"slots\":{\"base\":1}}]},"
		"{\"name\":\"plain\",\"file\":\"\",\"line\":0,\"executed\":70,"
		"\"slots\":{\"base\":2},\"lines\":["
		"{\"file\":\"\",\"line\":0,\"executed\":70,\"slots\":{\"base\":2}}]}]");
	assert_int_equal(json_integer_value(json_object_get(exact, "slots_per_cycle")), 4);
	assert_json(json_object_get(exact, "threads"),
		    "[{\"id\":100,\"slots\":{\"base\":6}},"
		    "{\"id\":101,\"slots\":{\"base\":9,\"l1i\":8}}]");
	assert_json(json_object_get(exact, "intervals"),
		    "[{\"instructions\":1000,\"cycles\":1500,\"slots\":{\"dtlb\":4}},"
		    "{\"instructions\":900,\"cycles\":800,\"slots\":{\"base\":1}}]");
	/* Every cause that a machine with one cache has, also those without slots. */
	assert_json(json_object_get(exact, "causes"),
		    "{\"base\":738,\"dependence\":0,\"serialise\":0,\"latency\":0,"
		    "\"unit.int_alu\":0,\"unit.int_muldiv\":0,\"unit.memory\":0,\"unit.fp_add\":0,"
		    "\"unit.fp_muldiv\":0,\"store\":0,\"wait\":0,\"replay\":0,\"mshr\":0,\"l1i\":0,"
		    "\"itlb\":0,\"btb\":0,\"taken\":0,\"branch\":5,\"l1d\":13,\"dtlb\":0}");
	json_decref(result);
}

static void annotations(void **unused)
{
	static const char *const two[] = {"f", "g"};

	(void)unused;
	has_tables = true;
	json_t *result = describe(two, 2);
	assert_json(json_object_get(result, "annotation"),
		    "{\"function\":\"f\",\"instructions\":["
		    "{\"pc\":\"0x1100\",\"text\":\"at 1100\",\"file\":\"a.c\",\"directory\":\"/d\","
		    "\"line\":3,\"executed\":10,\"slots\":{\"base\":100}},"
		    "{\"pc\":\"0x1104\",\"text\":\"at 1104\",\"file\":\"a.c\",\"directory\":\"/d\","
		    "\"line\":3,\"executed\":20,\"slots\":{\"base\":7,\"l1d\":13}},"
		    "{\"pc\":\"0x1108\",\"text\":\"at 1108\",\"file\":\"a.c\",\"directory\":\"/d\","
		    "\"line\":2,\"executed\":30,\"slots\":{\"branch\":5}}]}");
	assert_json(json_object_get(result, "more_annotations"),
		    "[{\"function\":\"g\",\"instructions\":["
		    "{\"pc\":\"0x1200\",\"text\":\"at 1200\",\"file\":\"\",\"line\":0,"
		    "\"executed\":40,\"slots\":{\"base\":125}}]}]");
	json_decref(result);
	result = describe(two, 1);
	assert_null(json_object_get(result, "more_annotations"));
	json_decref(result);
	/* Nothing was executed. */
	row_count = 0;
	result = describe(two, 1);
	assert_json(json_object_get(result, "annotation"),
		    "{\"function\":\"f\",\"instructions\":[]}");
	assert_json(json_object_get(json_object_get(result, "exact"), "functions"), "[]");
	json_decref(result);
	row_count = ARRAY_COUNT(rows);
}

static void a_program_without_tables(void **unused)
{
	static const char *const one[] = {"f"};

	(void)unused;
	has_tables = false;
	json_t *result = describe(one, 1);
	const json_t *list = json_object_get(json_object_get(result, "exact"), "functions");
	assert_int_equal(json_array_size(list), 3);
	assert_json(json_array_get(list, 0),
		    "{\"name\":\"libm.so\",\"file\":\"\",\"line\":0,\"executed\":60,"
		    "\"slots\":{\"base\":500},\"lines\":["
		    "{\"file\":\"\",\"line\":0,\"executed\":60,\"slots\":{\"base\":500}}]}");
	assert_json(json_array_get(list, 1),
		    "{\"name\":\"(unknown)\",\"file\":\"\",\"line\":0,\"executed\":230,"
		    "\"slots\":{\"base\":236,\"l1d\":13,\"branch\":5},\"lines\":["
		    "{\"file\":\"\",\"line\":0,\"executed\":230,"
		    "\"slots\":{\"base\":236,\"l1d\":13,\"branch\":5}}]}");
	assert_json(json_object_get(result, "annotation"),
		    "{\"function\":\"f\",\"instructions\":[]}");
	json_decref(result);
}

static void origins_have_an_order(void **unused)
{
	static const struct ledger_row first = {.pc = 1}, second = {.pc = 2};
	static const struct origin order[] = {
		{&second, "z", 0, "z", "", 9}, {&second, "b", 5, "a", "", 9},
		{&second, "c", 5, "a", "", 1}, {&second, "c", 5, "b", "", 1},
		{&first, "c", 5, "b", "", 2},  {&second, "c", 5, "b", "", 2},
		{&first, "a", 6, "a", "", 0},
	};

	(void)unused;
	for (size_t i = 0; i < ARRAY_COUNT(order); i++)
		for (size_t k = 0; k < ARRAY_COUNT(order); k++) {
			int got = compare_origins(&order[i], &order[k]);

			assert_int_equal((got > 0) - (got < 0), (i > k) - (i < k));
			got = compare_addresses(&order[i], &order[k]);
			assert_int_equal(got, (int)(order[i].row->pc) - (int)order[k].row->pc);
		}
	assert_true(same_line(&order[4], &order[5]));
	assert_false(same_line(&order[3], &order[4]));
	assert_false(same_line(&order[2], &order[3]));
	assert_false(same_function(&order[1], &order[2]));
}

/* A mapping holds its first byte and its last, not the one after it. */
static void mapped_files(void **unused)
{
	static char path[] = "/x/y";
	static struct file_mapping mapping = {.start = 0x9000, .bytes = 0x100, .path = path};
	static struct elf_segment segments[] = {{.vaddr = 0x10, .mem_bytes = 8},
						{.vaddr = 0x100, .mem_bytes = 1}};
	static struct process process;

	(void)unused;
	process.mappings = &mapping;
	process.mapping_count = 1;
	assert_string_equal(mapped_file(&process, 0x9000), "y");
	assert_string_equal(mapped_file(&process, 0x90ff), "y");
	assert_null(mapped_file(&process, 0x9100));
	assert_null(mapped_file(&process, 0x8fff));
	process.elf.segments = segments;
	process.elf.segment_count = 2;
	assert_true(in_program(&process, 0x10));
	assert_true(in_program(&process, 0x17));
	assert_false(in_program(&process, 0x18));
	assert_false(in_program(&process, 0xf));
	assert_true(in_program(&process, 0x100));
	assert_false(in_program(&process, 0x101));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_and_their_lines),
		cmocka_unit_test(annotations),
		cmocka_unit_test(a_program_without_tables),
		cmocka_unit_test(origins_have_an_order),
		cmocka_unit_test(mapped_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

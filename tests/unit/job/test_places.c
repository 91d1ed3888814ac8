/* Functions, lines and instructions of a run, from a ledger and a program that are made up. */
#include "../replace.h"
#include "../test.h"
#include "base/array.h"
#include "count/exact.h"
#include "image/debug.h"
#include "job/insn_text.h"
#include "job/libraries.h"
#include "job/places.h"

static bool has_tables, has_calls, has_deep_calls, has_libraries;
static unsigned released;
static int table;

static const struct symbols *the_symbols(struct debug *debug, struct err *err)
{
	(void)debug, (void)err;
	return has_tables ? (void *)&table : NULL;
}
REPLACE(debug_symbols, the_symbols);

static const struct lines *the_lines(struct debug *debug)
{
	(void)debug;
	return has_tables ? (void *)&table : NULL;
}
REPLACE(debug_lines, the_lines);

static const struct symbol known[] = {{"f", 0x100, 0x0c}, {"_g", 0x200, 4}};

static const char *name_shown(const struct symbols *symbols, const struct symbol *symbol)
{
	(void)symbols;
	return symbol->name + strspn(symbol->name, "_");
}
REPLACE(symbols_shown, name_shown);

static const char *function_at(struct debug *debug, uint64_t address, const struct symbol **symbol)
{
	(void)debug;
	for (unsigned i = 0; has_tables && i < 2; i++)
		if (address >= known[i].address && address < known[i].address + known[i].bytes) {
			*symbol = &known[i];
			return name_shown(NULL, *symbol);
		}
	return NULL;
}
REPLACE(debug_function, function_at);

/* The code of g as that of a library. */
static struct debug *library_at(struct libraries *libraries, struct process *process, uint64_t pc,
				uint64_t *address, const struct frame_range **frame)
{
	(void)libraries;
	*frame = NULL;
	*address = 0x202;
	return has_libraries && pc == 0x9010 ? &process->debug : NULL;
}
REPLACE(libraries_find, library_at);

static void forget(struct libraries *libraries)
{
	(void)libraries;
	released++;
}
REPLACE(libraries_release, forget);

/* In f, of which the first instruction is its own: a call of h, and in the same h another of i; or
 * two calls that have only the outermost in common. */
static size_t calls_at(struct debug *debug, uint64_t address, const struct inlined_call **calls)
{
	static const struct inlined_call made[] = {{"h", "a.c", 2}, {"i", "h.c", 8}};
	static const struct inlined_call deep[][3] = {{{"a", "", 0}, {"d", "", 0}, {"b", "", 0}},
						      {{"a", "", 0}, {"b", "", 0}, {"c", "", 0}}};

	(void)debug;
	*calls = has_deep_calls ? deep[address == 0x108] : made;
	if (has_deep_calls)
		return address == 0x104 || address == 0x108 ? 3 : 0;
	return !has_calls || address <= 0x100 || address >= 0x10c ? 0 : address == 0x104 ? 2 : 1;
}
REPLACE(debug_inlined, calls_at);

static const struct symbol *symbol_named(const struct symbols *symbols, const char *name,
					 struct err *err)
{
	(void)symbols, (void)err;
	return strcmp(name, "f") == 0 ? &known[0] : strcmp(name, "g*") == 0 ? &known[1] : NULL;
}
REPLACE(symbols_select, symbol_named);

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
REPLACE(lines_find, line_at);

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
REPLACE(exact_ledger, the_ledger);

static uint64_t per_cycle(const struct exact *exact)
{
	(void)exact;
	return 4;
}
REPLACE(exact_slots_per_cycle, per_cycle);

static size_t row_count = ARRAY_COUNT(rows);
static const struct ledger_row *one_row; /* NULL: those above */

static const struct ledger_row *the_rows(struct ledger *unused, size_t *count)
{
	assert_ptr_equal(unused, &ledger);
	*count = row_count;
	return one_row ? one_row : rows;
}
REPLACE(ledger_rows, the_rows);

static const struct ledger_thread *the_threads(struct ledger *unused, size_t *count)
{
	(void)unused;
	*count = 2;
	return threads_made;
}
REPLACE(ledger_threads, the_threads);

static const struct ledger_interval *the_intervals(struct ledger *unused, size_t *count)
{
	(void)unused;
	*count = 2;
	return intervals_made;
}
REPLACE(ledger_intervals, the_intervals);

static struct insn text_at(const struct memory *memory, uint64_t pc, char text[INSN_TEXT_BYTES])
{
	(void)memory;
	snprintf(text, INSN_TEXT_BYTES, "at %llx", (unsigned long long)pc);
	return (struct insn){0};
}
REPLACE(insn_text_read, text_at);

static json_t *describe(const char *const *annotate, size_t annotate_count)
{
	static struct elf_segment segments[] = {{.vaddr = 0x100, .mem_bytes = 0x300},
						{.vaddr = 0x500, .mem_bytes = 1}};
	static char library[] = "/lib/x/libm.so", plain[] = "plain", over[] = "/over";
	static struct file_mapping mappings[] = {{.start = 0x9000, .bytes = 0x100, .path = library},
						 {.start = 0xa000, .bytes = 0x10, .path = plain},
						 {.start = 0x1000, .bytes = 0x1000, .path = over}};
	static struct process process;
	static struct job_machine machine;
	const struct part_places places = {.annotate = annotate, .annotate_count = annotate_count};
	const struct job job = {.machine = &machine};
	json_t *result = json_object();

	config_default(&machine.config);
	machine.config.cache_levels = 1;
	machine.config.tlb_miss = TLB_MISS_FIXED;
	machine.config.memory_kind = MEMORY_FIXED;
	machine.config.memory_line = 0;
	process.bias = 0x1000;
	process.elf.segments = segments;
	process.elf.segment_count = 2;
	process.mappings = mappings;
	process.mapping_count = one_row ? 3 : 2;
	memset(ledger.slots, 0, sizeof(ledger.slots));
	ledger.slots[CAUSE_BASE] = 738;
	ledger.slots[CAUSE_L1D] = 13;
	ledger.slots[CAUSE_BRANCH] = 5;
	places_describe((void *)&table, NULL, &places, &job, &process, result);
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

TEST(functions_and_their_lines)
{
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
		    "\"unit.fp_muldiv\":0,\"queues\":0,\"max_branches\":0,\"store\":0,"
		    "\"forward\":0,\"wait\":0,\"replay\":0,\"mshr\":0,\"l1i\":0,"
		    "\"itlb\":0,\"btb\":0,\"taken\":0,\"branch\":5,\"l1d\":13,\"dtlb\":0}");
	json_decref(result);
}

TEST(annotations)
{
	static const char *const two[] = {"f", "g*"};

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

TEST(inlined_calls_are_a_tree)
{
	static const char *const one[] = {"f"};

	has_tables = has_calls = true;
	json_t *result = describe(one, 1);
	const json_t *list = json_object_get(json_object_get(result, "exact"), "functions");
	assert_null(json_object_get(json_array_get(list, 0), "inlined"));
	assert_json(json_object_get(json_array_get(list, 1), "inlined"),
		    "[{\"function\":\"h\",\"depth\":1,\"executed\":30,\"slots\":{\"branch\":5}},"
		    "{\"function\":\"i\",\"depth\":2,\"executed\":20,"
		    "\"slots\":{\"base\":7,\"l1d\":13}}]");
	const json_t *instructions =
		json_object_get(json_object_get(result, "annotation"), "instructions");
	assert_null(json_object_get(json_array_get(instructions, 0), "inlined"));
	assert_json(json_object_get(json_array_get(instructions, 1), "inlined"),
		    "[{\"function\":\"h\",\"file\":\"a.c\",\"line\":2},"
		    "{\"function\":\"i\",\"file\":\"h.c\",\"line\":8}]");
	json_decref(result);
	has_calls = false;
}

/* A call that has no code of its own but in the calls within it is listed all the same. */
TEST(calls_around_are_listed)
{
	has_tables = has_deep_calls = true;
	json_t *result = describe(NULL, 0);
	const json_t *list = json_object_get(json_object_get(result, "exact"), "functions");
	assert_json(json_object_get(json_array_get(list, 1), "inlined"),
		    "[{\"function\":\"a\",\"depth\":1,\"executed\":0,\"slots\":{}},"
		    "{\"function\":\"b\",\"depth\":2,\"executed\":0,\"slots\":{}},"
		    "{\"function\":\"c\",\"depth\":3,\"executed\":30,\"slots\":{\"branch\":5}},"
		    "{\"function\":\"d\",\"depth\":2,\"executed\":0,\"slots\":{}},"
		    "{\"function\":\"b\",\"depth\":3,\"executed\":20,"
		    "\"slots\":{\"base\":7,\"l1d\":13}}]");
	json_decref(result);
	has_deep_calls = false;
}

TEST(libraries_have_functions)
{
	has_tables = has_libraries = true;
	released = 0;
	json_t *result = describe(NULL, 0);
	const json_t *list = json_object_get(json_object_get(result, "exact"), "functions");
	assert_int_equal(released, 1);
	/* It is another g than that of the program, and what has no table keeps its file's name. */
	assert_json(json_array_get(list, 0),
		    "{\"name\":\"g@libm.so\",\"file\":\"\",\"line\":0,\"executed\":60,"
		    "\"slots\":{\"base\":500},\"lines\":["
		    "{\"file\":\"\",\"line\":0,\"executed\":60,\"slots\":{\"base\":500}}]}");
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 2), "name")),
			    "g");
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 4), "name")),
			    "plain");
	json_decref(result);
	has_libraries = false;
}

TEST(a_program_without_tables)
{
	static const char *const one[] = {"f"};

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

/* A mapping holds its first byte and its last, not the one after it; so does a segment of the
 * program, whose code is not that of a file that is mapped there too. */
TEST(mapped_files)
{
	static const struct {
		uint64_t pc;
		const char *function;
	} cases[] = {
		{0x8fff, "(unknown)"}, {0x9000, "libm.so"}, {0x90ff, "libm.so"},
		{0x9100, "(unknown)"}, {0x10ff, "over"},    {0x1100, "(unknown)"},
		{0x13ff, "(unknown)"}, {0x1400, "over"},    {0x14ff, "over"},
		{0x1500, "(unknown)"}, {0x1501, "over"},
	};

	has_tables = false;
	row_count = 1;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct ledger_row row = {cases[i].pc, 1, {[CAUSE_BASE] = 1}};

		one_row = &row;
		json_t *result = describe(NULL, 0);
		const json_t *list = json_object_get(json_object_get(result, "exact"), "functions");
		assert_string_equal(
			json_string_value(json_object_get(json_array_get(list, 0), "name")),
			cases[i].function);
		json_decref(result);
	}
	one_row = NULL;
	row_count = ARRAY_COUNT(rows);
}

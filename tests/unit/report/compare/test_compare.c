/* Two results compared: every value, note, change and refusal, on small results made by hand. */
#include "../../test.h"
#include "../../directory.h"

#include <malloc.h>
#include <math.h>
#include <sys/stat.h>

#include "../printed.h"
#include "report/compare/compare.h"

/* 4 slots a cycle; CYCLES, VALUES, a list of functions and causes of slots. */
#define RUN(program, machine, skipped, partial, status, values, rest)                     \
	"{'schema': 'cyclestack-run-2', 'program': {'name': '" program                    \
	"', 'arguments': [], 'sha256': '" program                                         \
	"0123456789abcdef'}, 'configuration': {'name': '" machine                         \
	"', 'changes': [], 'sha256': '" machine "0123456789abcdef'},"                     \
	" 'skipped_instructions': " skipped ", 'partial': " partial ", 'status': " status \
	", 'values': {" values "}" rest "}"
#define STACKS(base, l1d, slots_base, slots_l1d, functions)                                     \
	", 'stacks': {'exact': {'components': {'base': " base ", 'l1i': 0, 'itlb': 0,"          \
	" 'branch': 0, 'l1d': " l1d ", 'dtlb': 0, 'resource': 0}, 'bits': null}},"              \
	" 'exact': {'slots_per_cycle': 4, 'causes': {'base': " slots_base ", 'l1d': " slots_l1d \
	"}, 'functions': [" functions "], 'threads': [], 'intervals': []}"
#define PLAIN(values) RUN("p", "m", "0", "false", "0", values, "")
#define EXEC(instructions, calls)                                                           \
	"{'schema': 'cyclestack-exec-1', 'program': {'name': 'p', 'arguments': [],"         \
	" 'sha256': 'p'}, 'instructions': " instructions ", 'partial': false, 'status': 0," \
	" 'memory_bytes': 4096, 'unknown_syscalls': 0, 'syscalls': {" calls "},"            \
	" 'live_thread_instructions': []}"

static void write_json(const char *path, const char *text)
{
	json_t *value = json_of(text);

	assert_int_equal(json_dump_file(value, path, 0), 0);
	json_decref(value);
}

static void compare(struct comparison *c, const char *a, const char *b)
{
	struct err err;

	write_json("a", a);
	write_json("b", b);
	if (!comparison_read(c, "a", "b", &err))
		fail_msg("%s", err.text);
}

/* The comparison as JSON of one line for each member. */
static void is_compared(const char *a, const char *b, const char *wanted)
{
	struct comparison c = {0};
	struct printed p;
	const char *name;
	json_t *value;

	compare(&c, a, b);
	json_t *json = comparison_json(&c);
	FILE *out = printed_open(&p);
	json_object_foreach(json, name, value)
	{
		fprintf(out, "%s:", name);
		if (!json_is_array(value)) {
			char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));

			fprintf(out, " %s\n", text);
			free(text);
			continue;
		}
		fputc('\n', out);
		for (size_t i = 0; i < json_array_size(value); i++) {
			char *text = json_dumps(json_array_get(value, i),
						JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));

			fprintf(out, "  %s\n", text);
			free(text);
		}
	}
	for (char *quote = (fflush(out), p.text); (quote = strchr(quote, '"'));)
		*quote = '\'';
	printed_is(&p, wanted);
	json_decref(json);
	comparison_release(&c);
}

IN_DIRECTORY(values_are_compared)
{
	is_compared(
		PLAIN("'cycles': 2000, 'instructions': 1000, 'loads': 7, 'stores': 5,"
		      " 'gone': 1, 'zero': 0"),
		PLAIN("'cycles': 1500, 'instructions': 1000, 'loads': 7, 'stores': 6,"
		      " 'new': 3, 'zero': 4"),

		"schema: 'cyclestack-diff-1'\n"
		"compared: 'cyclestack-run-2'\n"
		"a: {'program': {'name': 'p', 'arguments': [], 'sha256': 'p0123456789abcdef'}, 'configuration': {'name': 'm', 'changes': [], 'sha256': 'm0123456789abcdef'}, 'partial': false, 'status': 0}\n"
		"b: {'program': {'name': 'p', 'arguments': [], 'sha256': 'p0123456789abcdef'}, 'configuration': {'name': 'm', 'changes': [], 'sha256': 'm0123456789abcdef'}, 'partial': false, 'status': 0}\n"
		"notes:\n"
		"difference_count: 5\n"
		"values:\n"
		"  {'name': 'cycles', 'a': 2000, 'b': 1500, 'difference': -500, 'percent': -25.0}\n"
		"  {'name': 'instructions', 'a': 1000, 'b': 1000, 'difference': 0, 'percent': 0.0}\n"
		"  {'name': 'CPI', 'a': 2.0, 'b': 1.5, 'difference': -0.5, 'percent': -25.0}\n"
		"  {'name': 'stores', 'a': 5, 'b': 6, 'difference': 1, 'percent': 20.0}\n"
		"  {'name': 'gone', 'a': 1, 'b': null, 'difference': null, 'percent': null}\n"
		"  {'name': 'zero', 'a': 0, 'b': 4, 'difference': 4, 'percent': null}\n"
		"  {'name': 'new', 'a': null, 'b': 3, 'difference': null, 'percent': null}\n");
	is_compared(
		EXEC("10", "'read': 3, 'write': 4"), EXEC("11", "'read': 3, 'open': 1"),
		"schema: 'cyclestack-diff-1'\n"
		"compared: 'cyclestack-exec-1'\n"
		"a: {'program': {'name': 'p', 'arguments': [], 'sha256': 'p'}, 'partial': false, 'status': 0}\n"
		"b: {'program': {'name': 'p', 'arguments': [], 'sha256': 'p'}, 'partial': false, 'status': 0}\n"
		"notes:\n"
		"  'the same program ran a different number of instructions: its arguments or input differ'\n"
		"difference_count: 3\n"
		"values:\n"
		"  {'name': 'instructions', 'a': 10, 'b': 11, 'difference': 1, 'percent': 10.0}\n"
		"  {'name': 'syscalls.write', 'a': 4, 'b': null, 'difference': null, 'percent': null}\n"
		"  {'name': 'syscalls.open', 'a': null, 'b': 1, 'difference': null, 'percent': null}\n");
}

#define SORT(file, slots, first, second)                                                       \
	"{'name': 'sort', 'file': '" file "', 'line': 1, 'executed': 5, 'slots': {" slots      \
	"}, 'lines': [{'file': '" file "', 'line': 2, 'executed': 3, 'slots': {'base': " first \
	"}}, {'file': '" file "', 'line': 3, 'executed': 2, 'slots': {'l1d': " second "}}]}"

IN_DIRECTORY(places_are_compared)
{
	static const char wanted[] =
		"schema: 'cyclestack-diff-1'\n"
		"compared: 'cyclestack-run-2'\n"
		"a: {'program': {'name': 'p', 'arguments': [], 'sha256': 'p0123456789abcdef'}, 'configuration': {'name': 'm', 'changes': [], 'sha256': 'm0123456789abcdef'}, 'partial': false, 'status': 0}\n"
		"b: {'program': {'name': 'p', 'arguments': [], 'sha256': 'p0123456789abcdef'}, 'configuration': {'name': 'm', 'changes': [], 'sha256': 'm0123456789abcdef'}, 'partial': false, 'status': 0}\n"
		"notes:\n"
		"difference_count: 1\n"
		"values:\n"
		"  {'name': 'cycles', 'a': 10, 'b': 12, 'difference': 2, 'percent': 20.0}\n"
		"  {'name': 'instructions', 'a': 4, 'b': 4, 'difference': 0, 'percent': 0.0}\n"
		"  {'name': 'CPI', 'a': 2.5, 'b': 3.0, 'difference': 0.5, 'percent': 20.0}\n"
		"components:\n"
		"  {'name': 'l1d', 'a': 4.0, 'b': 7.0, 'difference': 3.0, 'percent': 75.0}\n"
		"  {'name': 'base', 'a': 6.0, 'b': 5.0, 'difference': -1.0, 'percent': -16.6667}\n"
		"functions:\n"
		"  {'name': 'sort', 'file': 'a.c', 'a': 7.5, 'b': 10.0, 'difference': 2.5, 'percent': 33.3333}\n"
		"  {'name': '(other)', 'file': '', 'a': 2.5, 'b': 2.0, 'difference': -0.5, 'percent': -20.0}\n"
		"lines:\n"
		"  {'file': 'a.c', 'line': 2, 'a': 3.5, 'b': 5.0, 'difference': 1.5, 'percent': 42.8571}\n"
		"  {'file': 'a.c', 'line': 3, 'a': 4.0, 'b': 5.0, 'difference': 1.0, 'percent': 25.0}\n"
		"  {'file': '', 'line': 0, 'a': 2.5, 'b': 2.0, 'difference': -0.5, 'percent': -20.0}\n";

	is_compared(
		RUN("p", "m", "0", "false", "0", "'cycles': 10, 'instructions': 4",
		    STACKS("6", "4", "24", "16", SORT("a.c", "'base': 14, 'l1d': 16", "14", "16"))),
		RUN("p", "m", "0", "false", "0", "'cycles': 12, 'instructions': 4",
		    STACKS("5", "7", "20", "28", SORT("a.c", "'base': 20, 'l1d': 20", "20", "20"))),

		wanted);
	/* No file in common: by base name. */
	is_compared(RUN("p", "m", "0", "false", "0", "'cycles': 10, 'instructions': 4",
			STACKS("6", "4", "24", "16",
			       SORT("/x/a.c", "'base': 14, 'l1d': 16", "14", "16"))),
		    RUN("p", "m", "0", "false", "0", "'cycles': 12, 'instructions': 4",
			STACKS("5", "7", "20", "28",
			       SORT("/y/a.c", "'base': 20, 'l1d': 20", "20", "20"))),

		    wanted);
}

#define VALUES "'cycles': 9, 'instructions': 3"

/* The notes of a comparison, a line each. */
static void is_noted(const char *a, const char *b, const char *wanted)
{
	struct comparison c = {0};
	struct printed p;
	FILE *out = printed_open(&p);

	compare(&c, a, b);
	for (size_t i = 0; i < json_array_size(c.notes); i++)
		fprintf(out, "%s\n", json_string_value(json_array_get(c.notes, i)));
	printed_is(&p, wanted);
	comparison_release(&c);
}

IN_DIRECTORY(what_differs_besides_is_noted)
{
	static const struct {
		const char *a, *b, *notes;
	} cases[] = {
		{PLAIN(VALUES), PLAIN(VALUES), ""},
		{RUN("first", "big", "3", "false", "0", VALUES, ""),
		 RUN("second", "small", "4", "false", "7", VALUES, ""),
		 "the programs differ: first (first0123456) and second (second012345)\n"
		 "the configurations differ: big (big012345678) and small (small0123456)\n"
		 "A begins after 3 instructions, B after 4\n"
		 "A ended with status 0, B with 7\n"},
		{PLAIN(VALUES), PLAIN("'cycles': 9, 'instructions': 4"),
		 "the same program ran a different number of instructions: its arguments or input "
		 "differ\n"},
		{RUN("p", "m", "3", "true", "0", VALUES, ""),
		 RUN("p", "m", "3", "false", "0", VALUES, ""),
		 "A is partial: stopped after 3 instructions\n"},
		{RUN("p", "m", "3", "false", "0", VALUES, ""),
		 RUN("p", "m", "3", "true", "0", VALUES, ""),
		 "B is partial: stopped after 3 instructions\n"},
		{RUN("p", "m", "3", "true", "0", VALUES, ""),
		 RUN("p", "m", "3", "true", "0", VALUES, STACKS("9", "0", "36", "0", "")),
		 "both are partial: stopped after 3 instructions\n"
		 "A is of run --counters none and does not say where its cycles went\n"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_noted(cases[i].a, cases[i].b, cases[i].notes);
	/* They are in the result, with what tells the two apart. */
	is_compared(
		RUN("first", "big", "3", "false", "0", VALUES, ""),
		RUN("second", "small", "3", "true", "7", VALUES, ""),
		"schema: 'cyclestack-diff-1'\n"
		"compared: 'cyclestack-run-2'\n"
		"a: {'program': {'name': 'first', 'arguments': [], 'sha256': 'first0123456789abcdef'}, 'configuration': {'name': 'big', 'changes': [], 'sha256': 'big0123456789abcdef'}, 'partial': false, 'status': 0}\n"
		"b: {'program': {'name': 'second', 'arguments': [], 'sha256': 'second0123456789abcdef'}, 'configuration': {'name': 'small', 'changes': [], 'sha256': 'small0123456789abcdef'}, 'partial': true, 'status': 7}\n"
		"notes:\n"
		"  'the programs differ: first (first0123456) and second (second012345)'\n"
		"  'the configurations differ: big (big012345678) and small (small0123456)'\n"
		"  'A ended with status 0, B with 7'\n"
		"  'B is partial: stopped after 3 instructions'\n"
		"difference_count: 0\n"
		"values:\n"
		"  {'name': 'cycles', 'a': 9, 'b': 9, 'difference': 0, 'percent': 0.0}\n"
		"  {'name': 'instructions', 'a': 3, 'b': 3, 'difference': 0, 'percent': 0.0}\n"
		"  {'name': 'CPI', 'a': 3.0, 'b': 3.0, 'difference': 0.0, 'percent': 0.0}\n");
}

/* Where the program differs, or where it begins, a different number of instructions is no news. */
IN_DIRECTORY(instructions_are_noted_of_the_same_program)
{
	static const char sentence[] = "the same program ran";
	static const struct {
		const char *a, *b;
		bool noted;
	} cases[] = {
		{RUN("p", "m", "0", "false", "0", "'cycles': 9, 'instructions': 3", ""),
		 RUN("p", "n", "0", "false", "0", "'cycles': 9, 'instructions': 4", ""), true},
		{RUN("p", "m", "0", "false", "0", "'cycles': 9, 'instructions': 3", ""),
		 RUN("q", "m", "0", "false", "0", "'cycles': 9, 'instructions': 4", ""), false},
		{RUN("p", "m", "1", "false", "0", "'cycles': 9, 'instructions': 3", ""),
		 RUN("p", "m", "0", "false", "0", "'cycles': 9, 'instructions': 4", ""), false},
		{RUN("p", "m", "0", "false", "0", "'cycles': 9, 'instructions': 3", ""),
		 RUN("p", "m", "0", "false", "0", "'cycles': 8, 'instructions': 3", ""), false},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct comparison c = {0};

		compare(&c, cases[i].a, cases[i].b);
		char *notes = json_dumps(c.notes, 0);
		assert_int_equal(strstr(notes, sentence) != NULL, cases[i].noted);
		free(notes);
		comparison_release(&c);
	}
}

/* A limit in millionths of a percent: 1000 cycles and 12.5 % are 1125. */
IN_DIRECTORY(growth_of_exactly_the_limit_is_not_above_it)
{
	static const struct {
		bool has_limit;
		uint64_t millionths;
		const char *a, *b;
		bool is_above;
	} cases[] = {
		{true, 12500000, PLAIN("'cycles': 1000, 'instructions': 1"),
		 PLAIN("'cycles': 1125, 'instructions': 1"), false},
		{true, 12500000, PLAIN("'cycles': 1000, 'instructions': 1"),
		 PLAIN("'cycles': 1126, 'instructions': 1"), true},
		{true, 12499999, PLAIN("'cycles': 1000, 'instructions': 1"),
		 PLAIN("'cycles': 1125, 'instructions': 1"), true},
		{false, 0, PLAIN("'cycles': 1000, 'instructions': 1"),
		 PLAIN("'cycles': 9999, 'instructions': 1"), false},
		{true, 0, PLAIN("'cycles': 1000, 'instructions': 1"),
		 PLAIN("'cycles': 1000, 'instructions': 1"), false},
		{true, 0, PLAIN("'cycles': 1000, 'instructions': 1"),
		 PLAIN("'cycles': 1001, 'instructions': 1"), true},
		{true, 0, PLAIN("'cycles': 1001, 'instructions': 1"),
		 PLAIN("'cycles': 1000, 'instructions': 1"), false},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct comparison c = {.has_limit = cases[i].has_limit,
				       .limit_millionths = cases[i].millionths};

		compare(&c, cases[i].a, cases[i].b);
		assert_int_equal(c.is_above, cases[i].is_above);
		json_t *json = comparison_json(&c);
		assert_int_equal(json_object_get(json, "is_above") != NULL, cases[i].has_limit);
		if (cases[i].has_limit) {
			assert_int_equal(json_is_true(json_object_get(json, "is_above")),
					 cases[i].is_above);
			assert_true(json_real_value(json_object_get(json, "fail_above_percent")) ==
				    (double)cases[i].millionths / 1000000);
		}
		json_decref(json);
		comparison_release(&c);
	}
}

TEST(percentages)
{
	assert_true(compare_percent(&(struct compare_row){"x", 8, 9, true}) == 12.5);
	assert_true(compare_percent(&(struct compare_row){"x", 1, 0, true}) == -100);
	assert_true(isnan(compare_percent(&(struct compare_row){"x", 0, 9, true})));
	assert_true(isnan(compare_percent(&(struct compare_row){"x", -1, 9, true})));
}

static void is_refused(const char *a, const char *b, const char *sentence)
{
	struct comparison c = {0};
	struct err err;

	write_file("a", a);
	write_file("b", b);
	assert_false(comparison_read(&c, "a", "b", &err));
	assert_string_equal(err.text, sentence);
	comparison_release(&c);
}

static char *quoted(const char *text)
{
	json_t *value = json_of(text);
	char *dumped = json_dumps(value, 0);

	json_decref(value);
	return dumped;
}

static void are_refused(const char *a, const char *b, const char *sentence)
{
	char *of_a = quoted(a), *of_b = quoted(b);

	is_refused(of_a, of_b, sentence);
	free(of_a);
	free(of_b);
}

#define COMPARED                                                                            \
	"diff compares what these write: run --json (cyclestack-run-1, cyclestack-run-2), " \
	"stat --json (cyclestack-stat-1), exec --json (cyclestack-exec-1)"

IN_DIRECTORY(what_cannot_be_compared_is_refused)
{
	struct comparison c = {0};
	struct err err;

	assert_false(comparison_read(&c, "absent", "b", &err));
	assert_string_equal(err.text, "absent: No such file or directory");
	comparison_release(&c);
	/* What follows is the JSON library's. */
	write_file("a", "{\n\n  x");
	c = (struct comparison){0};
	assert_false(comparison_read(&c, "a", "b", &err));
	assert_memory_equal(err.text, "a:3:", 4);
	assert_non_null(strstr(err.text, ": this is not JSON: "));
	comparison_release(&c);
	is_refused("{}", "{}", "a: \"schema\" is missing; " COMPARED);
	is_refused("{\"schema\": \"x\\ty\"}", "{}", "a is of schema \"x?y\"; " COMPARED);
	/* 127 bytes of a schema are shown. */
	char text[256], sentence[512];
	snprintf(text, sizeof(text), "{\"schema\": \"%0130d\"}", 0);
	snprintf(sentence, sizeof(sentence), "a is of schema \"%0127d\"; " COMPARED, 0);
	is_refused(text, "{}", sentence);
	/* Half of what tells where cycles went is not taken for none of it. */
	are_refused(RUN("p", "m", "0", "false", "0", "'cycles': 9, 'instructions': 3",
			", 'stacks': {}"),
		    PLAIN("'cycles': 9, 'instructions': 3"), "a: stacks.exact is missing");
	are_refused(PLAIN("'cycles': 9, 'instructions': 3"),
		    RUN("p", "m", "0", "false", "0", "'cycles': 9, 'instructions': 3",
			", 'exact': {'slots_per_cycle': 4, 'causes': {}, 'functions': [],"
			" 'threads': [], 'intervals': []}"),
		    "b: stacks is missing");
	are_refused(PLAIN("'cycles': 1, 'instructions': 1"), EXEC("1", ""),
		    "a is a result of run and b one of exec: they cannot be compared");
	are_refused(RUN("p", "m", "5", "true", "0", "'cycles': 9, 'instructions': 3", ""),
		    RUN("p", "m", "5", "false", "0", "'cycles': 9, 'instructions': 4", ""),
		    "a is partial: it stopped after 3 instructions, where b has 4; partial results "
		    "can be compared only if they stopped at the same place (--max-insns)");
	are_refused(RUN("p", "m", "5", "false", "0", "'cycles': 9, 'instructions': 3", ""),
		    RUN("p", "m", "5", "true", "0", "'cycles': 9, 'instructions': 4", ""),
		    "b is partial: it stopped after 4 instructions, where a has 3; partial results "
		    "can be compared only if they stopped at the same place (--max-insns)");
	are_refused(
		RUN("p", "m", "5", "false", "0", "'cycles': 9, 'instructions': 3", ""),
		RUN("p", "m", "6", "true", "0", "'cycles': 9, 'instructions': 3", ""),
		"b is partial, and a begins after 5 instructions, b after 6; partial results can "
		"be compared only if they begin and stop at the same place (--skip, "
		"--max-insns)");
}

/* Names of values have 127 bytes at most, those of system calls with what stands before them. */
IN_DIRECTORY(names_have_a_limit)
{
	static const char before[] =
		"{\"schema\": \"cyclestack-exec-1\", \"program\": {\"name\": "
		"\"p\", \"arguments\": [], \"sha256\": \"p\"}, "
		"\"instructions\": 1, \"partial\": false, \"status\": 0, "
		"\"memory_bytes\": 1, \"unknown_syscalls\": 0, \"syscalls\": {\"";
	static const char after[] = "\": 1}, \"live_thread_instructions\": []}";

	for (int length = 118; length <= 119; length++) {
		struct comparison c = {0};
		char text[1024];
		struct err err;

		snprintf(text, sizeof(text), "%s%0*d%s", before, length, 0, after);
		write_file("a", text);
		write_file("b", text);
		assert_int_equal(comparison_read(&c, "a", "b", &err), length == 118);
		if (length == 119)
			assert_string_equal(err.text,
					    "a: a value has a name of more than 127 bytes");
		comparison_release(&c);
	}
}

/* The same value of a result under a name of LENGTH bytes. */
static void write_named(const char *path, int length, const char *program)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "{'schema': 'cyclestack-run-2', 'program': {'name': '%s', 'arguments': [],"
		 " 'sha256': '%s'}, 'configuration': {'name': 'm', 'changes': [], 'sha256': 'm'},"
		 " 'skipped_instructions': 0, 'partial': false, 'status': 0,"
		 " 'values': {'cycles': 9, 'instructions': 3, '%0*d': %d}}",
		 program, program, length, 0, *path);
	write_json(path, text);
}

IN_DIRECTORY(names_of_values_are_whole_or_refused)
{
	for (int length = 126; length <= 129; length++) {
		struct comparison c = {0};
		struct err err;

		write_named("a", length, "p");
		write_named("b", length, "p");
		const bool ok = comparison_read(&c, "a", "b", &err);
		assert_int_equal(ok, length <= 127);
		if (ok) {
			assert_int_equal(c.row_count, 4);
			assert_int_equal(c.first_count, 3);
			assert_int_equal(strlen(c.rows[3].name), length);
			assert_true(c.rows[3].a == 'a' && c.rows[3].b == 'b');
		} else {
			assert_string_equal(err.text,
					    "a: a value has a name of more than 127 bytes");
		}
		comparison_release(&c);
	}
}

/* Of a name 127 bytes are shown, of a hash 12. */
IN_DIRECTORY(long_names_are_cut_in_notes)
{
	struct comparison c = {0};
	char long_a[131], long_b[131], wanted[512];
	struct err err;

	memset(long_a, 'x', 130);
	memset(long_b, 'y', 130);
	long_a[130] = long_b[130] = 0;
	write_named("a", 1, long_a);
	write_named("b", 1, long_b);
	assert_true(comparison_read(&c, "a", "b", &err));
	snprintf(wanted, sizeof(wanted),
		 "the programs differ: %.127s (xxxxxxxxxxxx) and %.127s (yyyyyyyyyyyy)", long_a,
		 long_b);
	assert_int_equal(json_array_size(c.notes), 1);
	assert_string_equal(json_string_value(json_array_get(c.notes, 0)), wanted);
	comparison_release(&c);
}

IN_DIRECTORY(cpi_is_of_at_least_one_instruction)
{
	struct comparison c = {0};

	compare(&c, PLAIN("'cycles': 9, 'instructions': 1"),
		PLAIN("'cycles': 8, 'instructions': 0"));
	assert_int_equal(c.first_count, 3);
	assert_int_equal(c.row_count, 3);
	assert_string_equal(c.rows[2].name, "CPI");
	assert_true(c.rows[2].a == 9);
	assert_true(isnan(c.rows[2].b));
	comparison_release(&c);
	c = (struct comparison){0};
	compare(&c, EXEC("5", ""), EXEC("6", "'read': 1"));
	assert_int_equal(c.first_count, 1);
	assert_int_equal(c.row_count, 2);
	comparison_release(&c);
}

IN_DIRECTORY(files_that_cannot_be_read_are_told)
{
	struct comparison c = {0};
	struct err err;

	assert_int_equal(mkdir("directory", 0700), 0);
	assert_false(comparison_read(&c, "directory", "b", &err));
	assert_string_equal(err.text, "directory: Is a directory");
	comparison_release(&c);
	/* Columns are counted from 1, also where there is none. */
	write_file("a", "");
	assert_false(comparison_read(&c, "a", "b", &err));
	assert_memory_equal(err.text, "a:1:1: this is not JSON: ", 25);
	comparison_release(&c);
	write_file("a", "[1,\n12 34]");
	assert_false(comparison_read(&c, "a", "b", &err));
	assert_memory_equal(err.text, "a:2:5: this is not JSON: ", 25);
	comparison_release(&c);
}

static size_t live_json; /* blocks of memory that the JSON library holds */

static void *json_take(size_t size)
{
	live_json++;
	return mem_alloc_array(size, 1);
}

static void json_give_back(void *block)
{
	live_json -= block != NULL;
	free(block);
}

IN_DIRECTORY(no_json_is_left)
{
	struct err err;

	for (int with = 0; with < 2; with++) {
		struct comparison c = {0};

		write_json("a", with ? RUN("p", "m", "3", "false", "0",
					   "'cycles': 10, 'instructions': 4",
					   STACKS("6", "4", "24", "16", ""))
				     : EXEC("10", "'read': 3, 'write': 4"));
		write_json("b", with ? RUN("q", "n", "4", "false", "1",
					   "'cycles': 12, 'instructions': 4",
					   STACKS("5", "7", "20", "28", ""))
				     : EXEC("11", "'read': 3, 'open': 1"));
		const size_t before = live_json;
		assert_true(comparison_read(&c, "a", "b", &err));
		const size_t read = live_json;
		assert_true(read > before);
		json_t *json = comparison_json(&c);
		assert_true(live_json > read);
		json_decref(json);
		assert_int_equal(live_json, read);
		comparison_release(&c);
		assert_int_equal(live_json, before);
		/* Nor where the second cannot be read. */
		c = (struct comparison){0};
		assert_false(comparison_read(&c, "a", "absent", &err));
		comparison_release(&c);
		assert_int_equal(live_json, before);
	}
}

/* What is in use goes up and down by some hundred bytes, since JSON hashes at random; the lists of
 * changes, left in each round, would be tens of thousands. */
IN_DIRECTORY(no_memory_is_left)
{
	static const char text[] =
		RUN("p", "m", "0", "false", "0", "'cycles': 10, 'instructions': 4",
		    STACKS("6", "4", "24", "16", SORT("a.c", "'base': 14, 'l1d': 16", "14", "16")));
	size_t first = 0;

	write_json("a", text);
	write_json("b", text);
	for (unsigned round = 0; round < 65; round++) {
		struct comparison c = {0};
		struct err err;

		assert_true(comparison_read(&c, "a", "b", &err));
		assert_non_null(c.changes[0]);
		comparison_release(&c);
		if (round == 0)
			first = mallinfo2().uordblks;
	}
	assert_true(mallinfo2().uordblks < first + 8192);
}

int main(void)
{
	json_set_alloc_funcs(json_take, json_give_back);
	return test_run();
}

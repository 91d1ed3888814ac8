/* What is read from a result, member by member, with no two values alike; layouts at the limits of
 * their kinds; and the rows of the small tables. */
#include "../test.h"
#include "../report/expected.h"

#include "base/array.h"
#include "value/counted.h"
#include "value/layout.h"
#include "value/member.h"
#include "value/printable_json.h"
#include "value/stacks.h"
#include "value/topdown.h"
#include "value/unit.h"

#define DATA "tests/unit/value/data/"

static void put_slots(FILE *out, const struct stacks_slots *slots)
{
	fprintf(out, " = %lld:", (long long)slots->total);
	for (int i = 0; i < CAUSE_COUNT; i++)
		if (slots->causes[i])
			fprintf(out, " %s %lld", cause_rows[i].name, (long long)slots->causes[i]);
	fputc('\n', out);
}

static void put_stack(FILE *out, const char *what, const struct stacks_method *method)
{
	fprintf(out, "%s %s, %lld bits:", what, method->name, (long long)method->bits);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (method->has[i])
			fprintf(out, " %s %lld", component_rows[i].name,
				(long long)method->stack.cycles[i]);
	fputc('\n', out);
}

static char *stacks_text(const struct stacks *p)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "%s, %zu arguments, %lld cycles, %lld instructions, %u levels, %lld slots\n",
		p->program, json_array_size(p->arguments), (long long)p->cycles,
		(long long)p->instructions, p->levels, (long long)p->slots_per_cycle);
	fputs("run", out);
	put_slots(out, &p->slots);
	for (size_t i = 0; i < p->method_count; i++)
		put_stack(out, "method", &p->methods[i]);
	for (size_t i = 0; i < p->stage_count; i++)
		put_stack(out, "stage", &p->stages[i]);
	fprintf(out, "topdown of %lld:", (long long)p->topdown_slots_per_cycle);
	for (size_t i = 0; i < p->topdown_count; i++)
		fprintf(out, " %s %u %lld", p->topdown[i].name, p->topdown[i].level,
			(long long)p->topdown[i].slots);
	fputc('\n', out);
	for (size_t i = 0; i < p->function_count; i++) {
		const struct stacks_function *f = &p->functions[i];

		fprintf(out, "function %s %s:%lld executed %lld", f->name, f->file,
			(long long)f->line, (long long)f->executed);
		put_slots(out, &f->slots);
		for (size_t k = 0; k < f->line_count; k++) {
			fprintf(out, "  %s:%lld executed %lld", f->lines[k].file,
				(long long)f->lines[k].line, (long long)f->lines[k].executed);
			put_slots(out, &f->lines[k].slots);
		}
	}
	for (size_t i = 0; i < p->thread_count; i++) {
		fprintf(out, "thread %lld", (long long)p->threads[i].id);
		put_slots(out, &p->threads[i].slots);
	}
	for (size_t i = 0; i < p->interval_count; i++) {
		fprintf(out, "interval of %lld in %lld", (long long)p->intervals[i].instructions,
			(long long)p->intervals[i].cycles);
		put_slots(out, &p->intervals[i].slots);
	}
	for (size_t i = 0; i < p->annotation_count; i++) {
		const struct stacks_annotation *a = &p->annotations[i];

		fprintf(out, "annotation of %s\n", a->function);
		for (size_t k = 0; k < a->insn_count; k++) {
			const struct stacks_instruction *n = &a->insns[k];

			fprintf(out, "  %s \"%s\" %s in \"%s\":%lld executed %lld", n->pc, n->text,
				n->file, n->directory, (long long)n->line, (long long)n->executed);
			put_slots(out, &n->slots);
		}
	}
	size_t count;
	const char **files = stacks_files(p, &count);
	fputs("files", out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, " \"%s\"", files[i]);
	free(files);
	const struct stack stack = stacks_of_slots(p, &p->slots);
	fputs("\nby component", out);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (stack.cycles[i])
			fprintf(out, " %s %lld", component_rows[i].name,
				(long long)stack.cycles[i]);
	fprintf(out, "\n%g cycles of 10 slots\n", stacks_cycles(p, 10));
	fclose(out);
	return text;
}

TEST(stacks_have_what_the_result_has)
{
	json_t *result = expected_json(DATA "stacks.json");
	struct err err = {.text = ""};
	struct stacks p;

	if (!stacks_read(&p, result, &err))
		fail_msg("%s", err.text);
	char *text = stacks_text(&p);
	expected_text(DATA "stacks.txt", text);
	free(text);
	stacks_release(&p);
	json_decref(result);
}

/* Sets the value at a path of names and indices and reads it; takes ownership of the value. */
static void with(const char *path, json_t *value, const char *wanted)
{
	json_t *result = expected_json(DATA "stacks.json"), *at = result;
	char *copy = strdup(path), *rest = copy, *word = strsep(&rest, "/");
	static const struct stacks nothing;
	struct err err = {.text = ""};
	struct stacks p;

	for (; rest; word = strsep(&rest, "/"))
		at = json_is_array(at) ? json_array_get(at, (size_t)atoi(word))
				       : json_object_get(at, word);
	assert_non_null(at);
	if (value)
		json_object_set_new(at, word, value);
	else
		assert_int_equal(json_object_del(at, word), 0);
	bool ok = stacks_read(&p, result, &err);
	if (!ok)
		assert_memory_equal(&p.methods, &nothing.methods,
				    sizeof(p) - offsetof(struct stacks, methods));
	assert_string_equal(err.text, wanted ? wanted : "");
	assert_int_equal(ok, !wanted);
	if (ok)
		stacks_release(&p);
	free(copy);
	json_decref(result);
}

#define MOST INT64_C(9007199254740992)

/* Lines and functions may say that they executed more than their whole: then nothing is left. */
TEST(no_less_than_nothing_was_executed)
{
	json_t *result = expected_json(DATA "stacks.json");
	struct err err = {.text = ""};
	struct stacks p;

	json_object_set_new(json_object_get(result, "values"), "instructions", json_integer(900));
	assert_true(stacks_read(&p, result, &err));
	assert_string_equal(p.functions[3].name, "(other)");
	assert_int_equal(p.functions[3].executed, 0);
	stacks_release(&p);
	json_decref(result);
}

/* At each limit, and one beyond it. After a refusal there is nothing to release. */
TEST(stacks_have_limits)
{
	with("stacks", NULL, "stacks is missing");
	with("stacks/exact", NULL, "stacks.exact is missing");
	with("exact", NULL, "exact is missing");
	with("exact/slots_per_cycle", json_integer(1), NULL);
	with("exact/slots_per_cycle", json_integer(0), "exact.slots_per_cycle is not 1 to 1024");
	with("exact/slots_per_cycle", json_integer(1024), NULL);
	with("exact/slots_per_cycle", json_integer(1025), "exact.slots_per_cycle is not 1 to 1024");
	/* The run has 400 slots, 300 of them base. */
	with("exact/causes/base", json_integer(MOST - 100), NULL);
	with("exact/causes/base", json_integer(MOST - 99), "exact.causes: too many slots");
	/* Function 1 has base 60, function 0 has 200; its lines have 120 and 70. */
	with("exact/functions/0/lines/0/slots/base", json_integer(130), NULL);
	with("exact/functions/0/lines/0/slots/base", json_integer(131),
	     "exact.functions[0].lines[1]: with these slots there are more of cause base than the "
	     "function has");
	with("exact/functions/0/lines/0/slots/base", json_integer(201),
	     "exact.functions[0].lines[0]: with these slots there are more of cause base than the "
	     "function has");
	with("exact/functions/1/slots/base", json_integer(95), NULL);
	with("exact/functions/1/slots/base", json_integer(96),
	     "exact.functions[2]: with these slots there are more of cause base than the run has");
	/* Threads have base 110 and 120, intervals 130 and 140, instructions 10, 20 and 30. */
	with("exact/threads/1/slots/base", json_integer(190), NULL);
	with("exact/threads/1/slots/base", json_integer(191),
	     "exact.threads[1]: with these slots there are more of cause base than the run has");
	with("exact/intervals/1/slots/base", json_integer(170), NULL);
	with("exact/intervals/1/slots/base", json_integer(171),
	     "exact.intervals[1]: with these slots there are more of cause base than the run has");
	with("annotation/instructions/1/slots/base", json_integer(290), NULL);
	with("annotation/instructions/1/slots/base", json_integer(291),
	     "annotation.instructions[1]: with these slots there are more of cause base than the "
	     "run has");
	with("more_annotations/0/instructions/0/slots/base", json_integer(300), NULL);
	with("more_annotations/0/instructions/0/slots/base", json_integer(301),
	     "annotation.instructions[0]: with these slots there are more of cause base than the "
	     "run has");
	/* Intervals have 31 and 33 instructions, 32 and 34 cycles. */
	with("exact/intervals/0/instructions", json_integer(MOST - 33), NULL);
	with("exact/intervals/0/instructions", json_integer(MOST - 32),
	     "exact.intervals[1]: the sum is too large");
	with("exact/intervals/0/cycles", json_integer(MOST - 34), NULL);
	with("exact/intervals/0/cycles", json_integer(MOST - 33),
	     "exact.intervals[1]: the sum is too large");
	with("schema", NULL, "\"schema\" is missing");
	with("schema",
	     json_string("123456789012345678901234567890123456789012345678901234567890123456789"),
	     "the schema is \"123456789012345678901234567890123456789012345678901234567890123\"; "
	     "only \"cyclestack-run-2\" says where the cycles went");
}

static const struct layout_member part_members[] = {
	{.name = "text", .kind = LAYOUT_TEXT, .meaning = "m"}, {0}};
static const struct layout part = {.name = "part", .members = part_members};
static const struct layout_member others = {.kind = LAYOUT_AMOUNT};
static const struct layout_member named[] = {{.name = "text", .kind = LAYOUT_TEXT}, {0}};
static const struct layout free_part = {.name = "free", .members = named, .others = &others};

#define KIND(name_, kind_, flags_)                                 \
	{                                                          \
		.name = name_, .shape = LAYOUT_ONE, .kind = kind_, \
		.flags = LAYOUT_MAY_BE_MISSING | (flags_)          \
	}

static const struct layout_member members[] = {
	KIND("text", LAYOUT_TEXT, 0),
	KIND("flag", LAYOUT_FLAG, 0),
	KIND("whole", LAYOUT_WHOLE, 0),
	KIND("count", LAYOUT_COUNT, LAYOUT_MAY_BE_NULL),
	KIND("number", LAYOUT_NUMBER, 0),
	KIND("amount", LAYOUT_AMOUNT, 0),
	KIND("setting", LAYOUT_SETTING, LAYOUT_MAY_BE_NULL),
	KIND("components", LAYOUT_COMPONENTS, 0),
	KIND("causes", LAYOUT_CAUSES, 0),
	{.name = "part", .kind = LAYOUT_OBJECT, .of = &part, .flags = LAYOUT_MAY_BE_MISSING},
	{.name = "list",
	 .shape = LAYOUT_LIST,
	 .kind = LAYOUT_COUNT,
	 .flags = LAYOUT_MAY_BE_MISSING},
	{.name = "map", .shape = LAYOUT_MAP, .kind = LAYOUT_COUNT, .flags = LAYOUT_MAY_BE_MISSING},
	{.name = "free", .kind = LAYOUT_OBJECT, .of = &free_part, .flags = LAYOUT_MAY_BE_MISSING},
	{.name = "needed", .kind = LAYOUT_FLAG},
	{0},
};
static const struct layout layout = {.name = "l", .schema = "made-up-1", .members = members};

/* What the layout says of {"schema": "made-up-1", "needed": true, MEMBER}. */
static void says(const char *member, const char *wanted)
{
	struct err err = {.text = ""};
	char *text;

	assert_true(asprintf(&text, "{\"schema\": \"made-up-1\", \"needed\": true, %s}", member) >
		    0);
	json_t *result = json_loads(text, 0, NULL);
	if (!result)
		fail_msg("%s", text);
	assert_int_equal(layout_check(result, &layout, &err), !wanted);
	assert_string_equal(err.text, wanted ? wanted : "");
	json_decref(result);
	free(text);
}

TEST(every_kind_has_its_limits)
{
	says("\"text\": \"\"", NULL);
	says("\"text\": 1", "text is not text");
	says("\"flag\": false", NULL);
	says("\"flag\": 0", "flag is not true or false");
	says("\"whole\": -9223372036854775807", NULL);
	says("\"whole\": 1.0", "whole is not a whole number");
	says("\"count\": 0", NULL);
	says("\"count\": null", NULL);
	says("\"count\": 1.0", "count is not a whole number or null");
	says("\"count\": -1", "count is negative");
	says("\"count\": 9007199254740992", NULL);
	says("\"count\": 9007199254740993", "count is too large");
	says("\"number\": -1e300", NULL);
	says("\"number\": 7", NULL);
	says("\"number\": null", "number is not a number");
	says("\"setting\": \"lru\"", NULL);
	says("\"setting\": true", NULL);
	says("\"setting\": 64", NULL);
	says("\"setting\": null", NULL);
	says("\"setting\": -1", "setting is negative");
	says("\"setting\": 0.5", "setting is not text, a whole number, true or false or null");
	says("\"amount\": 0.0", NULL);
	says("\"amount\": -0.25", "amount is negative");
	says("\"amount\": 9007199254740992.0", NULL);
	says("\"amount\": 9007199254740994.0", "amount is too large");
	says("\"components\": {\"base\": -9007199254740992}", NULL);
	says("\"components\": {\"base\": -9007199254740993}", "components.base is too large");
	says("\"components\": {\"base\": 9007199254740993}", "components.base is too large");
	says("\"components\": {\"mshr\": 1}", "components.mshr is no component");
	says("\"components\": {\"base\": 1.0}", "components.base is not a whole number");
	says("\"components\": []", "components is not an object");
	says("\"causes\": {\"mshr\": 0, \"base\": 9007199254740992}", NULL);
	says("\"causes\": {\"mshr\": -1}", "causes.mshr is negative");
	says("\"causes\": {\"resource\": 1}", "causes.resource is no cause");
	says("\"causes\": 1", "causes is not an object");
	says("\"part\": {\"text\": \"x\", \"more\": []}", NULL);
	says("\"part\": {}", "part.text is missing");
	says("\"part\": []", "part is not an object");
	says("\"list\": [1, 2]", NULL);
	says("\"list\": {}", "list is not a list");
	says("\"list\": [1, 2, -3]", "list[2] is negative");
	says("\"map\": {\"x\": 1}", NULL);
	says("\"map\": []", "map is not an object");
	says("\"map\": {\"x\": 1, \"y\": -1}", "map.y is negative");
	says("\"new\": [-1]", NULL);
	says("\"free\": {\"text\": \"t\", \"other\": 0.5}", NULL);
	says("\"free\": {\"text\": \"t\", \"other\": \"x\"}", "free.other is not a number");
	says("\"free\": {\"text\": \"t\", \"other\": -1}", "free.other is negative");
	says("\"needed\": 1", "needed is not true or false");
}

TEST(a_schema_is_checked_first)
{
	static const struct {
		const char *text, *wanted;
	} rows[] = {
		{"{}", "schema is missing"},
		{"{\"schema\": 1, \"needed\": 0}", "schema is missing"},
		{"{\"schema\": \"made-up-1\"}", "needed is missing"},
		{"{\"schema\": \"made-up-2\"}", "schema is \"made-up-2\", not \"made-up-1\""},
		{"{\"schema\": "
		 "\"123456789012345678901234567890123456789012345678901234567890123456789\"}",
		 "schema is \"123456789012345678901234567890123456789012345678901234567890123\", not "
		 "\"made-up-1\""},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		json_t *result = json_loads(rows[i].text, 0, NULL);
		struct err err = {.text = ""};

		assert_false(layout_check(result, &layout, &err));
		assert_string_equal(err.text, rows[i].wanted);
		json_decref(result);
	}
}

/* Names of 63 characters are shown, longer ones are cut; a path that is too long is cut, too. */
TEST(long_names_are_cut)
{
	const char *tens = "123456789012345678901234567890123456789012345678901234567890";
	char member[128], wanted[128];

	for (int more = 2; more <= 4; more++) {
		snprintf(member, sizeof(member), "\"map\": {\"%s%.*s\": -1}", tens, more, "abcd");
		snprintf(wanted, sizeof(wanted), "map.%s%.*s is negative", tens,
			 more < 3 ? more : 3, "abcd");
		says(member, wanted);
	}
	snprintf(member, sizeof(member), "%sabc", tens);
	json_t *result = json_pack("{s:s}", "schema", member);
	struct err err = {.text = ""};
	assert_null(layout_of(result, &err));
	snprintf(wanted, sizeof(wanted), "the schema \"%sabc\" is not known", tens);
	assert_string_equal(err.text, wanted);
	json_object_set_new(result, "schema", json_sprintf("%sabcd", tens));
	assert_null(layout_of(result, &err));
	assert_string_equal(err.text, wanted);
	json_decref(result);
}

TEST(layouts_are_listed)
{
	static const struct {
		const char *name, *schema;
		bool is_compared;
	} rows[] = {
		{"run", "cyclestack-run-1", true},
		{"run", "cyclestack-run-2", true},
		{"stat", "cyclestack-stat-1", true},
		{"collect", "cyclestack-collected-1", true},
		{"stat", "cyclestack-repeat-1", false},
		{"exec", "cyclestack-exec-1", true},
		{"advise", "cyclestack-advise-1", false},
		{"judge", "cyclestack-judge-1", false},
		{"sweep", "cyclestack-sweep-1", false},
		{"reproduce", "cyclestack-reproduce-1", false},
		{"diff", "cyclestack-diff-1", false},
		{"results", "cyclestack-results-1", false},
		{"results", "cyclestack-query-1", false},
		{"signals", "cyclestack-signals-1", false},
		{"explain", "cyclestack-explain-1", false},
		{"workloads", "cyclestack-workloads-1", false},
		{"workloads", "cyclestack-measure-1", false},
		{"model", "cyclestack-model-1", false},
		{"inspect", "cyclestack-inspect-1", false},
		{"inspect", "cyclestack-compose-1", false},
		{"trace", "cyclestack-trace-info-1", false},
		{"trace", "cyclestack-cycles-info-1", false},
		{"config", "cyclestack-config-1", false},
		{"config", "cyclestack-config-list-1", false},
		{"config", "cyclestack-config-keys-1", false},
		{"config", "cyclestack-config-check-1", false},
		{"config", "cyclestack-config-diff-1", false},
		{"trace", "cyclestack-trace-1", false},
		{"run", "cyclestack-cycles-1", false},
	};
	static const struct {
		enum layout_kind kind;
		const char *name;
	} kinds[] = {{LAYOUT_TEXT, "text"},	     {LAYOUT_FLAG, "true or false"},
		     {LAYOUT_WHOLE, "whole number"}, {LAYOUT_COUNT, "count"},
		     {LAYOUT_NUMBER, "number"},	     {LAYOUT_AMOUNT, "amount"},
		     {LAYOUT_SETTING, "setting"},    {LAYOUT_COMPONENTS, "components"},
		     {LAYOUT_CAUSES, "causes"}};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		assert_string_equal(layouts[i]->name, rows[i].name);
		assert_string_equal(layouts[i]->schema, rows[i].schema);
		assert_int_equal(layout_is_compared(layouts[i]), rows[i].is_compared);
	}
	assert_null(layouts[ARRAY_COUNT(rows)]);
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		assert_string_equal(layout_kind_name(kinds[i].kind), kinds[i].name);
	assert_null(layout_kind_name(LAYOUT_OBJECT));
	assert_ptr_equal(layout_member(&layout, "flag"), &members[1]);
	assert_null(layout_member(&layout, "nothing"));
}

TEST(rows_of_tables_are_found)
{
	static const struct {
		const char *name;
		enum component component;
	} groups[] = {{"retiring", COMPONENT_BASE},
		      {"bad_speculation", COMPONENT_BRANCH},
		      {"frontend_bound", COMPONENT_L2I},
		      {"backend_bound", COMPONENT_L2D}},
	  slots[] = {
		  {"retiring", COMPONENT_BASE},		  {"branch_mispredicts", COMPONENT_BRANCH},
		  {"machine_clears", COMPONENT_RESOURCE}, {"fetch_latency", COMPONENT_L2I},
		  {"fetch_bandwidth", COMPONENT_L1I},	  {"memory_bound", COMPONENT_L2D},
		  {"core_bound", COMPONENT_RESOURCE}};

	assert_int_equal(TOPDOWN_GROUPS, ARRAY_COUNT(groups));
	assert_int_equal(TOPDOWN_COUNT, ARRAY_COUNT(slots));
	for (size_t i = 0; i < ARRAY_COUNT(groups); i++) {
		assert_string_equal(topdown_groups[i].name, groups[i].name);
		assert_int_equal(topdown_groups[i].component, groups[i].component);
	}
	for (size_t i = 0; i < ARRAY_COUNT(slots); i++) {
		assert_string_equal(topdown_slots[i].name, slots[i].name);
		assert_int_equal(topdown_slots[i].component, slots[i].component);
	}
	assert_string_equal(unit_find("LUTs")->meaning, "look-up tables of an FPGA");
	assert_string_equal(unit_find("accesses")->name, "accesses");
	assert_string_equal(unit_find("%")->meaning, "hundredths");
	assert_null(unit_find("furlongs"));
	assert_string_equal(counted_rows[1].name, "instructions");
	assert_string_equal(counted_rows[1].signal, "committed");
	assert_string_equal(counted_rows[1].unit, "instructions");
	assert_string_equal(counted_rows[1].meaning, "instructions committed");
	size_t count = 0;
	while (counted_rows[count].name)
		count++;
	assert_int_equal(count, 19 + 40 + 2 + 16 + 10);
}

/* How components are drawn: levels, letter, colour of 256, whether it is dark, and on a page. */
TEST(components_are_drawn_as_ever)
{
	static const struct component_row rows[] = {
		{"base", "", "", "#949494", 1, '=', 246, false},
		{"l1i", "", "", "#56b4e9", 1, 'i', 74, false},
		{"l2i", "", "", "#0072b2", 2, 'I', 25, true},
		{"l3i", "", "", "#1b2f8a", 3, 'J', 18, true},
		{"itlb", "", "", "#44c7c7", 1, 't', 80, false},
		{"branch", "", "", "#e69f00", 1, 'B', 178, false},
		{"l1d", "", "", "#f4a582", 1, 'd', 216, false},
		{"l2d", "", "", "#d55e00", 2, 'D', 166, true},
		{"l3d", "", "", "#8b1a1a", 3, 'E', 88, true},
		{"dtlb", "", "", "#cc79a7", 1, 'T', 175, false},
		{"walk", "", "", "#875faf", 1, 'w', 97, true},
		{"bandwidth", "", "", "#87875f", 1, 'b', 101, false},
		{"resource", "", "", "#009e73", 1, 'R', 36, true},
	};

	assert_int_equal(COMPONENT_COUNT, ARRAY_COUNT(rows));
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		assert_string_equal(component_rows[i].name, rows[i].name);
		assert_string_equal(component_rows[i].rgb, rows[i].rgb);
		assert_int_equal(component_rows[i].levels, rows[i].levels);
		assert_int_equal(component_rows[i].letter, rows[i].letter);
		assert_int_equal(component_rows[i].colour, rows[i].colour);
		assert_int_equal(component_rows[i].is_dark, rows[i].is_dark);
	}
}

TEST(text_becomes_printable)
{
	static const struct {
		const char *text, *wanted;
	} rows[] = {{"", ""},
		    {"plain", "plain"},
		    {"a\nb\033c", "a?b?c"},
		    {"\303\266\377x", "\303\266?x"}};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		json_t *string = printable_json(rows[i].text);

		assert_string_equal(json_string_value(string), rows[i].wanted);
		json_decref(string);
	}
}

TEST(absent_members_are_zero)
{
	json_t *object = json_pack("{s:f, s:i, s:s}", "n", 1.5, "w", 7, "t", "text");

	assert_true(member_number(object, "n") == 1.5 && member_number(object, "w") == 7);
	assert_true(member_number(object, "t") == 0 && member_number(NULL, "n") == 0);
	assert_int_equal(member_whole(object, "w"), 7);
	assert_int_equal(member_whole(object, "n"), 0);
	assert_string_equal(member_text(object, "t"), "text");
	assert_string_equal(member_text(object, "w"), "");
	json_decref(object);
}

static void apportion_so_many(unsigned more)
{
	int64_t cycles[2];

	apportion((const uint64_t[]){3, 5 + more}, 2, 4, cycles);
}

TEST(shares_that_are_not_whole_cycles_are_a_bug)
{
	assert_false(expected_is_bug(apportion_so_many, 0));
	assert_true(expected_is_bug(apportion_so_many, 1));
}

EXPECTED_MAIN

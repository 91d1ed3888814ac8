/* What documents say where a result has less, or other things, than those that are kept: each
 * result is a kept one of which a few members are changed. */
#include "../test.h"

#include <jansson.h>

#include "doc/doc_text.h"
#include "report/pipeview.h"
#include "report/run.h"

static const struct terminal terminal = {.width = 200, .height = 60};

/* With blanks and line ends as one blank. */
static char *text_of(struct doc *doc)
{
	char *text = NULL, *to;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	doc_text_write(out, doc, &terminal);
	fclose(out);
	to = text;
	for (const char *from = text; *from; from++)
		if (*from != ' ' && *from != '\n')
			*to++ = *from;
		else if (to == text || to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
	return text;
}

static json_t *kept(const char *name)
{
	char path[128];
	json_error_t where;

	snprintf(path, sizeof(path), "tests/unit/report/results/%s.json", name);
	json_t *result = json_load_file(path, 0, &where);
	assert_non_null(result);
	return result;
}

/* A JSON value with ' for ". */
static json_t *json_of(const char *text)
{
	char copy[2048];
	json_error_t where;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *quote = copy; (quote = strchr(quote, '\'')); quote++)
		*quote = '"';
	json_t *value = json_loads(copy, JSON_DECODE_ANY, &where);
	if (!value)
		fail_msg("%s: %s", copy, where.text);
	return value;
}

/* Of the document of a result: that each of the sentences is in its text, but one that begins with
 * an exclamation mark is not. */
static void says_with(const json_t *result, const struct report_options *options,
		      const char *const sentences[])
{
	struct doc doc;
	struct err err;

	if (!report_build(&doc, result, options, &err))
		fail_msg("%s", err.text);
	char *text = text_of(&doc);
	for (; *sentences; sentences++) {
		const bool is_wanted = **sentences != '!';

		if (!strstr(text, *sentences + !is_wanted) == is_wanted)
			fail_msg("\"%s\" is %s in:\n%s", *sentences + !is_wanted,
				 is_wanted ? "not" : "", text);
	}
	free(text);
	doc_release(&doc);
}

#define SAYS(result, ...) says_with(result, NULL, (const char *const[]){__VA_ARGS__, NULL})

TEST(answers_to_what_if_are_measured_estimated_or_none)
{
	json_t *run = kept("run");

	json_object_set_new(run, "what_if",
			    json_of("[{'changes': ['rob.size=64', 'width=2'], 'windows': 7,"
				    " 'window_instructions': 700, 'cycles': 90, 'gain': 0.125,"
				    " 'error': 0.0625},"
				    " {'changes': ['iq.size=8'], 'windows': 0,"
				    " 'window_instructions': 0}]"));
	SAYS(run, "rob.size=64 width=2 90 ", " 12.50% 6.25% 7 ", "iq.size=8 ",
	     "Simulated: in windows of the run", "There is no answer where every window ended",
	     "!Estimated");
	/* As 0.1.0 wrote it. */
	json_object_set_new(run, "what_if",
			    json_of("[{'changes': ['rob.size=64'], 'cycles': 90, 'gain': 0.125,"
				    " 'largest_error': 0.25}]"));
	SAYS(run, "rob.size=64 90 ", " 12.50% 25.00% ", "Estimated from the run", "!Simulated",
	     "!There is no answer");
	json_object_set_new(run, "what_if", json_array());
	SAYS(run, "!What if");
	json_decref(run);
}

TEST(counted_values_are_chosen_by_patterns)
{
	json_t *run = kept("run");
	struct report_options options = {.events = ",l1d.hits,,branches.m*,"};
	struct err err;

	says_with(run, &options,
		  (const char *const[]){" l1d.hits ", " branches.mispredicted ",
					" branches.misfetched ", "!l1d.misses", NULL});
	json_decref(run);
	assert_true(run_events_check(",l1d.hits,,branches.m*,", &err));
	assert_true(run_events_check("", &err));
	assert_false(run_events_check("l1d.hits,l1d.hit", &err));
	assert_string_equal(err.text, "--events: there is no \"l1d.hit\"; did you mean "
				      "l1d.hits? --events '*' prints them all");
}

/* The verdict of a run of so many cycles, one slot each, whose causes and functions these are. */
static void verdict_is(struct stacks *stacks, double instructions, const char *wanted)
{
	struct stacks_method exact = {.name = "exact", .has = {[COMPONENT_BASE] = true}};
	struct doc doc;
	const struct run_report run = {.doc = &doc,
				       .stacks = stacks,
				       .cycles = (double)stacks->cycles,
				       .instructions = instructions};

	stacks->slots_per_cycle = 1;
	stacks->levels = 2;
	stacks->methods = &exact;
	stacks->method_count = 1;
	stacks->slots.total = stacks->cycles;
	exact.stack = stacks_of_slots(stacks, &stacks->slots);
	doc_init(&doc, "run");
	run_verdict(&run);
	char *text = text_of(&doc);
	if (!strstr(text, wanted))
		fail_msg("\"%s\" is not \"%s\"", text, wanted);
	free(text);
	doc_release(&doc);
}

static struct stacks_slots slots_of(enum cause cause, int64_t slots)
{
	struct stacks_slots made = {.total = slots};

	made.causes[cause] = slots;
	return made;
}

TEST(verdicts_name_the_place_only_where_it_is_known)
{
	struct stacks_line lines[] = {{.file = "", .line = 4}, {.file = "a.c", .line = 0}};
	struct stacks_function functions[] = {{.name = "(unknown)", .lines = lines},
					      {.name = "(other)"}};
	struct stacks stacks = {.cycles = 100, .functions = functions, .function_count = 2};

	stacks.slots.causes[CAUSE_BASE] = 40;
	stacks.slots.causes[CAUSE_L1D] = 60;
	functions[0].slots = slots_of(CAUSE_L1D, 35);
	functions[1].slots = slots_of(CAUSE_L1D, 25);
	verdict_is(&stacks, 40, "; most of that in code without a symbol.");
	/* Lines without a file or a number are no places. */
	functions[0].line_count = 2;
	lines[0].slots = lines[1].slots = slots_of(CAUSE_L1D, 30);
	verdict_is(&stacks, 40, "; most of that in code without a symbol.");
	lines[1].line = 5;
	verdict_is(&stacks, 40, "; most of that at a.c:5 in code without a symbol.");
	lines[1].slots = slots_of(CAUSE_L1D, 10);
	verdict_is(&stacks, 40,
		   "; most of that in code without a symbol, the largest part of it, "
		   "10.0 %, at a.c:5.");
	/* What the result does not list is no function. */
	functions[1].slots = slots_of(CAUSE_L1D, 36);
	verdict_is(&stacks, 40, "to l1d: first-level data cache misses.");
	stacks.function_count = 0;
	verdict_is(&stacks, 40, "to l1d: first-level data cache misses.");
}

TEST(a_run_that_lost_nothing_has_a_short_verdict)
{
	struct stacks stacks = {.cycles = 100};

	stacks.slots.causes[CAUSE_BASE] = 100;
	verdict_is(&stacks, 100, "0.0 % of the cycles are lost.");
	/* Slots that fetch could not fill, and most instructions wait for another. */
	verdict_is(&stacks, 20,
		   "A further 80.0 % are base, more than the instructions take at full "
		   "width; the largest part, 80.0 %, to fetch: slots it could not fill.");
	stacks.slots.causes[CAUSE_BASE] = 30;
	stacks.slots.causes[CAUSE_DEPENDENCE] = 70;
	verdict_is(&stacks, 20, "the largest part, 70.0 %, to dependence: ");
}

TEST(differences_of_few_things_are_named)
{
	json_t *diff = kept("diff");

	json_object_del(json_object_get(diff, "a"), "configuration");
	json_object_set_new(json_object_get(json_object_get(diff, "b"), "configuration"), "changes",
			    json_of("['rob.size=32', 'width=2']"));
	json_object_set_new(diff, "functions",
			    json_of("[{'name': 'f', 'file': '', 'a': 1, 'b': 3, 'difference': 2,"
				    " 'percent': 200.0},"
				    " {'name': 'g', 'file': 'g.c', 'a': 1, 'b': 2, 'difference': 1,"
				    " 'percent': 100.0}]"));
	json_object_set_new(diff, "lines",
			    json_of("[{'file': 'src/g.c', 'line': 0, 'a': 1, 'b': 3,"
				    " 'difference': 2, 'percent': 200.0},"
				    " {'file': '', 'line': 7, 'a': 1, 'b': 2, 'difference': 1,"
				    " 'percent': 100.0}]"));
	SAYS(diff, "A: hanoi B: hanoi on midcore with rob.size=32, width=2 ", " f 1 3 +2 ",
	     " g (g.c) 1 2 +1 ", " src/g.c, line unknown 1 3 ", " ?:7 1 2 ", "!no value differs");
	json_object_set_new(diff, "parameters", json_of("[{'key': 'rob.size', 'a': 64, 'b': 32}]"));
	SAYS(diff, "!Parameters of the machines");
	json_t *rows = json_array();
	for (int i = 0; i < 30; i++)
		json_array_append_new(rows, json_pack("{s:o, s:i, s:i}", "key",
						      json_sprintf("key.number%d", i), "a", i, "b",
						      i + 1));
	json_object_set_new(diff, "parameters", rows);
	SAYS(diff, "Parameters of the machines that differ", " key.number0 ", "!key.number29");
	json_object_set_new(diff, "difference_count", json_integer(0));
	SAYS(diff, "no value differs", "!Values that differ");
	json_decref(diff);
}

TEST(models_explain_with_and_without_lines)
{
	json_t *model = kept("model");
	json_t *explained = json_object_get(model, "explanation");
	json_t *windows = json_object_get(explained, "windows");
	json_t *window = json_array_get(windows, 0);
	json_t *miss = json_array_get(json_object_get(window, "chain"), 0);
	json_t *line = json_array_get(json_object_get(explained, "lines"), 0);
	struct err err;
	struct doc doc;

	json_object_set_new(miss, "file", json_string("src/x.c"));
	json_object_set_new(miss, "line", json_integer(7));
	json_object_set_new(line, "file", json_string("src/y.c"));
	json_object_set_new(line, "line", json_integer(9));
	SAYS(model, "1 x __tunable_get_val, x.c:7 (0x2a7e8)", " y.c:9 ");
	json_object_set_new(window, "chain", json_array());
	SAYS(model, "!x.c:7");
	json_object_set_new(model, "points", json_array());
	assert_false(report_build(&doc, model, NULL, &err));
	assert_non_null(strstr(err.text, "points is empty"));
	doc_release(&doc);
	json_decref(model);
}

TEST(runs_that_are_all_alike_have_no_spread)
{
	json_t *repeat = kept("repeat");

	json_object_set_new(repeat, "varies", json_false());
	SAYS(repeat, "Nothing that was counted varies with the seed", "!spread");
	json_object_set_new(repeat, "runs", json_array());
	SAYS(repeat, "0 runs");
	json_decref(repeat);
	json_t *exec = kept("exec");
	json_object_set_new(exec, "syscalls", json_object());
	SAYS(exec, "!brk");
	json_decref(exec);
}

/* Of a pipeline with stages of another simulator, what is within the window. */
TEST(pipelines_of_other_stages_have_no_legend)
{
	static char label[] = "add";
	struct kanata_stage stages[] = {
		{.next = 1, .name = 0, .begin = 0, .end = 4},
		{.next = KANATA_NONE, .name = 1, .begin = 4, .end = 9},
		{.next = KANATA_NONE, .name = 0, .begin = 20, .end = 22},
		{.next = KANATA_NONE, .name = 0, .begin = 12, .end = 14},
	};
	struct kanata_insn insns[] = {
		{.first_stage = 0, .begin = 0, .end = 9, .label = label},
		{.first_stage = 2, .begin = 20, .end = 22, .label = label},
		{.first_stage = 3, .begin = 12, .end = 14, .is_flushed = true},
	};
	const struct kanata kanata = {
		.insns = insns, .count = 3, .stages = stages, .names = {"F", "Rn"}};
	static const struct {
		uint64_t from, to;
		const char *said, *legend;
	} rows[] = {
		{0, 15, "2 instructions in cycles 0 to 15: 1 retired, 1 squashed", NULL},
		{10, 30, "2 instructions in cycles 10 to 30: 1 retired, 1 squashed", "F fetched"},
		{15, 19, "0 instructions in cycles 15 to 19: 0 retired, 0 squashed", NULL},
		{9, 12, "2 instructions in cycles 9 to 12: 1 retired, 1 squashed", NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct doc doc;

		doc_init(&doc, "pipeview");
		pipeview_build(&doc, &kanata, rows[i].from, rows[i].to);
		char *text = text_of(&doc);
		if (!strstr(text, rows[i].said))
			fail_msg("%s", text);
		assert_int_equal(strstr(text, "F fetched") != NULL, rows[i].legend != NULL);
		free(text);
		doc_release(&doc);
	}
}

/* Everything in the tables is found by its own name, as what it is; patterns, letters, workloads
 * with a size; the nearest name. */
#include "../test.h"

#include <unistd.h>

#include "base/array.h"
#include "cmd/command.h"
#include "cmd/explain.h"
#include "config/config.h"
#include "count/count.h"
#include "count/stages.h"
#include "signal/signal.h"
#include "value/component.h"
#include "value/counted.h"
#include "value/layout.h"
#include "value/member.h"
#include "value/topdown.h"
#include "value/unit.h"

/* What main.c has, which no test here calls. */
int fail_usage(const struct command *command, const char *sentence)
{
	fail_msg("%s: %s", command ? command->name : "", sentence);
	return EXIT_USAGE;
}

int fail_tool(const char *sentence)
{
	fail_msg("%s", sentence);
	return EXIT_TOOL;
}

int fail_err(const struct command *command, const struct err *err)
{
	return fail_usage(command, err->text);
}

void say_warning(void *unused, const char *sentence)
{
	(void)unused;
	fail_msg("%s", sentence);
}

void print_printable(FILE *out, const char *text)
{
	fputs(text, out);
}

static json_t *all;
static char folder[] = "/tmp/test-explain-XXXXXX", path[64];

/* A directory of one workload. */
static int make_all(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/alpha", folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	setenv("CYCLESTACK_CONFIGS", "configs", 1);
	setenv("CYCLESTACK_WORKLOADS", folder, 1);
	all = explain_all();
	return 0;
}

static int free_all(void **state)
{
	(void)state;
	json_decref(all);
	unlink(path);
	rmdir(folder);
	return 0;
}

TEST_GROUP(make_all, free_all)

/* The thing of that kind that a word means, the last of several; fails if there is none. */
static const json_t *find(const char *kind, const char *word)
{
	const json_t *thing, *found = NULL;
	size_t i;

	json_array_foreach(all, i, thing) if (strcmp(member_text(thing, "kind"), kind) == 0 &&
					      explain_means(word, thing)) found = thing;
	if (!found)
		fail_msg("%s is not found as a %s", word, kind);
	return found;
}

static size_t count(const char *word)
{
	const json_t *thing;
	size_t i, found = 0;

	json_array_foreach(all, i, thing) found += explain_means(word, thing);
	return found;
}

static const char *fact(const json_t *thing, const char *label)
{
	return member_text(json_object_get(thing, "facts"), label);
}

TEST(components_and_causes_are_found_with_what_helps)
{
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		const json_t *thing = find("component", component_rows[i].name);

		assert_string_equal(member_text(thing, "meaning"), component_rows[i].meaning);
		assert_string_equal(member_text(thing, "helps"), component_rows[i].helps);
		assert_non_null(strstr(component_rows[i].helps, "Program"));
		assert_non_null(strstr(component_rows[i].helps, "achine: "));
	}
	for (int i = 0; i < CAUSE_COUNT; i++) {
		const json_t *thing = find("cause", cause_rows[i].name);
		char other[64];

		assert_string_equal(member_text(thing, "meaning"), cause_rows[i].meaning);
		assert_string_equal(member_text(thing, "helps"), cause_rows[i].helps);
		snprintf(other, sizeof(other), "As for the component %s.", cause_rows[i].name);
		if (strcmp(cause_rows[i].helps, other) == 0)
			assert_true(component_named(cause_rows[i].name) >= 0);
		else
			assert_non_null(strstr(cause_rows[i].helps, "Machine: "));
	}
	assert_string_equal(fact(find("cause", "replay"), "component"), "resource");
	assert_string_equal(fact(find("cause", "mshr"), "component"),
			    "the data misses of the last cache");
	assert_string_equal(fact(find("component", "branch"), "causes"), "btb, taken, branch");
	assert_string_equal(fact(find("component", "l1d"), "causes, if it is the last cache"),
			    "mshr");
	assert_string_equal(fact(find("component", "l1i"), "causes, if it is the last cache"), "");
}

TEST(ways_of_counting_are_found)
{
	for (int i = 0; i < TOPDOWN_GROUPS; i++)
		find("top-down category", topdown_groups[i].name);
	for (int i = 0; i < TOPDOWN_COUNT; i++)
		assert_string_equal(
			member_text(find("top-down category", topdown_slots[i].name), "meaning"),
			topdown_slots[i].meaning);
	for (enum stage_view i = STAGE_DISPATCH; i < STAGE_COUNT; i++)
		assert_string_equal(member_text(find("stage", stage_view_name(i)), "meaning"),
				    stage_view_meaning(i));
	for (size_t i = 0; observer_kinds[i]; i++)
		assert_string_equal(member_text(find(i < observer_methods() ? "way of counting"
									    : "view of a run",
						     observer_kinds[i]->name),
						"meaning"),
				    observer_kinds[i]->summary);
}

TEST(signals_values_and_units_are_found)
{
	for (size_t i = 0; i < signal_count(); i++) {
		const json_t *thing = find("signal", signal_rows[i].name);

		assert_string_equal(member_text(thing, "meaning"), signal_rows[i].meaning);
		assert_string_equal(fact(thing, "unit"), signal_rows[i].unit);
	}
	for (const struct counted_row *row = counted_rows; row->name; row++)
		assert_string_equal(fact(find("counted value", row->name), "sum of the signal"),
				    row->signal);
	for (const struct unit_row *row = unit_rows; row->name; row++)
		assert_string_equal(member_text(find("unit", row->name), "meaning"), row->meaning);
	assert_string_equal(member_text(find("unit", "mpki"), "name"), "MPKI");
	find("unit", "CPI");
	find("unit", "ipc");
}

TEST(parameters_are_found_with_what_they_take)
{
	struct config config;
	char text[CONFIG_TEXT_BYTES];

	config_default(&config);
	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		const json_t *thing = find("parameter", config_rows[id].key);

		config_value_text(&config, id, text);
		assert_string_equal(fact(thing, "in midcore"),
				    config_applies(&config, id) ? text
								: "it has no such parameter");
		for (size_t i = 0; config_rows[id].words && config_rows[id].words[i]; i++)
			find("word of a parameter", config_rows[id].words[i]);
	}
	const json_t *rob = find("parameter", "rob.size");
	assert_string_equal(fact(rob, "takes"), "a whole number from 4 to 1024");
	assert_string_equal(fact(rob, "in midcore"), "192");
	assert_string_equal(fact(rob, "machines"), "core.kind = ooo");
	assert_string_equal(fact(rob, "unit"), "");
	assert_string_equal(fact(rob, "set by"), "run --set, run --what-if");
	assert_string_equal(fact(find("parameter", "l2.size_bytes"), "unit"), "bytes");
	assert_string_equal(fact(find("parameter", "l2.size_bytes"), "set by"), "run --set");
	assert_string_equal(fact(find("parameter", "l2.latency_cycles"), "unit"), "cycles");
	assert_string_equal(fact(find("parameter", "dtlb.entries"), "unit"), "entries");
	assert_string_equal(fact(find("parameter", "inorder.write_cycles"), "in midcore"),
			    "it has no such parameter");
}

TEST(options_and_commands_are_found)
{
	for (enum option_id id = 0; id < OPTION_COUNT; id++) {
		char name[64], help[512];

		snprintf(name, sizeof(name), "--%s", option_rows[id].name);
		help_of_option(help, sizeof(help), id);
		assert_string_equal(member_text(find("option", name), "meaning"), help);
		assert_string_equal(member_text(find("option", option_rows[id].name), "name"),
				    name);
	}
	assert_string_equal(member_text(find("option", "-e"), "name"), "--events");
	assert_string_equal(fact(find("option", "--within"), "commands"), "run, judge");
	for (const struct command *c = commands; c->name; c++)
		assert_string_equal(fact(find("command", c->name), "example"), c->example);
}

TEST(presets_and_workloads_are_those_that_are_there)
{
	assert_non_null(strstr(member_text(find("preset", "midcore"), "meaning"), "core"));
	find("workload", "@alpha");
	find("workload", "alpha");
	find("workload", "@alpha:small");
	assert_int_equal(count("alpha:small"), 0);
	assert_int_equal(count("@alph"), 0);
	assert_int_equal(count("@alphas:small"), 0);
	assert_string_equal(explain_nearest("alpa", all).word, "alpha");
}

static void members_are_found(const struct layout *layout, unsigned depth)
{
	for (const struct layout_member *m = layout->members; m->name; m++) {
		find("member of a result", m->name);
		if (m->of && depth)
			members_are_found(m->of, depth - 1);
	}
}

TEST(results_and_their_members_are_found)
{
	for (size_t i = 0; layouts[i]; i++) {
		assert_string_equal(member_text(find("result", layouts[i]->schema), "meaning"),
				    layouts[i]->meaning);
		members_are_found(layouts[i], 4);
	}
	assert_string_equal(fact(find("member of a result", "cause_errors"), "of"), "gain");
}

TEST(every_kind_has_things_and_every_thing_a_meaning)
{
	const json_t *thing;
	size_t i, sum = 0;

	for (const struct explain_kind *kind = explain_kinds; kind->name; kind++) {
		json_t *things = json_array();

		kind->collect(things);
		assert_true(json_array_size(things) > 0);
		sum += json_array_size(things);
		json_decref(things);
	}
	assert_int_equal(sum, json_array_size(all));
	assert_int_equal(count("*"), sum);
	json_array_foreach(all, i, thing)
	{
		assert_true(*member_text(thing, "name"));
		if (strcmp(member_text(thing, "kind"), "workload") != 0 &&
		    !*member_text(thing, "meaning"))
			fail_msg("%s has no meaning", member_text(thing, "name"));
	}
}

TEST(patterns_and_capitals_mean_the_same_names)
{
	size_t prefixed = 0;

	for (size_t i = 0; i < signal_count(); i++)
		prefixed += strncmp(signal_rows[i].name, "head.", 5) == 0;
	assert_true(prefixed > 3);
	assert_int_equal(count("head.*"), prefixed);
	assert_int_equal(count("ROB.SIZE"), 1);
	assert_int_equal(count("rob.siz"), 0);
	assert_int_equal(count(""), 0);
	assert_int_equal(count("-"), 0);
	assert_int_equal(count("--"), 0);
}

TEST(the_nearest_name_is_of_any_table)
{
	static const char *const rows[][2] = {
		{"rob.sise", "rob.size"},
		{"--withn", "--within"},
		{"withn", "within"},
		{"unit.int_muldv", "unit.int_muldiv"},
		{"frontend_bond", "frontend_bound"},
		{"memory.reeds", "memory.reads"},
		{"eyermann2006", "eyerman2006"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		assert_string_equal(explain_nearest(rows[i][0], all).word, rows[i][1]);
	assert_null(explain_nearest("qqqqqqqqqqqq", all).word);
}

/* The tables of commands and options: what each letter is, where a program's words begin, and that
 * no command accepts an option twice. */
#include "../test.h"
#include "base/array.h"
#include "cmd/command.h"

#define MADE_UP(name)                     \
	int name(const struct args *args) \
	{                                 \
		(void)args;               \
		return 0;                 \
	}
MADE_UP(cmd_exec)
MADE_UP(cmd_run)
MADE_UP(cmd_stat)
MADE_UP(cmd_collect)
MADE_UP(cmd_configure)
MADE_UP(cmd_advise)
MADE_UP(cmd_judge)
MADE_UP(cmd_sweep)
MADE_UP(cmd_reproduce)
MADE_UP(cmd_show)
MADE_UP(cmd_results)
MADE_UP(cmd_diff)
MADE_UP(cmd_pipeview)
MADE_UP(cmd_signals)
MADE_UP(cmd_explain)
MADE_UP(cmd_workloads)
MADE_UP(cmd_config)
MADE_UP(cmd_trace)
MADE_UP(cmd_model)
MADE_UP(cmd_inspect)
MADE_UP(cmd_serve)

static const struct {
	const char *name;
	size_t stops_at_operand;
	bool shows_components;
	int (*run)(const struct args *args);
} rows[] = {
	{"exec", 1, false, cmd_exec},		{"run", 1, true, cmd_run},
	{"stat", 1, false, cmd_stat},		{"collect", 0, false, cmd_collect},
	{"configure", 0, false, cmd_configure}, {"advise", 1, false, cmd_advise},
	{"judge", 0, true, cmd_judge},		{"sweep", 0, false, cmd_sweep},
	{"reproduce", 0, false, cmd_reproduce}, {"show", 0, false, cmd_show},
	{"results", 0, false, cmd_results},	{"diff", 0, false, cmd_diff},
	{"pipeview", 0, false, cmd_pipeview},	{"signals", 0, false, cmd_signals},
	{"explain", 0, false, cmd_explain},	{"workloads", 0, false, cmd_workloads},
	{"config", 0, false, cmd_config},	{"trace", 2, false, cmd_trace},
	{"model", 1, false, cmd_model},		{"inspect", 0, false, cmd_inspect},
	{"serve", 0, false, cmd_serve},
};

TEST(commands_are_those_of_the_table)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct command *c = command_named(rows[i].name);

		assert_ptr_equal(c, &commands[i]);
		assert_int_equal(c->stops_at_operand, rows[i].stops_at_operand);
		assert_int_equal(c->shows_components, rows[i].shows_components);
		assert_ptr_equal(c->run, rows[i].run);
		assert_int_equal(c->takes_options_as_words, c->run == cmd_explain);
		assert_true(*c->summary && c->operands && *c->detail);
		assert_non_null(strstr(c->example, "cyclestack "));
		assert_non_null(strstr(c->example, rows[i].name));
	}
	assert_null(commands[ARRAY_COUNT(rows)].name);
	assert_null(command_named("runs"));
	assert_null(command_named(""));
}

TEST(options_are_accepted_once)
{
	for (const struct command *c = commands; c->name; c++) {
		bool accepts[OPTION_COUNT] = {false};

		for (const enum option_id *id = c->options; *id != OPTION_COUNT; id++) {
			if (accepts[*id])
				fail_msg("%s accepts --%s twice", c->name, option_rows[*id].name);
			accepts[*id] = true;
		}
		assert_true(accepts[OPTION_HELP]);
	}
	for (int i = 0; i < OPTION_COUNT; i++)
		for (int k = 0; k < i; k++)
			if (option_rows[i].name == option_rows[k].name)
				fail_msg("--%s is there twice", option_rows[i].name);
}

TEST(letters_are_those_of_the_table)
{
	static const struct {
		char letter;
		const char *name;
	} letters[] = {{'h', "help"},	{'v', "verbose"},	  {'q', "quiet"},
		       {'o', "report"}, {'e', "events"},	  {'g', "group"},
		       {'j', "jobs"},	{'x', "field-separator"}, {'I', "interval-print"},
		       {'r', "repeat"}};
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_COUNT(letters); i++) {
		enum option_id id = option_of_letter(letters[i].letter);

		assert_true(id < OPTION_COUNT);
		assert_string_equal(option_rows[id].name, letters[i].name);
		assert_int_equal(option_letter(id), letters[i].letter);
	}
	for (int id = 0; id < OPTION_COUNT; id++)
		count += option_letter((enum option_id)id) != 0;
	assert_int_equal(count, ARRAY_COUNT(letters));
	assert_int_equal(option_of_letter('z'), OPTION_COUNT);
	assert_int_equal(option_of_letter(0), OPTION_COUNT);
}

TEST(statuses_are_those_that_commands_end_with)
{
	static const char *const statuses[] = {"0", "1", "2", "124", "125", "128+N", "130"};

	for (size_t i = 0; i < ARRAY_COUNT(statuses); i++)
		assert_string_equal(status_rows[i].status, statuses[i]);
	assert_null(status_rows[ARRAY_COUNT(statuses)].status);
	assert_int_equal(EXIT_NEGATIVE, 1);
	assert_int_equal(EXIT_USAGE, 2);
	assert_int_equal(EXIT_PARTIAL, 124);
	assert_int_equal(EXIT_TOOL, 125);
	assert_int_equal(EXIT_INTERRUPTED, 130);
}

/* Words of a command line become values, operands or one sentence; windows of cycles and numbers of
 * seconds at their limits. */
#include "../test.h"
#include "base/array.h"
#include "cmd/window.h"

const struct option_row option_rows[OPTION_COUNT] = {
	[OPTION_HELP] = {"help", NULL, NULL, NULL},
	[OPTION_QUIET] = {"quiet", NULL, NULL, NULL},
	[OPTION_SET] = {"set", "KEY=VALUE", NULL, NULL},
	[OPTION_SEED] = {"seed", "N", NULL, NULL},
	[OPTION_MEMORY] = {"memory", "SIZE", NULL, NULL},
	[OPTION_TIMEOUT] = {"timeout", "SECONDS", NULL, NULL},
	[OPTION_WINDOW] = {"window", "FROM:TO", NULL, NULL},
	[OPTION_PROGRESS] = {"progress", "[=SECONDS]", NULL, NULL},
	[OPTION_LISTEN] = {"listen", "[HOST:]PORT", NULL, NULL},
	[OPTION_JSON] = {"json", "FILE", NULL, NULL},
};

/* Not -j, whose option the command does not have. */
enum option_id option_of_letter(char letter)
{
	return letter == 'q'   ? OPTION_QUIET
	       : letter == 'h' ? OPTION_HELP
	       : letter == 's' ? OPTION_SET
	       : letter == 'j' ? OPTION_JSON
			       : OPTION_COUNT;
}

static const enum option_id options[] = {OPTION_QUIET,	  OPTION_SET,	  OPTION_SEED,
					 OPTION_MEMORY,	  OPTION_TIMEOUT, OPTION_WINDOW,
					 OPTION_PROGRESS, OPTION_LISTEN,  OPTION_COUNT};
const struct command commands[] = {
	{.name = "walk", .options = options, .stops_at_operand = 2},
	{.name = "talks", .options = options},
	{.name = "asks", .options = options, .takes_options_as_words = true},
	{.name = NULL},
};

#define WORDS_MOST    12
#define SIXTY_BUT_TWO "bcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvw"
#define SIXTY	      "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwx"

/* "option=value ..." in the order of the rows of options, then "| operand ...". */
static const char *parse(const struct command *command, const char *const words[WORDS_MOST])
{
	static char text[4096];
	struct args args;
	struct err err;
	char *argv[WORDS_MOST];
	int argc = 0;
	size_t at = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	bool ok = args_parse(&args, command, argc, argv, &err);
	snprintf(text, sizeof(text), "%s", ok ? "" : err.text);
	for (const enum option_id *id = options; ok && *id != OPTION_COUNT; id++)
		for (size_t i = 0; i < args.counts[*id]; i++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s=%s ",
					       option_rows[*id].name, args.values[*id][i]);
	for (size_t i = 0; ok && i < args.rest_count; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "|%s", args.rest[i]);
	if (ok)
		assert_null(args.rest[args.rest_count]);
	args_release(&args);
	return text;
}

TEST(words_are_values_operands_or_wrong)
{
	static const struct {
		int command;
		const char *text;
		const char *words[WORDS_MOST];
	} rows[] = {
		{0, "", {NULL}},
		{0, "set=a=b set=c |x", {"--set", "a=b", "x", "--set=c"}},
		{0, "quiet= quiet= |x|y", {"--quiet", "x", "--quiet", "y"}},
		/* After two operands all is the program's; after -- everywhere. */
		{0, "seed=1 |x|y|--seed|2|-q", {"x", "--seed", "1", "y", "--seed", "2", "-q"}},
		{1, "seed=2 |x|y|z", {"x", "y", "--seed", "2", "z"}},
		{1, "quiet= |--quiet|--|-q", {"--quiet", "--", "--quiet", "--", "-q"}},
		{1, "|-||x", {"-", "", "x"}},
		{1, "quiet= set=--quiet |x", {"--set", "--quiet", "-q", "x"}},
		{1, "quiet= quiet= set=v=w |x", {"-qqsv=w", "x"}},
		{1, "quiet= set=x ", {"-qs", "x"}},
		{1, "set=q ", {"-sq"}},
		{1, "--set needs a value: --set KEY=VALUE", {"x", "--set"}},
		{1, "--set needs a value: --set KEY=VALUE", {"-qs"}},
		{1, "--set was given an empty value: --set KEY=VALUE", {"--set="}},
		{1, "--set was given an empty value: --set KEY=VALUE", {"-s", ""}},
		{1, "--quiet takes no value", {"--quiet=1"}},
		{1, "--quiet takes no value", {"--quiet="}},
		/* A value that may be left out is never the next word. */
		{1, "progress= |5", {"--progress", "5"}},
		{1, "listen=5 ", {"--listen", "5"}},
		{1, "quiet= progress=2.5 ", {"--progress=2.5", "-q"}},
		{1, "--progress was given an empty value: --progress[=SECONDS]", {"--progress="}},
		{1, "talks has no option -qz; options are written --name", {"-qz"}},
		{1, "talks has no option -j; options are written --name", {"-j", "x"}},
		{1, "talks has no option -h; options are written --name", {"-h"}},
		{1, "talks has no option --help", {"--help"}},
		{1, "talks has no option --seet; did you mean --set?", {"--seet=x"}},
		{1, "talks has no option --se; did you mean --set?", {"--se"}},
		{1, "talks has no option --set2; did you mean --set?", {"--set2", "x"}},
		{1, "talks has no option --json", {"--json", "x"}},
		{1, "talks has no option --a" SIXTY_BUT_TWO, {"--a" SIXTY_BUT_TWO "=z"}},
		{1, "talks has no option --" SIXTY, {"--" SIXTY}},
		{1, "talks has no option --" SIXTY, {"--" SIXTY "y"}},
		{1, "talks has no option --" SIXTY, {"--" SIXTY "y=z"}},
		/* Options of other commands are operands; its own are not. */
		{2, "quiet= set=a |--json|x", {"--json", "--quiet", "x", "--set", "a"}},
		{2, "set=a |--sets|--se|--json=x", {"--sets", "--se", "--set=a", "--json=x"}},
		{2, "quiet= |-j|-z|-", {"-j", "-q", "-z", "-"}},
		{2, "quiet= |--quiet|--json", {"--quiet", "--", "--quiet", "--json"}},
		{2, "--set needs a value: --set KEY=VALUE", {"--json", "--set"}},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		assert_string_equal(parse(&commands[rows[i].command], rows[i].words), rows[i].text);
}

TEST(last_value_counts)
{
	char words[][16] = {"--seed", "1", "--seed=22", "--quiet", "--memory=3k"};
	char *argv[] = {words[0], words[1], words[2], words[3], words[4]};
	uint64_t value = 5;
	struct args args;
	struct err err;

	assert_true(args_parse(&args, &commands[1], 5, argv, &err));
	assert_string_equal(args_get(&args, OPTION_SEED), "22");
	assert_string_equal(args_get(&args, OPTION_QUIET), "");
	assert_null(args_get(&args, OPTION_SET));
	assert_true(args_get_count(&args, OPTION_SET, 1, 2, &value, &err));
	assert_int_equal(value, 5);
	assert_true(args_get_count(&args, OPTION_SEED, 22, 22, &value, &err));
	assert_int_equal(value, 22);
	assert_false(args_get_count(&args, OPTION_SEED, 23, 30, &value, &err));
	assert_string_equal(err.text,
			    "--seed: \"22\" is not a number from 23 to 30 (suffixes k, M, G)");
	assert_false(args_get_count(&args, OPTION_SEED, 1, 21, &value, &err));
	assert_int_equal(value, 22);
	/* Of things 1000, of bytes 1024. */
	assert_true(args_get_count(&args, OPTION_MEMORY, 1, 9999, &value, &err));
	assert_int_equal(value, 3000);
	assert_true(args_get_bytes(&args, OPTION_MEMORY, 1, 9999, &value, &err));
	assert_int_equal(value, 3072);
	args_release(&args);
}

TEST(seconds_are_above_nothing)
{
	static const struct {
		const char *text;
		double value; /* 0: refused */
	} rows[] = {
		{"1", 1},  {"0.25", 0.25}, {"1e9", 1e9}, {"1.000000001e9", 0},
		{"0", 0},  {"-1", 0},	   {"nan", 0},	 {"inf", 0},
		{"1s", 0}, {"x", 0},	   {" ", 0},	 {"1e-9", 1e-9},
		{"2 ", 0},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char option[] = "--timeout";
		char *words[] = {option, (char *)(uintptr_t)rows[i].text};
		double value = 7;
		struct args args;
		struct err err;
		char wanted[128];

		assert_true(args_parse(&args, &commands[1], 2, words, &err));
		assert_int_equal(args_get_seconds(&args, OPTION_TIMEOUT, &value, &err),
				 rows[i].value != 0);
		assert_true(value == (rows[i].value != 0 ? rows[i].value : 7));
		snprintf(wanted, sizeof(wanted),
			 "--timeout: \"%s\" is not a number of seconds above 0", rows[i].text);
		if (rows[i].value == 0)
			assert_string_equal(err.text, wanted);
		assert_true(args_get_seconds(&args, OPTION_SET, &value, &err));
		args_release(&args);
	}
}

TEST(seconds_that_are_left_out_change_nothing)
{
	char words[][16] = {"--progress", "--progress=x"};
	char *argv[] = {words[0], words[1]};
	double value = 7;
	struct args args;
	struct err err;

	assert_true(args_parse(&args, &commands[1], 1, argv, &err));
	assert_true(args_get_seconds(&args, OPTION_PROGRESS, &value, &err));
	assert_true(value == 7);
	args_release(&args);
	assert_true(args_parse(&args, &commands[1], 2, argv, &err));
	assert_false(args_get_seconds(&args, OPTION_PROGRESS, &value, &err));
	assert_string_equal(err.text, "--progress: \"x\" is not a number of seconds above 0");
	args_release(&args);
}

TEST(windows_have_two_ends)
{
	static const struct {
		const char *text;
		uint64_t from, to;
		const char *sentence; /* NULL: it is one; "": not of two numbers */
	} rows[] = {
		{"0:0", 0, 0, NULL},
		{"12:9", 0, 0, "--window: it ends (9) before it begins (12)"},
		{"9:12", 9, 12, NULL},
		{"7:7", 7, 7, NULL},
		{"1234567890:4503599627370495", 1234567890, UINT64_C(4503599627370495), NULL},
		{"1:4503599627370496", 0, 0, ""},
		{"1:99999999999999999999999999", 0, 0, ""},
		{"4503599627370496:9", 0, 0, ""},
		{"", 0, 0, ""},
		{":", 0, 0, ""},
		{"1:", 0, 0, ""},
		{":1", 0, 0, ""},
		{"1", 0, 0, ""},
		{"1-2", 0, 0, ""},
		{"1:2:3", 0, 0, ""},
		{"1:2x", 0, 0, ""},
		{"/:2", 0, 0, ""},
		{"1:-2", 0, 0, ""},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *values[] = {rows[i].text};
		struct args args = {0};
		struct err err;
		uint64_t from = 1, to = 1;
		char wanted[256];

		args.values[OPTION_WINDOW] = values;
		args.counts[OPTION_WINDOW] = 1;
		assert_int_equal(window_from_args(&args, &from, &to, &err), !rows[i].sentence);
		if (!rows[i].sentence) {
			assert_true(from == rows[i].from);
			assert_true(to == rows[i].to);
			continue;
		}
		snprintf(wanted, sizeof(wanted),
			 "--window: \"%s\" is not FROM:TO, two numbers of cycles such as 1200:1300",
			 rows[i].text);
		assert_string_equal(err.text, *rows[i].sentence ? rows[i].sentence : wanted);
	}
}

TEST(commands_are_near)
{
	static const char *const rows[][2] = {
		{"walk", "walk"}, {"wolk", "walk"}, {"talk", "walk"}, {"talkz", "talks"},
		{"wa", "walk"},	  {"qqqk", NULL},   {"qqqq", NULL},   {"help", NULL},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *nearest = nearest_command(rows[i][0]).word;

		if (rows[i][1] && nearest)
			assert_string_equal(nearest, rows[i][1]);
		else
			assert_ptr_equal(nearest, rows[i][1]);
	}
}

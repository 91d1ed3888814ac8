/* Rows of counts, from frames and results made here: which counters have one, every field of it in
 * columns and with a separator, and what is said of a separator that names contain. */
#include "../directory.h"

#include "base/array.h"
#include "base/printable.h"
#include "cmd/stat_request.h"
#include "cmd/stat_rows.h"
#include "config/config.h"

#define WORDS_MOST 16

const struct option_row option_rows[OPTION_COUNT] = {
	[OPTION_EVENTS] = {"events", "NAME,...", NULL, NULL},
	[OPTION_GROUP] = {"group", "NAME", NULL, NULL},
	[OPTION_DERIVE] = {"derive", "NAME=FORMULA", NULL, NULL},
	[OPTION_FIELD_SEPARATOR] = {"field-separator", "TEXT", NULL, NULL},
	[OPTION_INTERVAL_PRINT] = {"interval-print", "MS", NULL, NULL},
	[OPTION_REPEAT] = {"repeat", "N", NULL, NULL},
};

enum option_id option_of_letter(char letter)
{
	return letter == 'e'   ? OPTION_EVENTS
	       : letter == 'g' ? OPTION_GROUP
	       : letter == 'x' ? OPTION_FIELD_SEPARATOR
	       : letter == 'I' ? OPTION_INTERVAL_PRINT
	       : letter == 'r' ? OPTION_REPEAT
			       : OPTION_COUNT;
}

static const enum option_id options[] = {
	OPTION_EVENTS, OPTION_GROUP,	      OPTION_DERIVE, OPTION_FIELD_SEPARATOR,
	OPTION_REPEAT, OPTION_INTERVAL_PRINT, OPTION_COUNT};
const struct command commands[] = {
	{.name = "stat", .options = options, .stops_at_operand = 1},
	{.name = NULL},
};

static unsigned warnings;

void say_warning(void *unused, const char *sentence)
{
	(void)unused;
	assert_string_equal(sentence, "the separator occurs in the name of an event, and names are "
				      "not quoted: choose another, such as -x ';'");
	warnings++;
}

void print_printable(FILE *out, const char *text)
{
	char copy[256];

	printable_copy(copy, sizeof(copy) - 1, (const uint8_t *)text, strlen(text));
	fputs(copy, out);
}

/* The rows of a command line, printed into memory. */
static struct {
	struct args args;
	struct config config;
	struct stats_request request;
	struct stat_rows rows;
	char *map, *text;
	size_t bytes;
} bench;

static void begin_words(const char *const *words)
{
	char *argv[WORDS_MOST];
	struct err err;
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	config_default(&bench.config);
	bench.request = (struct stats_request){0};
	warnings = 0;
	assert_true(args_parse(&bench.args, &commands[0], argc, argv, &err));
	assert_true(stat_request_from_args(&bench.request, &bench.args, &bench.config, &bench.map,
					   &err));
	stat_rows_init(&bench.rows, &bench.args, &bench.config, &bench.request);
	bench.rows.out = open_memstream(&bench.text, &bench.bytes);
}

#define begin(...) begin_words((const char *const[]){__VA_ARGS__, NULL})

static void end(const char *wanted)
{
	fclose(bench.rows.out);
	assert_string_equal(bench.text, wanted);
	free(bench.text);
	free(bench.map);
	stat_rows_release(&bench.rows);
	stats_request_release(&bench.request);
	args_release(&bench.args);
}

static void take_names(uint32_t count, const char *names)
{
	const struct stat_frame frame = {.head = {.kind = STAT_FRAME_EPOCH, .count = count},
					 .text = names};

	stat_rows_take(&bench.rows, &frame);
}

/* Counter i counts first + i; those of `saturated` at least that. */
static void take_interval(uint64_t start, uint64_t cycles, uint32_t count, uint64_t first,
			  unsigned saturated)
{
	struct stat_count counts[8] = {0};
	const struct stat_frame frame = {.head = {.kind = STAT_FRAME_INTERVAL,
						  .start = start,
						  .cycles = cycles,
						  .count = count},
					 .counts = counts};

	for (uint32_t i = 0; i < count; i++) {
		counts[i].value = first + i;
		counts[i].is_saturated = saturated >> i & 1;
	}
	stat_rows_take(&bench.rows, &frame);
}

TEST(intervals_have_a_row_for_each_counter_and_formula)
{
	begin("-I", "1", "-x", ",", "-e", "committed@main", "--derive", "ipc = committed / cycles",
	      "program");
	take_names(3, "committed@main\0cycles\0committed");
	take_interval(0, 2000000000, 3, 10, 0);
	/* One cycle at the end of a second, and a formula that has no value. */
	take_interval(2999999999, 1, 3, 0, 1);
	end("     2.000000000,10,instructions,committed@main,2000000000,100.00,,\n"
	    "     2.000000000,11,cycles,cycles,2000000000,100.00,,\n"
	    "     2.000000000,12,instructions,committed,2000000000,100.00,0.00,insn per cycle\n"
	    "     2.000000000,,,,,,1.0909,ipc\n"
	    "     3.000000000,0,instructions,committed@main,1,100.00,,lower bound\n"
	    "     3.000000000,1,cycles,cycles,1,100.00,,\n"
	    "     3.000000000,2,instructions,committed,1,100.00,2.00,insn per cycle\n"
	    "     3.000000000,,,,,,2.0000,ipc\n");
	assert_int_equal(warnings, 0);
}

TEST(columns_have_one_heading)
{
	begin("-I", "1", "-e", "cycles", "-e", "committed", "--derive", "cpi = cycles / committed",
	      "program");
	take_names(2, "cycles\0committed");
	take_interval(5, 10, 2, 0, 0);
	take_interval(15, 10, 2, 3, 2);
	take_names(2, "committed\0cycles");
	take_interval(25, 10, 2, 0, 0);
	end("#           time             counts unit           events\n"
	    "     0.000000015                  0 cycles         cycles\n"
	    "     0.000000015                  1 instructions   committed\n"
	    "     0.000000015             0.0000                cpi\n"
	    "     0.000000025                  3 cycles         cycles\n"
	    "     0.000000025                >=4 instructions   committed\n"
	    "     0.000000025             0.7500                cpi\n"
	    "     0.000000035                  0 instructions   committed\n"
	    "     0.000000035                  1 cycles         cycles\n"
	    "     0.000000035                  -                cpi\n");
}

/* An epoch without names, an interval of another number of counters, one without cycles, and a
 * refusal print nothing. */
TEST(what_is_no_interval_of_the_epoch_has_no_rows)
{
	const struct stat_frame refused = {.head = {.kind = STAT_FRAME_REFUSED}, .text = "no"};

	begin("-I", "1", "-e", "cycles", "program");
	take_names(0, "");
	take_interval(0, 10, 0, 0, 0);
	take_interval(0, 10, 1, 0, 0);
	take_names(1, "cycles");
	take_interval(10, 0, 1, 5, 0);
	take_interval(10, 1, 2, 5, 0);
	stat_rows_take(&bench.rows, &refused);
	end("");
	/* Without -I, and without a place to print to, neither. */
	begin("-x", ",", "-e", "cycles", "program");
	take_names(1, "cycles");
	take_interval(10, 1, 1, 5, 0);
	end("");
	begin("-I", "1", "-e", "cycles", "program");
	FILE *out = bench.rows.out;
	bench.rows.out = NULL;
	take_names(1, "cycles");
	take_interval(10, 1, 1, 5, 0);
	bench.rows.out = out;
	assert_int_equal(bench.rows.name_count, 0);
	end("");
}

/* perf's events are sums of signals, which have rows only if somebody asks for them, there. */
TEST(signals_of_events_have_rows_if_they_are_asked_for)
{
	static const char names[] = "branches\0committed.jump\0committed.call\0branches@main";

	begin("-I", "1", "-x", ";", "-e", "branch-instructions", "program");
	take_names(3, names);
	take_interval(0, 10, 3, 5, 4);
	end("     0.000000010;18;;branch-instructions;10;100.00;;lower bound\n");
	begin("-I", "1", "-x", ";", "-e", "branch-instructions", "-e", "committed.*@main", "-e",
	      "branches", "program");
	take_names(4, names);
	take_interval(0, 10, 4, 5, 0);
	end("     0.000000010;5;branches;branches;10;100.00;;\n"
	    "     0.000000010;18;;branch-instructions;10;100.00;;\n");
	/* In a function the event is not whole, but what was asked for there by a pattern has a
	 * row. */
	begin("-I", "1", "-x", ";", "-e", "branch-instructions", "-e", "branch*@main", "program");
	take_names(4, names);
	take_interval(0, 10, 4, 5, 0);
	end("     0.000000010;8;branches;branches@main;10;100.00;;\n"
	    "     0.000000010;18;;branch-instructions;10;100.00;;\n");
}

/* "ipc@WHERE": of a group only there; of a pattern wherever the pattern fits. */
IN_DIRECTORY(formulas_of_groups_are_printed_where_the_group_counts)
{
	static const char names[] = "committed\0cycles\0committed@f\0cycles@f\0cycles@g\0"
				    "committed@g\0committed@other";
	static const struct {
		const char *group, *wanted;
	} rows[] = {
		{"./x.group", "     0.000000001,,,,,,0.5000,ipc\n"},
		{"./x.group@f", "     0.000000001,,,,,,0.7500,ipc@f\n"},
		{"./x.group@[g-z]*", "     0.000000001,,,,,,1.2000,ipc@g\n"},
		{"./x.group@*", "     0.000000001,,,,,,0.5000,ipc\n"
				"     0.000000001,,,,,,0.7500,ipc@f\n"
				"     0.000000001,,,,,,1.2000,ipc@g\n"},
		{"./x.group@none", ""},
	};

	write_file("x.group", "committed\nipc = committed / cycles\n");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		begin("-I", "1", "-x", ",", "-g", rows[i].group, "program");
		take_names(7, names);
		take_interval(0, 1, 7, 1, 0);
		fflush(bench.rows.out);
		/* A group asks for its signals by name: each has a row. */
		char *metrics = strstr(bench.text, "committed@other");
		assert_non_null(metrics);
		metrics = strchr(metrics, '\n') + 1;
		assert_string_equal(metrics, rows[i].wanted);
		char *whole = strdup(bench.text);
		end(whole);
		free(whole);
	}
}

TEST(separators_in_names_are_warned_of_once)
{
	begin("-I", "1", "-x", ",", "-e", "cycles", "program");
	take_names(2, "cycles@pair<a\0cycles@pair<a,\nb>");
	take_interval(0, 1, 1, 1, 0);
	assert_int_equal(warnings, 0);
	take_interval(0, 1, 2, 1, 0);
	assert_int_equal(warnings, 1);
	take_interval(1, 1, 2, 1, 0);
	end("     0.000000001,1,cycles,cycles@pair<a,1,100.00,,\n"
	    "     0.000000001,2,cycles,cycles@pair<a,?b>,1,100.00,,\n"
	    "     0.000000002,1,cycles,cycles@pair<a,1,100.00,,\n"
	    "     0.000000002,2,cycles,cycles@pair<a,?b>,1,100.00,,\n");
	assert_int_equal(warnings, 1);
	/* In the name of the signal, too. */
	begin("-I", "1", "-x", "yc", "-e", "cycles", "program");
	take_names(1, "cycles");
	take_interval(0, 1, 1, 1, 0);
	end("     0.000000001yc1yccyclesyccyclesyc1yc100.00ycyc\n");
	assert_int_equal(warnings, 1);
}

/* With ' for ". */
static json_t *read_json(const char *text)
{
	char *copy = mem_strdup(text);
	json_error_t where;

	for (char *quote = copy; (quote = strchr(quote, '\'')); quote++)
		*quote = '"';
	json_t *json = json_loads(copy, 0, &where);
	assert_non_null(json);
	free(copy);
	return json;
}

/* What is counted in one epoch alone has its part of the run. */
TEST(totals_have_the_share_of_their_epochs)
{
	json_t *result = read_json(
		"{'values': {'cycles': 400}, 'epochs': [{'cycle': 0}, {'cycle': 100}], 'counters': ["
		"{'signal': 'cycles', 'where': '', 'unit': 'cycles', 'epoch': 0, 'total': 100},"
		"{'signal': 'committed', 'where': '', 'unit': 'instructions', 'epoch': 1,"
		" 'total': 150},"
		"{'signal': 'committed', 'where': 'f', 'unit': 'instructions', 'epoch': 1,"
		" 'total': 7, 'saturated': true}], 'derived': ["
		"{'name': 'ipc', 'where': '', 'unit': '', 'epoch': 1, 'value': 0.5},"
		"{'name': 'ipc', 'where': 'f', 'unit': '', 'epoch': 1, 'value': null},"
		"{'name': 'instructions', 'where': '', 'unit': '', 'epoch': 1, 'value': 150}]}");

	begin("-x", ",", "-e", "cycles", "program");
	stat_rows_result(&bench.rows, result);
	end("100,cycles,cycles,100,25.00,,\n"
	    "150,instructions,committed,300,75.00,0.50,insn per cycle\n"
	    "7,instructions,committed@f,300,75.00,,lower bound\n"
	    ",,,,,0.5000,ipc\n"
	    ",,,,,,ipc@f\n"
	    "150,,instructions,300,75.00,0.50,insn per cycle\n");
	/* Rows of intervals were printed before; without rows nothing is. */
	begin("-I", "1", "-x", ",", "-e", "cycles", "program");
	stat_rows_result(&bench.rows, result);
	end("");
	begin("-x", ",", "-e", "cycles", "program");
	FILE *out = bench.rows.out;
	bench.rows.out = NULL;
	stat_rows_result(&bench.rows, result);
	bench.rows.out = out;
	end("");
	/* A run that ended at once: no cycle, and all of it. */
	json_object_set_new(json_object_get(result, "values"), "cycles", json_integer(0));
	begin("-x", ",", "-e", "cycles", "program");
	stat_rows_result(&bench.rows, result);
	end("100,cycles,cycles,100,100.00,,\n"
	    "150,instructions,committed,0,100.00,,\n"
	    "7,instructions,committed@f,0,100.00,,lower bound\n"
	    ",,,,,0.5000,ipc\n"
	    ",,,,,,ipc@f\n"
	    "150,,instructions,0,100.00,,\n");
	json_decref(result);
}

/* Means, which need not be whole, with what they vary by, to two digits at least. */
TEST(several_runs_have_means_and_spreads)
{
	json_t *result = read_json(
		"{'cycles': {'mean': 50.0}, 'counters': ["
		"{'signal': 'cycles', 'where': '', 'unit': 'cycles', 'mean': 50.0, 'spread': 0.5},"
		"{'signal': 'committed', 'where': '', 'unit': 'instructions', 'mean': 12.345,"
		" 'spread': 0.000012},"
		"{'signal': 'branches', 'where': '', 'unit': 'branches', 'mean': 0, 'spread': null},"
		"{'signal': 'l1d.misses', 'where': '', 'unit': 'misses', 'mean': 3}], 'derived': ["
		"{'name': 'ipc', 'where': '', 'unit': '', 'mean': 0.25, 'spread': 0.1}]}");

	begin("-r", "3", "-x", ",", "-e", "cycles", "program");
	stat_rows_result(&bench.rows, result);
	end("50,cycles,cycles,50.00%,50,100.00,,\n"
	    "12.35,instructions,committed,0.0012%,50,100.00,0.25,insn per cycle\n"
	    "0,branches,branches,,50,100.00,,\n"
	    "3,misses,l1d.misses,,50,100.00,,\n"
	    ",,,,,,0.2500,ipc\n");
	begin("-r", "3", "-e", "cycles", "program");
	assert_null(bench.rows.separator);
	stat_rows_result(&bench.rows, result);
	end("                 50 cycles         cycles\n"
	    "                 12 instructions   committed\n"
	    "                  0 branches       branches\n"
	    "                  3 misses         l1d.misses\n"
	    "             0.2500                ipc\n");
	json_decref(result);
}

TEST(rows_are_asked_for_by_two_options)
{
	static const struct {
		const char *word, *value;
		bool is_wanted;
		enum option_id by;
	} rows[] = {{"-x", ";", true, OPTION_FIELD_SEPARATOR},
		    {"-I", "5", true, OPTION_INTERVAL_PRINT},
		    {"-r", "5", false, OPTION_INTERVAL_PRINT}};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		enum option_id asked = OPTION_COUNT;

		begin(rows[i].word, rows[i].value, "-e", "cycles", "program");
		assert_int_equal(stat_rows_wanted(&bench.args, &asked), rows[i].is_wanted);
		assert_int_equal(asked, rows[i].by);
		end("");
	}
}

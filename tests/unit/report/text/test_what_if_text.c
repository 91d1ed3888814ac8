/* What a run says of other machines: numbers, widths, and names that do not fit. */
#include "../printed.h"

#include "report/text/what_if_text.h"

#define NOTE_80                                                                              \
	"Estimated from this run, whose committed instructions are timed again on the\n"     \
	"  changed machine with the misses and mispredictions they had. gain: the part of\n" \
	"  the cycles that would go away. error: how far estimates of this kind of change\n" \
	"  were from simulations over the workloads, in percent of the cycles, mean and\n"   \
	"  largest.\n"

static const char run[] =
	"{'values': {'cycles': 1234567, 'instructions': 1000000}, 'what_if': ["
	"{'changes': ['rob.size=256'], 'cycles': 1000000, 'gain': 0.19, 'mean_error': 0.005,"
	" 'largest_error': 0.0234},"
	"{'changes': ['l2.size=1M', 'l2.latency=9'], 'cycles': 1300000.6, 'gain': -0.053,"
	" 'mean_error': 0.0111, 'largest_error': 0.1}]}";

static void is_what_if(const char *text, const struct terminal *terminal, const char *wanted)
{
	json_t *result = json_of(text);
	struct printed p;

	PRINTS_AND_GIVES_BACK(p, what_if_text_print(p.out, result, terminal));
	what_if_text_print(printed_open(&p), result, terminal);
	printed_is(&p, wanted);
	json_decref(result);
}

/* The columns besides the names are 13 + 4 * 8 = 45 wide, the longest name 23. */
static void every_column_shows_its_member(void **state)
{
	const struct terminal wide = {.width = 80}, bold = {.width = 80, .colour = true};

	(void)state;
	is_what_if(
		run, &wide,
		"\nWhat if the machine were another one\n"
		"                              cycles     CPI    gain   error at most\n"
		"this run                     1234567   1.235\n"
		"rob.size=256                 1000000   1.000   19.0%    0.5%    2.3%\n"
		"l2.size=1M l2.latency=9      1300001   1.300   -5.3%    1.1%   10.0%\n" NOTE_80);
	is_what_if(
		run, &bold,
		"\n\033[1mWhat if the machine were another one\n\033[0m"
		"                              cycles     CPI    gain   error at most\n"
		"this run                     1234567   1.235\n"
		"rob.size=256                 1000000   1.000   19.0%    0.5%    2.3%\n"
		"l2.size=1M l2.latency=9      1300001   1.300   -5.3%    1.1%   10.0%\n" NOTE_80);
	is_what_if("{'values': {}, 'what_if': []}", &wide, "");
	is_what_if("{'values': {}}", &wide, "");
}

/* Of what is printed, all but the note. */
static void is_table(unsigned width, const char *wanted)
{
	const struct terminal terminal = {.width = width};
	json_t *result = json_of(run);
	struct printed p;

	what_if_text_print(printed_open(&p), result, &terminal);
	fclose(p.out);
	char *note = strstr(p.text, "Estimated");
	assert_non_null(note);
	*note = 0;
	assert_string_equal(p.text, wanted);
	free(p.text);
	json_decref(result);
}

static void a_name_that_is_too_long_has_a_line_of_its_own(void **state)
{
	(void)state;
	/* 23 + 45. */
	is_table(68, "\nWhat if the machine were another one\n"
		     "                              cycles     CPI    gain   error at most\n"
		     "this run                     1234567   1.235\n"
		     "rob.size=256                 1000000   1.000   19.0%    0.5%    2.3%\n"
		     "l2.size=1M l2.latency=9      1300001   1.300   -5.3%    1.1%   10.0%\n");
	is_table(67, "\nWhat if the machine were another one\n"
		     "                   cycles     CPI    gain   error at most\n"
		     "this run          1234567   1.235\n"
		     "rob.size=256      1000000   1.000   19.0%    0.5%    2.3%\n"
		     "l2.size=1M l2.latency=9\n"
		     "                  1300001   1.300   -5.3%    1.1%   10.0%\n");
	is_table(60, "\nWhat if the machine were another one\n"
		     "                   cycles     CPI    gain   error at most\n"
		     "this run          1234567   1.235\n"
		     "rob.size=256      1000000   1.000   19.0%    0.5%    2.3%\n"
		     "l2.size=1M l2.latency=9\n"
		     "                  1300001   1.300   -5.3%    1.1%   10.0%\n");
	/* Below 60 columns cycles are short: 7 + 4 * 8 = 39. */
	is_table(59, "\nWhat if the machine were another one\n"
		     "             cycles     CPI    gain   error at most\n"
		     "this run      1.23M   1.235\n"
		     "rob.size=256  1.00M   1.000   19.0%    0.5%    2.3%\n"
		     "l2.size=1M l2.latency=9\n"
		     "              1.30M   1.300   -5.3%    1.1%   10.0%\n");
	is_table(47, "\nWhat if the machine were another one\n"
		     "         cycles     CPI    gain   error at most\n"
		     "this run  1.23M   1.235\n"
		     "rob.size=256\n"
		     "          1.00M   1.000   19.0%    0.5%    2.3%\n"
		     "l2.size=1M l2.latency=9\n"
		     "          1.30M   1.300   -5.3%    1.1%   10.0%\n");
	/* Not even "this run" fits. */
	is_table(46, "\nWhat if the machine were another one\n"
		     "  cycles     CPI    gain   error at most\n"
		     "this run\n"
		     "   1.23M   1.235\n"
		     "rob.size=256\n"
		     "   1.00M   1.000   19.0%    0.5%    2.3%\n"
		     "l2.size=1M l2.latency=9\n"
		     "   1.30M   1.300   -5.3%    1.1%   10.0%\n");
}

/* Of 300 changes 14 fit into a line of 70 columns, 13 into one with two spaces before them. */
static void many_changes_are_wrapped(void **state)
{
	const struct terminal terminal = {.width = 70};
	json_t *changes = json_array();
	struct printed p;

	(void)state;
	for (int i = 0; i < 300; i++)
		json_array_append_new(changes, json_sprintf("c%03d", i));
	json_t *result = json_pack("{s:{}, s:[{s:o}]}", "values", "what_if", "changes", changes);
	what_if_text_print(printed_open(&p), result, &terminal);
	fclose(p.out);
	assert_non_null(strstr(p.text, "\nc000 c001 "));
	assert_non_null(strstr(p.text, " c013\n  c014 "));
	assert_non_null(strstr(p.text, " c026\n  c027 "));
	assert_non_null(strstr(p.text, " c299\n         "));
	free(p.text);
	json_decref(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_changes_are_wrapped),
		cmocka_unit_test(every_column_shows_its_member),
		cmocka_unit_test(a_name_that_is_too_long_has_a_line_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

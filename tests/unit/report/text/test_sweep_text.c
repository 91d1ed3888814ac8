/* The table of a sweep: which changes name a machine, and what is relative to the first machine. */
#include "../printed.h"

#include "report/text/sweep_text.h"

static void is_sweep(const char *text, const char *wanted)
{
	json_t *result = json_of(text);
	struct printed p;

	sweep_text_print(printed_open(&p), result);
	printed_is(&p, wanted);
	json_decref(result);
}

#define MACHINE(changes) "'configuration': {'name': 'other', 'changes': [" changes "]}"

/* CPI 2000/1000; 1500/1000 and -25 %; of the second program 600/300, 690/300 and +15 %. */
static void each_program_is_relative_to_its_first_machine(void **state)
{
	(void)state;
	is_sweep(
		"{'configuration': {'name': 'midcore', 'changes': ['l2=1']}, 'runs': ["
		"{" MACHINE(
			"'l2=1'") ", 'program': 'sort', 'instructions': 1000, 'cycles': 2000,"
				  " 'components': {'base': 1250, 'l1i': 0, 'branch': 750}},"
				  "{" MACHINE(
					  "'l2=1', 'rob.size=64', 'width=2'") ", 'program': 'sort',"
									      " 'instructions': 1000, 'cycles': 1500,"
									      " 'components': {'base': 1000, 'l1i': 1, 'branch': 499}},"
									      "{" MACHINE(
										      "'l2=1'") ", 'program': 'walk', 'instructions': 300, 'cycles': 600,"
												" 'components': {'base': 300, 'resource': 300}},"
												"{" MACHINE(
													"'l2=1', 'x=3'") ", 'program': 'walk', 'instructions': 300,"
															 " 'cycles': 690, 'components': {'base': 300, 'resource': 390}}]}",
		"sort: 1000 instructions\n"
		"  machine                   cycles     CPI   change     base      l1i   branch\n"
		"  midcore                     2000   2.000   +0.00%    1.250    0.000    0.750\n"
		"  rob.size=64 width=2         1500   1.500  -25.00%    1.000    0.001    0.499\n"
		"\n"
		"walk: 300 instructions\n"
		"  machine                   cycles     CPI   change     base resource\n"
		"  midcore                      600   2.000   +0.00%    1.000    1.000\n"
		"  x=3                          690   2.300  +15.00%    1.000    1.300\n");
}

/* The first column is as wide as its heading at least; with no changes in common all are named. */
static void a_machine_is_named_by_what_is_its_own(void **state)
{
	(void)state;
	is_sweep("{'configuration': {'name': 'm'}, 'runs': ["
		 "{" MACHINE(
			 "'a=1'") ", 'program': 'p', 'instructions': 10, 'cycles': 10,"
				  " 'components': {'base': 10}},"
				  "{" MACHINE(
					  "") ", 'program': 'p', 'instructions': 10, 'cycles': 5,"
					      " 'components': {'base': 5}}]}",
		 "p: 10 instructions\n"
		 "  machine       cycles     CPI   change     base\n"
		 "  a=1               10   1.000   +0.00%    1.000\n"
		 "  m                  5   0.500  -50.00%    0.500\n");
}

/* Names of machines end after 511 bytes. */
static void names_of_machines_have_a_limit(void **state)
{
	char change[402], wanted[2048];
	struct printed p;

	(void)state;
	memset(change, 'c', 400);
	change[400] = 0;
	json_t *result =
		json_pack("{s:{s:s}, s:[{s:s, s:i, s:i, s:{}, s:{s:[s, s, s]}}]}", "configuration",
			  "name", "m", "runs", "program", "p", "instructions", 1, "cycles", 1,
			  "components", "configuration", "changes", change, change, change);
	sweep_text_print(printed_open(&p), result);
	snprintf(wanted, sizeof(wanted),
		 "p: 1 instructions\n  %-511s %12s %7s %8s\n  %s %.110s            1   1.000   "
		 "+0.00%%\n",
		 "machine", "cycles", "CPI", "change", change, change);
	printed_is(&p, wanted);
	json_decref(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_machines_have_a_limit),
		cmocka_unit_test(each_program_is_relative_to_its_first_machine),
		cmocka_unit_test(a_machine_is_named_by_what_is_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

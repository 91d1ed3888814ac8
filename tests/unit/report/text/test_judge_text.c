/* The comparison of counting methods with the truth, as text. */
#include "../printed.h"

#include "report/text/judge_text.h"

static void is_judge(const char *text, unsigned width, const char *wanted)
{
	const struct terminal terminal = {.width = width};
	json_t *result = json_of(text);
	struct printed p;

	PRINTS_AND_GIVES_BACK(p, judge_text_print(p.out, result, &terminal));
	judge_text_print(printed_open(&p), result, &terminal);
	printed_is(&p, wanted);
	json_decref(result);
}

/* 10000 cycles, of which 1 % are 100. */
#define FIRST                                                                                  \
	"'name': 'sort', 'instructions': 4000, 'cycles': 10000,"                               \
	" 'methods': {"                                                                        \
	"'fmt': {'components': {'base': 5100, 'branch': 1900, 'l2d': 2000, 'resource': 1000}," \
	" 'max_error': 0.0123, 'bits': 321, 'distance_to_range': 0.011,"                       \
	" 'distance_to_mean': 0.012},"                                                         \
	"'exact': {'components': {'base': 6000, 'branch': 1500, 'l2d': 2500},"                 \
	" 'max_error': 0.0456, 'bits': null, 'distance_to_range': 0.021,"                      \
	" 'distance_to_mean': 0.022}},"                                                        \
	" 'events': {'l1i': 12, 'branch': 345, 'l2d': 23456},"                                 \
	" 'per_event': {'l1i': {}, 'branch': {'fmt': 5.51, 'exact': 4.25},"                    \
	" 'l2d': {'fmt': 100, 'exact': 101.06}},"                                              \
	" 'overlap': 0.031, 'overlap_full': 0.012,"                                            \
	" 'sfmt_losses': {'sfmt': {'older_lost': 9001, 'younger_lost': 150,"                   \
	" 'wrong_path_kept': 75}, 'sfmt-resolve': {'older_lost': 225, 'younger_lost': 9002,"   \
	" 'wrong_path_kept': 9003}}"
#define SECOND                                                                              \
	"'name': 'walk', 'instructions': 500, 'cycles': 400,"                               \
	" 'methods': {"                                                                     \
	"'fmt': {'components': {'base': 300, 'branch': 100}, 'max_error': 0.02, 'bits': 5," \
	" 'distance_to_range': 0.13, 'distance_to_mean': 0.14},"                            \
	"'exact': {'components': {'base': 200, 'branch': 200}, 'max_error': 0.03,"          \
	" 'distance_to_range': 0.15, 'distance_to_mean': 0.16}},"                           \
	" 'events': {'l1i': 0, 'branch': 7, 'l2d': 8},"                                     \
	" 'per_event': {'l1i': {}, 'branch': {'exact': 3.5}, 'l2d': {}},"                   \
	" 'overlap': 0.04, 'overlap_full': 0.05"
#define TRUTH_1 \
	"'a': {'base': 5500, 'branch': 2000, 'l2d': 2500}, 'b': {'base': 5700, 'branch': 1950, 'l2d': 2350}"
#define TRUTH_2 "'a': {'base': 280, 'branch': 120}, 'b': {'base': 260, 'branch': 140}"

static void two_orders(void **state)
{
	(void)state;
	is_judge(
		"{'programs': [{" FIRST ", 'truth': {" TRUTH_1 "}}, {" SECOND ", 'truth': {" TRUTH_2
		"}}],"
		" 'left_out': ['power5', 'naive'],"
		" 'summary': {'mean_error': {'fmt': 0.0161, 'exact': 0.0378}}}",
		100,
		"\n"
		"sort: 4000 instructions, 10000 cycles, CPI 2.500; in % of the cycles\n"
		"                    base branch   l2d error\n"
		"simulated, order A 55.00  20.00 25.00\n"
		"simulated, order B 57.00  19.50 23.50\n"
		"fmt                61.00  19.00 20.00  1.23\n"
		"exact              60.00  15.00 25.00  4.56\n"
		"\n"
		"walk: 500 instructions, 400 cycles, CPI 0.800; in % of the cycles\n"
		"                    base branch error\n"
		"simulated, order A 70.00  30.00\n"
		"simulated, order B 65.00  35.00\n"
		"fmt                75.00  25.00  2.00\n"
		"exact              50.00  50.00  3.00\n"
		"\n"
		"base: useful work, operands, and slots fetch cannot fill, with what methods call resource\n"
		"branch: mispredicted branches\n"
		"l2d: second-level data misses\n"
		"\n"
		"Left out, because they count what only an out-of-order core has: power5, naive.\n"
		"\n"
		"Cycles per committed misprediction\n"
		"     events fmt exact\n"
		"sort    345 5.5   4.2\n"
		"walk      7   -   3.5\n"
		"\n"
		"Cycles per long data miss of the right path\n"
		"     events   fmt exact\n"
		"sort  23.5k 100.0 101.1\n"
		"walk      8     -     -\n"
		"\n"
		"Overlap of frontend and long data miss penalties, all and with a full window; what clearing loses in\n"
		"sFMT: older counts (sfmt-resolve), younger counts and wrong-path counts kept (sfmt); in percent of\n"
		"the run's cycles\n"
		"     overlap % full % older lost younger lost wrong kept\n"
		"sort      3.10   1.20       2.25         1.50       0.75\n"
		"walk      4.00   5.00       0.00         0.00       0.00\n"
		"\n"
		"Storage\n"
		"     fmt exact\n"
		"bits 321     -\n"
		"\n"
		"Largest error of a component, in percent of the run's cycles\n"
		"      fmt exact\n"
		"sort 1.23  4.56\n"
		"walk 2.00  3.00\n"
		"mean 1.61  3.78\n");
	is_judge("{'programs': [], 'summary': {}}", 100, "");
}

static void all_orders(void **state)
{
	(void)state;
	is_judge(
		"{'programs': [{" FIRST ", 'truth': {" TRUTH_1 ", 'all_orders': {"
		"'lowest': {'base': 5400, 'branch': 1800, 'l2d': 2100},"
		"'mean': {'base': 5550.5, 'branch': 1975.25, 'l2d': 2474.25},"
		"'highest': {'base': 5900, 'branch': 2050, 'l2d': 2700},"
		"'orders': 24, 'machines': 16, 'interactions': ["
		"{'first': 'l2d', 'second': 'branch', 'cycles': -150},"
		"{'first': 'branch', 'second': 'l1i', 'cycles': 25},"
		"{'first': 'base', 'second': 'branch', 'cycles': 75},"
		"{'first': 'base', 'second': 'l1i', 'cycles': 300},"
		"{'first': 'unknown', 'second': 'l1d', 'cycles': 25},"
		"{'first': 'l1d', 'second': 'unknown', 'cycles': 25}]}}}],"
		" 'summary': {'mean_error': {'fmt': 0.0161, 'exact': 0.0378},"
		" 'mean_distance_to_range': {'fmt': 0.071, 'exact': 0.072},"
		" 'mean_distance_to_mean': {'fmt': 0.081, 'exact': 0.082}}}",
		100,
		"\n"
		"sort: 4000 instructions, 10000 cycles, CPI 2.500; in % of the cycles\n"
		"                     base branch   l2d error range mean\n"
		"simulated, order A  55.00  20.00 25.00\n"
		"simulated, order B  57.00  19.50 23.50\n"
		"all orders, lowest  54.00  18.00 21.00\n"
		"all orders, mean    55.51  19.75 24.74\n"
		"all orders, highest 59.00  20.50 27.00\n"
		"fmt                 61.00  19.00 20.00  1.23  1.10 1.20\n"
		"exact               60.00  15.00 25.00  4.56  2.10 2.20\n"
		"\n"
		"Interactions in sort, in percent of the cycles\n"
		"       base  l1i branch   l2d\n"
		"base        3.00   0.75\n"
		"l1i    3.00        0.25\n"
		"branch 0.75 0.25        -1.50\n"
		"l2d               -1.50\n"
		"\n"
		"All orders: the 24 in which structures can become real one after the other, each after those without\n"
		"  which it has no effect, on 16 machines. range: the largest distance of a component from what lies\n"
		"  between lowest and highest; mean: from the mean, as error is from orders A and B. An interaction\n"
		"  is what two structures cost together beyond what each costs alone: positive if each makes the\n"
		"  other worse, negative if they hide each other.\n"
		"\n"
		"base: useful work, operands, and slots fetch cannot fill, with what methods call resource\n"
		"branch: mispredicted branches\n"
		"l2d: second-level data misses\n"
		"\n"
		"Cycles per committed misprediction\n"
		"     events fmt exact\n"
		"sort    345 5.5   4.2\n"
		"\n"
		"Cycles per long data miss of the right path\n"
		"     events   fmt exact\n"
		"sort  23.5k 100.0 101.1\n"
		"\n"
		"Overlap of frontend and long data miss penalties, all and with a full window; what clearing loses in\n"
		"sFMT: older counts (sfmt-resolve), younger counts and wrong-path counts kept (sfmt); in percent of\n"
		"the run's cycles\n"
		"     overlap % full % older lost younger lost wrong kept\n"
		"sort      3.10   1.20       2.25         1.50       0.75\n"
		"\n"
		"Storage\n"
		"     fmt exact\n"
		"bits 321     -\n"
		"\n"
		"How far orders are apart, in percent of the run's cycles\n"
		"     A and B   in all orders  in\n"
		"sort    2.00 base       6.00 l2d\n"
		"\n"
		"Largest distance from the range of all orders, in percent of the run's cycles\n"
		"      fmt exact\n"
		"sort 1.10  2.10\n"
		"mean 7.10  7.20\n"
		"\n"
		"Largest distance from the mean of all orders, in percent of the run's cycles\n"
		"      fmt exact\n"
		"sort 1.20  2.20\n"
		"mean 8.10  8.20\n"
		"\n"
		"Largest error of a component, in percent of the run's cycles\n"
		"      fmt exact\n"
		"sort 1.23  4.56\n"
		"mean 1.61  3.78\n");
}

/* Columns are named by the first program that has such an event; overlap is told if the first
 * program has it. */
static void a_program_without_events_names_no_columns(void **state)
{
	const struct terminal terminal = {.width = 100};
	json_t *result = json_of("{'programs': [{" SECOND ", 'truth': {" TRUTH_2 "}}, {" FIRST
				 ", 'truth': {" TRUTH_1 "}}],"
				 " 'summary': {'mean_error': {'fmt': 0.0161, 'exact': 0.0378}}}");
	struct printed p;

	(void)state;
	json_object_del(json_array_get(json_object_get(result, "programs"), 0), "overlap");
	judge_text_print(printed_open(&p), result, &terminal);
	fclose(p.out);
	assert_non_null(strstr(p.text, "\nCycles per committed misprediction\n"
				       "     events exact\n"
				       "walk      7   3.5\n"
				       "sort    345   4.2\n"
				       "\nCycles per long data miss of the right path\n"
				       "     events   fmt exact\n"
				       "walk      8     -     -\n"
				       "sort  23.5k 100.0 101.1\n"
				       "\nStorage\n"
				       "     fmt exact\n"
				       "bits   5     -\n"));
	assert_null(strstr(p.text, "Overlap"));
	assert_null(strstr(p.text, "Left out"));
	free(p.text);
	json_decref(result);
}

/* On 40 columns what follows in a sentence begins two columns later. */
static void sentences_are_broken_into_lines(void **state)
{
	const struct terminal terminal = {.width = 40};
	json_t *result = json_of("{'programs': [{" SECOND ", 'truth': {" TRUTH_2 "}}],"
				 " 'left_out': ['power5', 'naive'],"
				 " 'summary': {'mean_error': {'fmt': 0.0161, 'exact': 0.0378}}}");
	struct printed p;

	(void)state;
	judge_text_print(printed_open(&p), result, &terminal);
	fclose(p.out);
	assert_non_null(strstr(p.text, "\n"
				       "base: useful work, operands, and slots\n"
				       "  fetch cannot fill, with what methods\n"
				       "  call resource\n"
				       "branch: mispredicted branches\n"
				       "\n"
				       "Left out, because they count what only\n"
				       "  an out-of-order core has: power5,\n"
				       "  naive.\n"));
	free(p.text);
	json_decref(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_without_events_names_no_columns),
		cmocka_unit_test(two_orders),
		cmocka_unit_test(all_orders),
		cmocka_unit_test(sentences_are_broken_into_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The summary of a run's counted values: every number from its own member, every ratio on paper. */
#include "../printed.h"

#include "report/text/summary_text.h"

static const char head[] =
	"\n"
	"                         accesses       misses      pending per 1000  miss "
	"rate\n";

static void is_summary(const char *values, const char *wanted)
{
	json_t *result = json_of(values);
	struct printed p;

	summary_text_print(printed_open(&p), result);
	printed_is(&p, wanted);
	json_decref(result);
}

static void every_value_is_that_of_its_member(void **state)
{
	char wanted[2048];

	(void)state;
	/* 4000/5000, 5000/4000; 750/6000; 1000*30/4000, 30/400. */
	snprintf(
		wanted, sizeof(wanted),
		"  cycles                     5000\n"
		"  instructions               4000   IPC 0.800, CPI 1.250\n"
		"  fetched                    6000   12.5%% on wrong paths\n"
		"  issued                     5500\n"
		"  squashed                    900\n"
		"  mispredictions               30   7.50 per 1000 instructions, 7.50%% of "
		"branches\n"
		"%s"
		"  L1I                        2000           10            3     2.50      0.50%%\n"
		"  L1D                        1600          100            4    25.00      6.25%%\n"
		"  L2, instructions             10            5            6     1.25     50.00%%\n"
		"  L2, data                    104           26            7     6.50     25.00%%\n"
		"  L3, instructions              5            1            8     0.25     20.00%%\n"
		"  L3, data                     25           23            9     5.75     92.00%%\n"
		"  I-TLB                      2001            0           11     0.00      0.00%%\n"
		"  D-TLB                      1601          200           12    50.00     12.49%%\n",
		head);
	is_summary("{'values': {'cycles': 5000, 'instructions': 4000, 'fetched': 6000,"
		   " 'fetched.wrong_path': 750, 'issued': 5500, 'squashed': 900, 'branches': 400,"
		   " 'branches.mispredicted': 30, 'branches.conditional': 350,"
		   " 'l1i.accesses': 2000, 'l1i.misses': 10, 'l1i.pending': 3, 'l1i.hits': 77,"
		   " 'l1d.accesses': 1600, 'l1d.misses': 100, 'l1d.pending': 4,"
		   " 'l2.instructions.accesses': 10, 'l2.instructions.misses': 5,"
		   " 'l2.instructions.pending': 6, 'l2.data.accesses': 104, 'l2.data.misses': 26,"
		   " 'l2.data.pending': 7, 'l3.instructions.accesses': 5,"
		   " 'l3.instructions.misses': 1, 'l3.instructions.pending': 8,"
		   " 'l3.data.accesses': 25, 'l3.data.misses': 23, 'l3.data.pending': 9,"
		   " 'itlb.accesses': 2001, 'itlb.misses': 0, 'itlb.pending': 11,"
		   " 'dtlb.accesses': 1601, 'dtlb.misses': 200, 'dtlb.pending': 12}}",
		   wanted);
}

/* Nothing is divided by zero, and what was never looked up has no line. */
static void a_run_of_nothing_has_zeros(void **state)
{
	char wanted[2048];

	(void)state;
	snprintf(
		wanted, sizeof(wanted),
		"  cycles                        0\n"
		"  instructions                  0   IPC 0.000, CPI 0.000\n"
		"  fetched                       0   0.0%% on wrong paths\n"
		"  issued                        0\n"
		"  squashed                      0\n"
		"  mispredictions                0   0.00 per 1000 instructions, 0.00%% of "
		"branches\n"
		"%s"
		"  L1D                           1            1            0     0.00    100.00%%\n",
		head);
	is_summary("{'values': {'l1i.misses': 5, 'l1d.accesses': 1, 'l1d.misses': 1}}", wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_is_that_of_its_member),
		cmocka_unit_test(a_run_of_nothing_has_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

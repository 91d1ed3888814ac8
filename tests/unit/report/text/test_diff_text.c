/* Two results compared, as text. */
#include "../printed.h"

#include <math.h>

#include "report/text/diff_text.h"

static void is_diff(const struct comparison *c, unsigned width, const char *wanted)
{
	const struct terminal terminal = {.width = width};
	struct printed p;

	PRINTS_AND_GIVES_BACK(p, diff_text_print(p.out, c, &terminal));
	diff_text_print(printed_open(&p), c, &terminal);
	printed_is(&p, wanted);
}

static struct compare_row rows[] = {
	{"cycles", 2000, 1500, true},  {"instructions", 1000, 1000, true},
	{"CPI", 2, 1.5, false},	       {"l1d.misses", 0, 12, true},
	{"only.in.a", 5, NAN, true},   {"only.in.b.and.long", NAN, 6, true},
	{"ratio", 0.25, 0.125, false}, {"same.ratio", 0.5, 0.5, false},
};

static void values_are_told_with_their_difference(void **state)
{
	struct comparison c = {
		.rows = rows, .row_count = 8, .first_count = 3, .difference_count = 5};

	(void)state;
	c.notes = json_array();
	is_diff(&c, 100,
		"                                 A              B     difference   percent\n"
		"cycles                        2000           1500           -500   -25.00%\n"
		"instructions                  1000           1000              0     0.00%\n"
		"CPI                          2.000          1.500         -0.500   -25.00%\n"
		"\n"
		"l1d.misses                       0             12            +12         -\n"
		"only.in.a                        5              -              -         -\n"
		"only.in.b.and.long               -              6              -         -\n"
		"ratio                        0.250          0.125         -0.125   -50.00%\n"
		"same.ratio                   0.500          0.500          0.000     0.00%\n");
	json_array_append_new(c.notes, json_string("the first\tnote"));
	json_array_append_new(c.notes, json_string("the second note"));
	c.difference_count = 0;
	is_diff(&c, 100,
		"note: the first?note\n"
		"note: the second note\n"
		"\n"
		"                                 A              B     difference   percent\n"
		"cycles                        2000           1500           -500   -25.00%\n"
		"instructions                  1000           1000              0     0.00%\n"
		"CPI                          2.000          1.500         -0.500   -25.00%\n"
		"\n"
		"no value differs\n");
	/* Short names have 12 columns. */
	c.row_count = 3;
	c.rows = rows;
	json_array_clear(c.notes);
	is_diff(&c, 100,
		"                           A              B     difference   percent\n"
		"cycles                  2000           1500           -500   -25.00%\n"
		"instructions            1000           1000              0     0.00%\n"
		"CPI                    2.000          1.500         -0.500   -25.00%\n"
		"\n"
		"no value differs\n");
	json_decref(c.notes);
}

static struct change functions[] = {
	{"sort", "src/sort.c", 0, true, true, 1000, 600},
	{"main", "main.c", 0, true, true, 100, 100.25},
	{"gone", "", 0, true, false, 50, 0},
	{"new", NULL, 0, false, true, 0, 49.6},
};
static struct change lines[] = {
	{NULL, "src/sort.c", 12, true, true, 8, 4},
	{NULL, "src/sort.c", 0, true, true, 4, 5},
	{NULL, "", 0, true, true, 4, 4.5},
	{NULL, NULL, 7, true, true, 3, 3.49},
};

static void changes_are_told_by_place(void **state)
{
	struct comparison c = {.rows = rows,
			       .row_count = 3,
			       .first_count = 3,
			       .difference_count = 1,
			       .changes = {NULL, functions, lines},
			       .change_counts = {0, 4, 4}};

	(void)state;
	c.notes = json_array();
	is_diff(&c, 100,
		"                           A              B     difference   percent\n"
		"cycles                  2000           1500           -500   -25.00%\n"
		"instructions            1000           1000              0     0.00%\n"
		"CPI                    2.000          1.500         -0.500   -25.00%\n"
		"\n"
		"cycles by function               A              B     difference   percent\n"
		"sort (sort.c)                 1000            600           -400   -40.00%\n"
		"main (main.c)                  100            100          +0.25    +0.25%\n"
		"gone                            50              -            -50  -100.00%\n"
		"new                              -             50            +50         -\n"
		"\n"
		"cycles by line                         A              B     difference   percent\n"
		"src/sort.c:12                          8              4             -4   -50.00%\n"
		"src/sort.c, line unknown               4              5             +1   +25.00%\n"
		"?, line unknown                        4              4          +0.50   +12.50%\n"
		"?:7                                    3              3          +0.49   +16.33%\n"
		"\n");
	json_decref(c.notes);
}

/* As many of the functions as are asked for, each called by a letter and 40 digits. */
static void is_list(size_t count, unsigned width, const char *wanted)
{
	struct change many[13];
	struct comparison c = {.rows = rows,
			       .difference_count = 1,
			       .changes = {NULL, many, NULL},
			       .change_counts = {0, count, 0}};
	char names[13][42];

	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof(names[i]), "%c%s", 'a' + (char)i,
			 count == 1 ? "0123456789012345678901234567890123456789" : "");
		many[i] = (struct change){.name = names[i], .is_in_a = true, .a = 1};
	}
	c.notes = json_array();
	is_diff(&c, width, wanted);
	json_decref(c.notes);
}

/* Ten changes are shown, and the eleventh if there is no other. */
static void long_lists_are_cut(void **state)
{
	(void)state;
	is_list(11, 100,
		"                           A              B     difference   percent\n"
		"\n"
		"cycles by function               A              B     difference   percent\n"
		"a                                1              -             -1  -100.00%\n"
		"b                                1              -             -1  -100.00%\n"
		"c                                1              -             -1  -100.00%\n"
		"d                                1              -             -1  -100.00%\n"
		"e                                1              -             -1  -100.00%\n"
		"f                                1              -             -1  -100.00%\n"
		"g                                1              -             -1  -100.00%\n"
		"h                                1              -             -1  -100.00%\n"
		"i                                1              -             -1  -100.00%\n"
		"j                                1              -             -1  -100.00%\n"
		"k                                1              -             -1  -100.00%\n"
		"\n");
	is_list(12, 100,
		"                           A              B     difference   percent\n"
		"\n"
		"cycles by function               A              B     difference   percent\n"
		"a                                1              -             -1  -100.00%\n"
		"b                                1              -             -1  -100.00%\n"
		"c                                1              -             -1  -100.00%\n"
		"d                                1              -             -1  -100.00%\n"
		"e                                1              -             -1  -100.00%\n"
		"f                                1              -             -1  -100.00%\n"
		"g                                1              -             -1  -100.00%\n"
		"h                                1              -             -1  -100.00%\n"
		"i                                1              -             -1  -100.00%\n"
		"j                                1              -             -1  -100.00%\n"
		"and 2 more\n"
		"\n");
}

/* Names have what 56 columns of numbers leave, and the columns of the heading at least. */
static void long_names_are_cut(void **state)
{
	(void)state;
	is_list(1, 97,
		"                           A              B     difference   percent\n"
		"\n"
		"cycles by function                                      A              B     difference   percent\n"
		"a0123456789012345678901234567890123456789               1              -             -1  -100.00%\n"
		"\n");
	is_list(1, 96,
		"                           A              B     difference   percent\n"
		"\n"
		"cycles by function                                     A              B     difference   percent\n"
		"a012345678901234567...234567890123456789               1              -             -1  -100.00%\n"
		"\n");
	is_list(1, 75,
		"                           A              B     difference   percent\n"
		"\n"
		"cycles by function                A              B     difference   percent\n"
		"a0123456...23456789               1              -             -1  -100.00%\n"
		"\n");
	is_list(1, 74,
		"                           A              B     difference   percent\n"
		"\n"
		"cycles by function               A              B     difference   percent\n"
		"a0123456...3456789               1              -             -1  -100.00%\n"
		"\n");
	is_list(1, 60,
		"                           A              B     difference   percent\n"
		"\n"
		"cycles by function               A              B     difference   percent\n"
		"a0123456...3456789               1              -             -1  -100.00%\n"
		"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_told_with_their_difference),
		cmocka_unit_test(changes_are_told_by_place),
		cmocka_unit_test(long_lists_are_cut),
		cmocka_unit_test(long_names_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

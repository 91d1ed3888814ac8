/* The model's points and explanation as text. */
#include "../printed.h"

#include "report/text/model_text.h"

static void is_model(const char *text, unsigned width, const char *wanted)
{
	const struct terminal terminal = {.width = width};
	json_t *result = json_of(text);
	struct printed p;

	PRINTS_AND_GIVES_BACK(p, model_text_write(p.out, result, &terminal));
	model_text_write(printed_open(&p), result, &terminal);
	printed_is(&p, wanted);
	json_decref(result);
}

#define COMPONENTS(base, branch, icache, dmiss)                                    \
	"'components': {'base': " base ", 'branch': " branch ", 'icache': " icache \
	", 'dmiss': " dmiss "}"
#define DETAIL                                                                                     \
	"'detail': {'load_misses': 50, 'store_misses': 30, 'mispredictions': 12, 'fetch_misses': " \
	"7}"

/* 4000 instructions: 50, 30, 12 and 7 are 12.5, 7.5, 3 and 1.75 a thousand. */
static void points_of_one_technique(void **state)
{
	(void)state;
	is_model(
		"{'program': {'name': 'sort'}, 'configuration': {'name': 'midcore'},"
		" 'instructions': 4000, 'points': ["
		"{'technique': 'chains', 'set': {}, 'cpi': 1.5, " COMPONENTS(
			"0.25", "0.5", "0.125",
			"0.625") ", " DETAIL "},"
				 "{'technique': 'chains', 'set': {'rob.size': '64', 'l2.mshrs': '8'}, 'cpi': 2.00006, " COMPONENTS(
					 "1", "2", "3", "4") ", 'detail': {'load_misses': 99}}]}",
		100,
		"sort on midcore: 4000 instructions; per 1000: 12.50 long load misses, 7.50 long store misses, 3.00 mispredictions, 1.75 L1I misses (first point)\n"
		"Long data misses by: chains\n"
		"                          CPI   base branch icache  dmiss\n"
		"(as configured)        1.5000 0.2500 0.5000 0.1250 0.6250\n"
		"rob.size=64 l2.mshrs=8 2.0001 1.0000 2.0000 3.0000 4.0000\n");
}

static void points_of_two_techniques_that_were_simulated(void **state)
{
	(void)state;
	is_model(
		"{'configuration': {'name': 'midcore'}, 'instructions': 0, 'points': ["
		"{'technique': 'chains', 'set': {}, 'cpi': 1.5, " COMPONENTS(
			"0.25", "0.5", "0.125",
			"0.625") ", " DETAIL ","
				 " 'simulated': {'cpi': 1.25, " COMPONENTS(
					 "9", "9", "9",
					 "0.75") "},"
						 " 'error': {'cpi': 0.2, 'dmiss': -0.16666}},"
						 "{'technique': 'windows', 'set': {'rob.size': '64'}, 'cpi': 2, " COMPONENTS(
							 "1", "2", "3",
							 "4") ","
							      " 'simulated': {'cpi': 4, " COMPONENTS(
								      "9", "9", "9",
								      "5") "},"
									   " 'error': {'cpi': -0.5, 'dmiss': 0}}]}",
		120,
		"imported trace on midcore: 0 instructions; per 1000: 0.00 long load misses, 0.00 long store misses, 0.00 mispredictions, 0.00 L1I misses (first point)\n"
		"                        CPI   base branch icache  dmiss simulated its dmiss  error of dmiss\n"
		"chains               1.5000 0.2500 0.5000 0.1250 0.6250    1.2500    0.7500 +20.0%   -16.7%\n"
		"rob.size=64: windows 2.0000 1.0000 2.0000 3.0000 4.0000    4.0000    5.0000 -50.0%    +0.0%\n");
}

static void an_explanation_names_every_member(void **state)
{
	(void)state;
	is_model(
		"{'program': {'name': 'sort'}, 'configuration': {'name': 'midcore'},"
		" 'instructions': 1, 'points': [{'technique': 't', 'set': {}, 'cpi': 1}],"
		" 'explanation': {"
		"'functions': [{'function': 'main', 'share': 0.6251, 'serialized_misses': 3,"
		" 'misses': 40, 'depends_on': {'loads': 2, 'stores': 0, 'nothing': 5}},"
		"{'function': 'walk', 'share': 0.25, 'serialized_misses': 1, 'misses': 2}],"
		"'lines': [{'file': 'a.c', 'line': 12, 'function': 'main', 'share': 0.5,"
		" 'serialized_misses': 6, 'misses': 7, 'depends_on': {}},"
		"{'file': '', 'line': 0, 'function': 'walk', 'share': 0.125,"
		" 'serialized_misses': 8, 'misses': 9}],"
		"'ends': [{'share': 0.75, 'windows': 11, 'ended_by': 'full window'},"
		"{'share': 0.25, 'windows': 4, 'ended_by': 'a fence'}],"
		"'windows': [{'share': 0.3, 'windows': 21, 'from': 100, 'to': 228, 'misses': 13,"
		" 'serialized_misses': 5, 'ended_by': 'full window', 'chain': ["
		"{'misses': 2, 'depends_on': 'nothing', 'file': 'a.c', 'line': 12,"
		" 'function': 'main', 'pc': '0x100'},"
		"{'misses': 3, 'depends_on': 'loads', 'file': 'b.c', 'line': 7,"
		" 'function': 'next', 'pc': '0x200'}]}]}}",
		100,
		"sort on midcore: 1 instructions; per 1000: 0.00 long load misses, 0.00 long store misses, 0.00 mispredictions, 0.00 L1I misses (first point)\n"
		"Long data misses by: t\n"
		"                   CPI   base branch icache  dmiss\n"
		"(as configured) 1.0000 0.0000 0.0000 0.0000 0.0000\n"
		"\n"
		"Where the long data misses are, first point: share of dmiss, misses on longest chains, all misses\n"
		"  62.5%          3         40  main  depend on: loads 2, nothing 5\n"
		"  25.0%          1          2  walk\n"
		"By line\n"
		"  50.0%          6          7  main a.c:12\n"
		"  12.5%          8          9  walk\n"
		"What ended the windows: share of dmiss\n"
		"  75.0%         11 windows  full window\n"
		"  25.0%          4 windows  a fence\n"
		"The windows that cost most, those with the same chain of misses as one\n"
		"  30.0% 21 windows like instructions 100 to 227: 13 misses, 5 one after the other; ended by: full window\n"
		"             2 x main a.c:12 (0x100)\n"
		"        then 3 x next b.c:7 (0x200), through loads\n");
}

/* Few instructions are a part of a thousand; of none nothing can be said. */
static void misses_are_of_a_thousand_instructions(void **state)
{
	static const struct {
		int instructions;
		const char *rates[4];
	} cases[] = {
		{0, {"0.00", "0.00", "0.00", "0.00"}},
		{1, {"50000.00", "30000.00", "12000.00", "7000.00"}},
		{500, {"100.00", "60.00", "24.00", "14.00"}},
		{1000, {"50.00", "30.00", "12.00", "7.00"}},
		{2000, {"25.00", "15.00", "6.00", "3.50"}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char text[512], wanted[512];

		snprintf(text, sizeof(text),
			 "{'program': {'name': 'p'}, 'configuration': {'name': 'm'},"
			 " 'instructions': %d, 'points': [{'technique': 't', 'set': {}, 'cpi': 1,"
			 " " DETAIL "}]}",
			 cases[i].instructions);
		snprintf(wanted, sizeof(wanted),
			 "p on m: %d instructions; per 1000: %s long load misses, %s long store "
			 "misses, %s mispredictions, %s L1I misses (first point)\n"
			 "Long data misses by: t\n"
			 "                   CPI   base branch icache  dmiss\n"
			 "(as configured) 1.0000 0.0000 0.0000 0.0000 0.0000\n",
			 cases[i].instructions, cases[i].rates[0], cases[i].rates[1],
			 cases[i].rates[2], cases[i].rates[3]);
		is_model(text, 100, wanted);
	}
}

/* The name of a point has room for 511 bytes: what is set beyond is left out, and so is the
 * technique. Of a name of more than 24 the first 11 and the last 10 are shown. */
static void names_of_points_end_where_their_room_does(void **state)
{
	static const struct {
		int lengths[3];	   /* of the values of a, b and c */
		const char *shown; /* in 24 columns */
	} cases[] = {
		{{1, 2, 3}, "a=1 b=02 c=003: u"},
		{{1, 9, 3}, "a=1 b=000000002 c=003: u"},
		{{300, 300, 300}, "a=000000000...0000000000"},
		{{600, 5, 5}, "a=000000000...0000000000"},
		{{100, 100, 300}, "a=000000000...0000003: u"},
		{{100, 100, 301}, "a=000000000...00000003: "},
		{{100, 100, 302}, "a=000000000...000000003:"},
		{{100, 100, 303}, "a=000000000...0000000003"},
		{{100, 100, 304}, "a=000000000...0000000000"},
		{{100, 403, 1}, "a=000000000...0000002 c="},
		{{100, 404, 1}, "a=000000000...00000002 c"},
		{{100, 405, 1}, "a=000000000...000000002 "},
		{{100, 406, 1}, "a=000000000...0000000002"},
		{{100, 407, 1}, "a=000000000...0000000000"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const int *lengths = cases[i].lengths;
		const int columns = (int)strlen(cases[i].shown);
		char text[2048], wanted[1024];

		snprintf(text, sizeof(text),
			 "{'program': {'name': 'p'}, 'configuration': {'name': 'm'},"
			 " 'instructions': 0, 'points': [{'technique': 't', 'set': {}, 'cpi': 1},"
			 "{'technique': 'u', 'set': {'a': '%0*d', 'b': '%0*d', 'c': '%0*d'},"
			 " 'cpi': 2}]}",
			 lengths[0], 1, lengths[1], 2, lengths[2], 3);
		snprintf(wanted, sizeof(wanted),
			 "p on m: 0 instructions; per 1000: 0.00 long load misses, 0.00 long store "
			 "misses, 0.00 mispredictions, 0.00 L1I misses (first point)\n"
			 "%*s    CPI   base branch icache  dmiss\n"
			 "%-*s 1.0000 0.0000 0.0000 0.0000 0.0000\n"
			 "%s 2.0000 0.0000 0.0000 0.0000 0.0000\n",
			 columns, "", columns, "t", cases[i].shown);
		is_model(text, 1000, wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_of_one_technique),
		cmocka_unit_test(points_of_two_techniques_that_were_simulated),
		cmocka_unit_test(an_explanation_names_every_member),
		cmocka_unit_test(misses_are_of_a_thousand_instructions),
		cmocka_unit_test(names_of_points_end_where_their_room_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

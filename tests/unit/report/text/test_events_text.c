/* Counted values chosen by name: the list, the columns, and words that match nothing. */
#include "../printed.h"

#include "report/text/events_text.h"

static void are_events(const char *list, unsigned width, const char *wanted)
{
	const struct terminal terminal = {.width = width};
	json_t *result = json_of("{'values': {'cycles': 12345, 'instructions': 2000, 'loads': 501,"
				 " 'loads.forwarded': 7, 'stores': 300}}");
	struct printed p;

	PRINTS_AND_GIVES_BACK(p, events_text_print(p.out, result, &terminal, list));
	events_text_print(printed_open(&p), result, &terminal, list);
	printed_is(&p, wanted);
	json_decref(result);
}

/* Value 15, name 15, rate 9 and the spaces between: 41; the meaning needs ten columns more and its
 * two spaces. */
static void columns_appear_where_there_is_room(void **state)
{
	(void)state;
	are_events("loads*,cycles", 100,
		   "\n          count event            per 1000\n"
		   "          12345 cycles            6172.50  cycles simulated\n"
		   "            501 loads              250.50  loads and atomics committed\n"
		   "              7 loads.forwarded      3.50  loads served by a store in the "
		   "window, wrong paths includ\n");
	are_events("loads*,cycles", 53,
		   "\n          count event            per 1000\n"
		   "          12345 cycles            6172.50  cycles sim\n"
		   "            501 loads              250.50  loads and \n"
		   "              7 loads.forwarded      3.50  loads serv\n");
	are_events("loads*,cycles", 52,
		   "\n          count event            per 1000\n"
		   "          12345 cycles            6172.50\n"
		   "            501 loads              250.50\n"
		   "              7 loads.forwarded      3.50\n");
	are_events("loads*,cycles", 41,
		   "\n          count event            per 1000\n"
		   "          12345 cycles            6172.50\n"
		   "            501 loads              250.50\n"
		   "              7 loads.forwarded      3.50\n");
	are_events("loads*,cycles", 40,
		   "\n          count event\n"
		   "          12345 cycles                  \n"
		   "            501 loads                   \n"
		   "              7 loads.forwarded         \n");
}

/* A name needs not be at the beginning of the list; empty words match nothing; each value once. */
static void words_of_the_list_are_patterns(void **state)
{
	(void)state;
	are_events(",,stores,stores,s[tx]ores,load", 42,
		   "\n          count event   per 1000\n"
		   "            300 stores    150.00\n");
	are_events("", 42, "\n          count event  per 1000\n");
	/* A value is called by its own name, not by that of its signal. */
	are_events("instructions,committed", 42,
		   "\n          count event         per 1000\n"
		   "           2000 instructions   1000.00\n");
	are_events("dispatched", 42,
		   "\n          count event       per 1000\n"
		   "              0 dispatched      0.00\n");
}

static void nothing_is_divided_by_zero_instructions(void **state)
{
	const struct terminal terminal = {.width = 42};
	json_t *result = json_of("{'values': {'loads': 501}}");
	struct printed p;

	(void)state;
	events_text_print(printed_open(&p), result, &terminal, "loads");
	printed_is(&p, "\n          count event  per 1000\n"
		       "            501 loads      0.00\n");
	json_object_set_new(json_object_get(result, "values"), "instructions", json_integer(1));
	events_text_print(printed_open(&p), result, &terminal, "loads");
	printed_is(&p, "\n          count event  per 1000\n"
		       "            501 loads 501000.00\n");
	json_decref(result);
}

static void is_refused(const char *list, const char *wanted)
{
	struct err err;

	assert_false(events_text_check(list, &err));
	assert_string_equal(err.text, wanted);
}

static void words_that_match_nothing_are_refused(void **state)
{
	struct err err;

	(void)state;
	assert_true(events_text_check("", &err));
	assert_true(events_text_check(",", &err));
	assert_true(events_text_check(",loads,,l1?.*,*", &err));
	is_refused("loads,lods,stors",
		   "--events: there is no \"lods\"; did you mean loads? --events '*' prints them "
		   "all");
	is_refused("load,x",
		   "--events: there is no \"load\"; did you mean loads? --events '*' prints them "
		   "all");
	/* Four edits are near, five are not. */
	is_refused("fetcXXXX",
		   "--events: there is no \"fetcXXXX\"; did you mean fetched? --events '*' prints "
		   "them all");
	is_refused("committed",
		   "--events: there is no \"committed\"; --events '*' prints them all");
	is_refused("instruktion,committed",
		   "--events: there is no \"instruktion\"; did you mean instructions? --events '*' "
		   "prints them all");
	is_refused("ABCDEFGHIJKLMNOPQRST",
		   "--events: there is no \"ABCDEFGHIJKLMNOPQRST\"; --events '*' prints them all");
	/* The first 63 bytes of a long word. */
	is_refused("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQ",
		   "--events: there is no "
		   "\"ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJK\"; --events "
		   "'*' prints them all");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_appear_where_there_is_room),
		cmocka_unit_test(words_of_the_list_are_patterns),
		cmocka_unit_test(nothing_is_divided_by_zero_instructions),
		cmocka_unit_test(words_that_match_nothing_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

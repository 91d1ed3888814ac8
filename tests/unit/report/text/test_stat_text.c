/* Counters of a module over time, as text. */
#include "../printed.h"

#include "report/text/stat_text.h"

static void is_spark(const double *values, size_t count, unsigned columns, bool utf8,
		     const char *wanted)
{
	const struct terminal terminal = {.width = 80, .utf8 = utf8};
	struct printed p;

	stat_text_spark(printed_open(&p), &terminal, values, count, columns);
	printed_is(&p, wanted);
}

static void a_spark_has_eight_levels(void **state)
{
	static const double steps[] = {0, 1, 2, 3, 4, 5, 6, 7, 7};
	static const double mixed[] = {4, -2, 1, 0.3, 0.25, 4};

	(void)state;
	is_spark(steps, 9, 20, false, "012345677");
	is_spark(steps, 9, 9, false, "012345677");
	is_spark(steps, 8, 9, true, "▁▂▃▄▅▆▇█");
	/* Means of 0-1, 2-3, 4-5, 6-8: 0.5, 2.5, 4.5, 20/3; in sevenths of the largest. */
	is_spark(steps, 9, 4, false, "1357");
	/* 7 * 0.3 / 4 = 0.525, 7 * 0.25 / 4 = 0.4375, 7 / 4 = 1.75. */
	is_spark(mixed, 6, 6, false, "702107");
	is_spark(mixed, 6, 1, false, "7");
	is_spark((const double[]){-1, 0}, 2, 5, false, "00");
	is_spark(mixed, 0, 5, false, "");
	is_spark(mixed, 6, 0, false, "");
}

static const char counters[] =
	"{'values': {'cycles': 5000, 'instructions': 4000}, 'module': {'width': 12},"
	" 'epochs': [{'cycle': 0, 'every': 100}, {'cycle': 2500, 'every': 50}],"
	" 'intervals': [1, 2, 3],"
	" 'counters': ["
	"{'signal': 'committed', 'epoch': 0, 'total': 4000, 'intervals': [1, 2, 4]},"
	"{'signal': 'l1d.misses', 'where': 'loop', 'epoch': 0, 'total': 77, 'saturated': true,"
	" 'intervals': [0, 5]},"
	"{'signal': 'a.signal.with.a.long.name', 'where': 'x', 'epoch': 1, 'total': 9,"
	" 'intervals': []}],"
	" 'derived': [{'name': 'ipc', 'value': 0.80004},"
	"{'name': 'mpki', 'where': 'loop', 'value': 12.34567, 'saturated': true},"
	"{'name': 'none', 'value': null}]}";

static void are_counters(json_t *result, unsigned width, const char *wanted)
{
	const struct terminal terminal = {.width = width};
	struct printed p;

	PRINTS_AND_GIVES_BACK(p, stat_text_print(p.out, result, &terminal));
	stat_text_print(printed_open(&p), result, &terminal);
	printed_is(&p, wanted);
}

static void every_number_is_that_of_its_member(void **state)
{
	json_t *result = json_of(counters);

	(void)state;
	are_counters(
		result, 100,
		"\nfrom cycle 0\n"
		"  every 100 cycles\n"
		"  committed                                4000  247\n"
		"  l1d.misses@loop                          >=77  07\n"
		"\nfrom cycle 2500\n"
		"  every 50 cycles\n"
		"  a.signal.with.a.long.name@x                 9  \n"
		"\n"
		"  ipc                                    0.8000\n"
		"  mpki@loop                             12.3457  from counts that are lower "
		"bounds\n"
		"  none                                        -\n"
		"\n  5000 cycles, 4000 instructions, 3 intervals\n"
		"  >= : a counter of 12 bits reached all ones within an interval; take --every "
		"shorter or --width larger\n");
	json_decref(result);
}

static void one_epoch_has_no_heading(void **state)
{
	json_t *result = json_of(
		"{'values': {'cycles': 1, 'instructions': 2}, 'intervals_cut': true,"
		" 'epochs': [{'cycle': 3, 'every': 7}], 'intervals': [1],"
		" 'counters': [{'signal': 's', 'epoch': 0, 'total': 1, 'intervals': [1]}]}");

	(void)state;
	are_counters(result, 100,
		     "  every 7 cycles\n"
		     "  s                                    1  7\n"
		     "\n  1 cycles, 2 instructions, 1 intervals\n"
		     "  there were more intervals than are kept; totals are of all of them\n");
	json_decref(result);
}

/* A counter whose name has so many characters, with so many intervals of the same value. */
static void is_line(size_t name_columns, size_t intervals, unsigned width, unsigned name_shown,
		    unsigned spark)
{
	char name[128], wanted[512], shown[128];
	json_t *list = json_array();
	struct printed p;

	memset(name, 'n', name_columns);
	name[name_columns] = 0;
	for (size_t i = 0; i < intervals; i++)
		json_array_append_new(list, json_integer(3));
	json_t *result =
		json_pack("{s:[{s:i}], s:[{s:s, s:i, s:i, s:o}]}", "epochs", "every", 1, "counters",
			  "signal", name, "epoch", 0, "total", 12, "intervals", list);
	const struct terminal terminal = {.width = width};
	stat_text_print(printed_open(&p), result, &terminal);
	fclose(p.out);
	memset(shown, 'n', sizeof(shown));
	if (name_shown < name_columns)
		memcpy(shown + (name_shown - 3 + 1) / 2, "...", 3);
	for (size_t i = name_columns; i < name_shown; i++)
		shown[i] = ' ';
	shown[name_shown] = 0;
	char *end = wanted + sprintf(wanted, "  every 1 cycles\n  %s                12  ", shown);
	memset(end, '7', spark);
	end[spark] = '\n';
	end[spark + 1] = 0;
	assert_memory_equal(p.text, wanted, strlen(wanted));
	free(p.text);
	json_decref(result);
}

/* A name has at least 20 columns, at most 52 or half of the width; the spark has what is left after
 * 22 more columns, at most 60. */
static void columns_are_shared_between_name_and_spark(void **state)
{
	(void)state;
	is_line(5, 100, 100, 20, 58);
	is_line(20, 100, 100, 20, 58);
	is_line(21, 100, 100, 21, 57);
	is_line(21, 100, 103, 21, 60);
	is_line(21, 100, 104, 21, 60);
	is_line(51, 100, 102, 51, 29);
	is_line(52, 100, 102, 51, 29);
	is_line(60, 100, 200, 52, 60);
	is_line(60, 100, 104, 52, 30);
	is_line(60, 100, 42, 21, 0);
	is_line(60, 100, 44, 22, 0);
	is_line(60, 100, 45, 22, 1);
	is_line(60, 100, 46, 23, 1);
	is_line(20, 3, 100, 20, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spark_has_eight_levels),
		cmocka_unit_test(every_number_is_that_of_its_member),
		cmocka_unit_test(one_epoch_has_no_heading),
		cmocka_unit_test(columns_are_shared_between_name_and_spark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

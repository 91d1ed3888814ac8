/* What counters were found to count, as text. */
#include "../printed.h"

#include "report/text/inspect_text.h"

static void is_inspect(const char *text, unsigned width, const char *wanted)
{
	const struct terminal terminal = {.width = width};
	json_t *result = json_of(text);
	struct printed p;

	PRINTS_AND_GIVES_BACK(p, inspect_text_print(p.out, result, &terminal));
	inspect_text_print(printed_open(&p), result, &terminal);
	printed_is(&p, wanted);
	json_decref(result);
}

static void what_was_found_of_the_machine_is_told(void **state)
{
	(void)state;
	is_inspect(
		"{'machine': {'line_bytes': 64, 'page_bytes': 4096, 'data_bytes': [32768, 262144],"
		" 'instruction_bytes': [16384], 'data_pages': [48, 512], 'instruction_pages': [32],"
		" 'tells_executed': true}, 'events': []}",
		80,
		"Found on the way: lines of 64 bytes, pages of 4096\n"
		"  caches of data: 32768, 262144 bytes\n"
		"  caches of instructions: 16384 bytes\n"
		"  TLBs of data: 48, 512 pages\n"
		"  TLBs of instructions: 32 pages\n"
		"\n"
		"event                          sure  counts\n");
	is_inspect(
		"{'machine': {'page_bytes': 4096, 'tells_executed': false}, 'events': []}", 80,

		"Found on the way: pages of 4096\n"
		"  no event counts branches of wrong paths: executed and retired cannot be told apart\n"
		"\n"
		"event                          sure  counts\n");
	is_inspect("{'machine': {'line_bytes': 64, 'data_bytes': [], 'tells_executed': true},"
		   " 'events': []}",
		   80,
		   "Found on the way: lines of 64 bytes\n"
		   "\n"
		   "event                          sure  counts\n");
	is_inspect(
		"{'machine': {}, 'events': []}", 80,
		"Found on the way: no event that tells lines or pages\n"
		"  no event counts branches of wrong paths: executed and retired cannot be told apart\n"
		"\n"
		"event                          sure  counts\n");
}

static void events_are_told_with_what_they_count(void **state)
{
	(void)state;
	is_inspect("{'machine': {'line_bytes': 64, 'tells_executed': true}, 'events': ["
		   "{'name': 'loads', 'verdict': 'loads retired', 'confidence': 0.987},"
		   "{'type': 4, 'code': 60, 'verdict': 'cycles', 'confidence': 1,"
		   " 'also': ['time', 'ticks']},"
		   "{'name': 'right', 'verdict': 'branches', 'confidence': 0.5, 'holds': true,"
		   " 'also': ['jumps'], 'claim': 'all branches'},"
		   "{'name': 'wrong', 'verdict': 'none of these', 'confidence': 0.25,"
		   " 'holds': false, 'claim': 'L2 misses'}]}",
		   80,
		   "Found on the way: lines of 64 bytes\n"
		   "\n"
		   "event                          sure  counts\n"
		   "loads                          0.99  loads retired\n"
		   "4:60                           1.00  cycles\n"
		   "                                      or time\n"
		   "                                      or ticks\n"
		   "right                           yes  0.50  branches\n"
		   "                                            or jumps\n"
		   "wrong                           NO   0.25  none of these\n"
		   "                                            its name says: L2 misses\n"
		   "\n"
		   "1 events count none of these:\n"
		   "  wrong\n");
}

static void events_that_count_nothing_are_listed_by_name(void **state)
{
	static const char events[] =
		"{'machine': {'line_bytes': 64, 'tells_executed': true}, 'events': ["
		"{'name': 'first.event', 'verdict': 'none of these'},"
		"{'type': 4, 'code': 61, 'verdict': 'none of these'},"
		"{'name': 'third', 'verdict': 'none of these'},"
		"{'name': 'zero.event', 'verdict': 'nothing'},"
		"{'name': 'refused.event', 'verdict': 'cannot be counted'}]}";

	(void)state;
	/* "  first.event 4:61 third" are 24 columns. */
	is_inspect(events, 80,
		   "Found on the way: lines of 64 bytes\n"
		   "\n"
		   "event                          sure  counts\n"
		   "\n"
		   "3 events count none of these:\n"
		   "  first.event 4:61 third\n"
		   "\n"
		   "1 events count nothing here:\n"
		   "  zero.event\n"
		   "\n"
		   "1 events cannot be counted here:\n"
		   "  refused.event\n");
	is_inspect(events, 24,
		   "Found on the way: lines of 64 bytes\n"
		   "\n"
		   "event                          sure  counts\n"
		   "\n"
		   "3 events count none of these:\n"
		   "  first.event 4:61 third\n"
		   "\n"
		   "1 events count nothing here:\n"
		   "  zero.event\n"
		   "\n"
		   "1 events cannot be counted here:\n"
		   "  refused.event\n");
	is_inspect(events, 23,
		   "Found on the way: lines of 64 bytes\n"
		   "\n"
		   "event                          sure  counts\n"
		   "\n"
		   "3 events count none of these:\n"
		   "  first.event 4:61\n"
		   "  third\n"
		   "\n"
		   "1 events count nothing here:\n"
		   "  zero.event\n"
		   "\n"
		   "1 events cannot be counted here:\n"
		   "  refused.event\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_found_of_the_machine_is_told),
		cmocka_unit_test(events_are_told_with_what_they_count),
		cmocka_unit_test(events_that_count_nothing_are_listed_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

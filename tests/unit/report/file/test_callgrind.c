/* Checks the format against its description; tests/report/test_callgrind.sh runs
 * callgrind_annotate. */
#include "../../test.h"
#include "../sample.h"

#include "report/file/callgrind.h"

#define EVENTS_MOST 32

/* Adds the numbers of a line of costs; returns how many there were. */
static unsigned add_costs(const char *p, int64_t sums[EVENTS_MOST])
{
	unsigned count = 0;

	for (char *end; *p && count < EVENTS_MOST; p = end) {
		sums[count++] += strtoll(p, &end, 10);
		assert_true(end > p);
	}
	return count;
}

TEST(costs_add_up_to_summary_and_totals)
{
	for (uint64_t seed = 1; seed <= 10; seed++) {
		json_t *result = sample_result(seed, 100000, 1 + seed % 3, 20);
		FILE *out = tmpfile();
		struct err err;
		int64_t sums[EVENTS_MOST] = {0}, summary[EVENTS_MOST] = {0},
			totals[EVENTS_MOST] = {0};
		unsigned events = 0, functions = 0;

		assert_non_null(out);
		assert_true(callgrind_write(out, result, &err));
		char *text = sample_read(out), *rest = text;
		assert_memory_equal(text, "# callgrind format\nversion: 1\ncreator: cyclestack\n",
				    49);
		assert_non_null(strstr(text, "\npositions: line\n"));
		assert_non_null(strstr(text, "\ncmd: sort;er -n two words?\n"));
		for (char *line; (line = strsep(&rest, "\n"));) {
			char *space = strchr(line, ' ');

			if (strncmp(line, "events: ", 8) == 0)
				for (const char *p = line; (p = strchr(p, ' ')); p++)
					events++;
			else if (strncmp(line, "summary: ", 9) == 0)
				assert_int_equal(add_costs(space, summary), events);
			else if (strncmp(line, "totals: ", 8) == 0)
				assert_int_equal(add_costs(space, totals), events);
			else if (*line >= '0' && *line <= '9')
				assert_int_equal(add_costs(space, sums), events);
			functions += strncmp(line, "fn=(", 4) == 0;
		}
		assert_true(events > 10);
		assert_true(functions >= 20);
		assert_int_equal(sums[0], sample_total(result));
		assert_memory_equal(sums, summary, sizeof(sums));
		assert_memory_equal(sums, totals, sizeof(sums));
		int64_t causes = 0;
		for (unsigned i = 1; i < events; i++)
			causes += sums[i];
		assert_int_equal(causes, sums[0]);
		free(text);
		json_decref(result);
	}
}

/* A name is written with its number once. */
TEST(files_are_named_once)
{
	json_t *result = sample_result(1, 1000, 2, 20);
	FILE *out = tmpfile();
	struct err err;

	assert_non_null(out);
	assert_true(callgrind_write(out, result, &err));
	char *text = sample_read(out);
	const char *first = strstr(text, ") src/sort.c\n");
	assert_non_null(first);
	assert_null(strstr(first + 1, ") src/sort.c\n"));
	assert_non_null(strstr(text, ") ???\n"));
	assert_non_null(strstr(text, "\nfi=("));
	assert_non_null(strstr(text, "\nfe=("));
	assert_non_null(strstr(text, "fn=(8) (7) looks like a number\n"));
	free(text);
	json_decref(result);
}

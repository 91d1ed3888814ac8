/* Rows of results: which there are, worked out by hand for a few, and for every kept result by an
 * independent rule: each number in it that is in a row is the one at that path. */
#include "../test.h"

#include <dirent.h>

#include "store/rows.h"
#include "value/layout.h"
#include "value/unit.h"

#define FOLDER "tests/unit/report/results/"

/* Rows as text, a line each. */
static char lines[1 << 16];
static size_t subjects, numbers;

static bool add_subject(void *context, const struct rows_subject *subject)
{
	const size_t used = strlen(lines);

	(void)context;
	snprintf(lines + used, sizeof(lines) - used, "subject %zu: %s on %s, %zu parameters\n",
		 subjects++, subject->program ? subject->program : "-",
		 subject->configuration
			 ? json_string_value(json_object_get(subject->configuration, "name"))
			 : "-",
		 json_object_size(subject->parameters));
	return true;
}

static bool add_number(void *context, size_t subject, const struct rows_number *number)
{
	const size_t used = strlen(lines);
	char *value = json_dumps(number->value, JSON_ENCODE_ANY);

	(void)context;
	numbers++;
	snprintf(lines + used, sizeof(lines) - used, "%zu %s|%s|%s = %s %s\n", subject,
		 number->member, number->of, number->name, value, number->unit);
	free(value);
	return true;
}

static const struct rows_sink sink = {add_subject, add_number, NULL};

static void rows_are(const char *text, const char *wanted)
{
	json_t *result = json_loads(text, 0, NULL);
	struct err err;

	assert_non_null(result);
	const struct layout *layout = layout_of(result, &err);
	assert_non_null(layout);
	lines[0] = '\0';
	subjects = numbers = 0;
	assert_true(rows_walk(result, layout, &sink));
	assert_string_equal(lines, wanted);
	json_decref(result);
}

TEST(a_run_has_its_values_and_stacks)
{
	rows_are("{\"schema\": \"cyclestack-run-2\","
		 "\"program\": {\"name\": \"a.out\", \"arguments\": [\"1\"], \"sha256\": \"x\"},"
		 "\"configuration\": {\"name\": \"m\", \"changes\": [], \"sha256\": \"y\","
		 " \"parameters\": {\"rob.size\": 4, \"core.kind\": \"ooo\"}},"
		 "\"skipped_instructions\": 0, \"partial\": false, \"status\": 3,"
		 "\"values\": {\"cycles\": 10, \"instructions\": 20, \"l1d.misses\": 2},"
		 "\"stacks\": {\"exact\": {\"components\": {\"base\": 7, \"l1d\": 3}, "
		 "\"bits\": null}},"
		 "\"exact\": {\"slots_per_cycle\": 2, \"causes\": {\"base\": 20}, \"functions\": ["
		 "{\"name\": \"main\", \"file\": \"\", \"line\": 0, \"executed\": 20, \"slots\": "
		 "{\"base\": 20}, \"lines\": [{\"file\": \"\", \"line\": 1, \"executed\": 20, "
		 "\"slots\": {}}]}]},"
		 "\"made_later\": 1}",
		 "subject 0: a.out on m, 2 parameters\n"
		 "0 ||skipped_instructions = 0 instructions\n"
		 "0 ||partial = false \n"
		 "0 ||status = 3 \n"
		 "0 values||cycles = 10 cycles\n"
		 "0 values||instructions = 20 instructions\n"
		 "0 values||l1d.misses = 2 accesses\n"
		 "0 stacks.components|exact|base = 7 cycles\n"
		 "0 stacks.components|exact|l1d = 3 cycles\n"
		 "0 exact||slots_per_cycle = 2 slots\n"
		 "0 exact.causes||base = 20 slots\n"
		 "0 exact.functions|main|name = \"main\" \n"
		 "0 exact.functions|main|file = \"\" \n"
		 "0 exact.functions|main|line = 0 \n"
		 "0 exact.functions|main|executed = 20 instructions\n"
		 "0 exact.functions.slots|main|base = 20 slots\n");
}

TEST(counters_have_the_unit_of_their_signal)
{
	rows_are("{\"schema\": \"cyclestack-collected-1\", \"run\": \"7\","
		 "\"program\": {\"name\": \"@chess:test\", \"sha256\": \"\"},"
		 "\"configuration\": {\"name\": \"m\", \"sha256\": \"\"},"
		 "\"complete\": true, \"partial\": false, \"cycles\": 5, \"missing\": 0,"
		 "\"intervals\": [{\"epoch\": 0, \"number\": 0, \"start\": 0, \"cycles\": 5}],"
		 "\"counters\": [{\"signal\": \"loads\", \"where\": \"main\", \"epoch\": 1, "
		 "\"unit\": \"instructions\", \"total\": 4, \"saturated\": false, \"intervals\": "
		 "[4]}, {\"signal\": \"loads\", \"where\": \"main\", \"epoch\": 2, \"total\": 1}]}",
		 "subject 0: chess on m, 0 parameters\n"
		 "0 ||run = \"7\" \n"
		 "0 ||complete = true \n"
		 "0 ||partial = false \n"
		 "0 ||cycles = 5 cycles\n"
		 "0 ||missing = 0 \n"
		 "0 counters|loads@main|signal = \"loads\" \n"
		 "0 counters|loads@main|where = \"main\" \n"
		 "0 counters|loads@main|epoch = 1 \n"
		 "0 counters|loads@main|total = 4 instructions\n"
		 "0 counters|loads@main|saturated = false \n"
		 "0 counters|loads@main (2)|signal = \"loads\" \n"
		 "0 counters|loads@main (2)|where = \"main\" \n"
		 "0 counters|loads@main (2)|epoch = 2 \n"
		 "0 counters|loads@main (2)|total = 1 \n");
}

/* Each program of `judge` and each run of `sweep` is a subject, with the machine around it. */
TEST(parts_about_other_programs_or_machines_are_subjects)
{
	rows_are("{\"schema\": \"cyclestack-sweep-1\","
		 "\"configuration\": {\"name\": \"m\", \"changes\": [], \"sha256\": \"y\","
		 " \"parameters\": {\"rob.size\": 4, \"x\": 1, \"y\": 2}},"
		 "\"runs\": [{\"program\": \"@real/lz4\", \"configuration\": {\"name\": \"m\", "
		 "\"changes\": [\"rob.size=8\", \"z=true\"], \"sha256\": \"z\"}, \"settings\": "
		 "{\"rob.size\": 8, \"y\": null}, \"instructions\": 3, \"cycles\": 2, "
		 "\"components\": {\"base\": 2}}]}",
		 "subject 0: - on m, 3 parameters\n"
		 "subject 1: real/lz4 on m, 3 parameters\n"
		 "1 runs||instructions = 3 instructions\n"
		 "1 runs||cycles = 2 cycles\n"
		 "1 runs.components||base = 2 cycles\n");
}

TEST(programs_are_named_without_their_size)
{
	static const char *const rows[][2] = {{"@chess:test", "chess"},
					      {"@chess", "chess"},
					      {"@real/lz4", "real/lz4"},
					      {"./a.out:x", "./a.out:x"},
					      {"", ""},
					      {"@", ""}};
	char name[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		rows_program_name(name, sizeof(name), rows[i][0]);
		assert_string_equal(name, rows[i][1]);
	}
}

static bool stop_at(void *context, size_t subject, const struct rows_number *number)
{
	(void)subject;
	(void)number;
	return --*(int *)context > 0;
}

static bool any_subject(void *context, const struct rows_subject *subject)
{
	(void)context;
	(void)subject;
	return true;
}

/* Every kept result has rows, and a sink that is false ends the walk there. */
TEST(every_kept_result_has_rows)
{
	DIR *list = opendir(FOLDER);
	int found = 0;

	assert_non_null(list);
	for (struct dirent *entry; (entry = readdir(list));) {
		char path[512];
		struct err err;

		if (!strstr(entry->d_name, ".json"))
			continue;
		snprintf(path, sizeof(path), FOLDER "%s", entry->d_name);
		json_t *result = json_load_file(path, 0, NULL);
		const struct layout *layout = layout_of(result, &err);
		assert_non_null(layout);
		lines[0] = '\0';
		subjects = numbers = 0;
		assert_true(rows_walk(result, layout, &sink));
		assert_true(subjects > 0);
		for (int most = 1; most < 5 && (size_t)most <= numbers; most++) {
			int left = most;
			const struct rows_sink stops = {any_subject, stop_at, &left};

			assert_false(rows_walk(result, layout, &stops));
			assert_int_equal(left, 0);
		}
		json_decref(result);
		found++;
	}
	closedir(list);
	assert_true(found > 30);
}

#include "../sample.h"

#include "report/file/csv.h"

#define FIELDS 10

static char *written(const json_t *result)
{
	FILE *out = tmpfile();
	struct err err;

	assert_non_null(out);
	assert_true(csv_write(out, result, &err));
	return sample_read(out);
}

/* Reads one row by the rules of RFC 4180; returns what follows. Fields overwrite the text. */
static char *read_row(char *p, char *fields[FIELDS])
{
	unsigned count = 0;

	for (;;) {
		char *to = p;

		assert_true(count < FIELDS);
		fields[count++] = p;
		if (*p == '"') {
			for (p++; *p != '"' || p[1] == '"'; p++) {
				assert_true(*p != 0);
				p += *p == '"';
				*to++ = *p;
			}
			p++;
		} else {
			for (; *p != ',' && *p != '\n'; p++) {
				assert_true(*p && *p != '"');
				*to++ = *p;
			}
		}
		char end = *p++;
		*to = 0;
		if (end == '\n')
			break;
		assert_int_equal(end, ',');
	}
	assert_int_equal(count, FIELDS);
	return p;
}

static void slots_add_up_within_each_kind(void **state)
{
	json_t *result = sample_result(4, 100000, 2, 15);
	char *text = written(result), *fields[FIELDS];
	int64_t program = 0, function = 0, line = 0, topdown = 0, exact = 0, total;
	double cycles = 0;

	(void)state;
	char *p = read_row(text, fields);
	assert_string_equal(fields[0], "kind");
	assert_string_equal(fields[9], "cycles");
	while (*p) {
		p = read_row(p, fields);
		int64_t slots = strtoll(fields[8], NULL, 10);

		if (strcmp(fields[0], "program") == 0) {
			program += slots;
			cycles += strtod(fields[9], NULL);
		} else if (strcmp(fields[0], "function") == 0) {
			function += slots;
		} else if (strcmp(fields[0], "line") == 0) {
			line += slots;
		} else if (strcmp(fields[0], "topdown") == 0 && strcmp(fields[2], "level1") == 0) {
			topdown += slots;
		} else if (strcmp(fields[0], "method") == 0 && strcmp(fields[2], "exact") == 0) {
			exact += strtoll(fields[9], NULL, 10);
		}
	}
	total = sample_total(result);
	assert_int_equal(program, total);
	assert_int_equal(function, total);
	assert_int_equal(line, total);
	assert_int_equal(topdown, total);
	assert_int_equal(exact * SAMPLE_WIDTH, total);
	assert_true(cycles * SAMPLE_WIDTH == (double)total);
	free(text);
	json_decref(result);
}

/* Every name read back equals the name written. */
static void names_survive_quoting(void **state)
{
	json_t *result = sample_result(4, 1000, 2, 15);
	char *text = written(result), *fields[FIELDS];
	bool seen[ARRAY_COUNT(sample_names)] = {false};

	(void)state;
	for (char *p = read_row(text, fields); *p;) {
		p = read_row(p, fields);
		for (size_t i = 0; i < ARRAY_COUNT(sample_names); i++)
			seen[i] |= strcmp(fields[0], "function") == 0 &&
				   strcmp(fields[2], sample_names[i]) == 0;
	}
	for (size_t i = 0; i < ARRAY_COUNT(sample_names); i++)
		assert_true(seen[i]);
	free(text);
	json_decref(result);
}

/* How often the name of the first function stands in the CSV as `wanted`. */
static unsigned rows_named(const char *name, const char *wanted)
{
	json_t *result = sample_result(4, 1000, 2, 15);
	json_t *functions = json_object_get(json_object_get(result, "exact"), "functions");
	char *fields[FIELDS];
	unsigned count = 0;

	json_object_set_new(json_array_get(functions, 0), "name", json_string(name));
	char *text = written(result);
	for (char *p = read_row(text, fields); *p;) {
		p = read_row(p, fields);
		count += strcmp(fields[0], "function") == 0 && strcmp(fields[1], wanted) == 0 &&
			 strcmp(fields[2], wanted) == 0;
	}
	free(text);
	json_decref(result);
	return count;
}

static void no_text_is_a_formula(void **state)
{
	static const char *const evil[] = {"=1+1",   "+1+cmd", "-1-cmd",   "@SUM(A1)",
					   "\t=1+1", "\r=1+1", "=a,\"b\"", "-"};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(evil); i++) {
		char quoted[32];

		snprintf(quoted, sizeof(quoted), "'%s", evil[i]);
		assert_int_equal(rows_named(evil[i], evil[i]), 0);
		assert_true(rows_named(evil[i], quoted) > 0);
	}
	assert_true(rows_named("a=b", "a=b") > 0);
	assert_true(rows_named("-12", "-12") > 0);
	assert_true(rows_named("", "") > 0);
}

static void every_kind_is_there(void **state)
{
	static const char *const kinds[] = {"program", "method",   "stage",
					    "topdown", "function", "line",
					    "thread",  "interval", "instruction"};
	json_t *result = sample_result(4, 1000, 2, 15);
	char *text = written(result);

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		char start[32];

		snprintf(start, sizeof(start), "\n%s,", kinds[i]);
		assert_non_null(strstr(text, start));
	}
	assert_non_null(strstr(text, "\nmethod,,naive,,,,base,"));
	free(text);
	json_decref(result);
}

static void a_full_device_is_an_error(void **state)
{
	json_t *result = sample_result(4, 1000, 2, 15);
	FILE *out = fopen("/dev/full", "w");
	struct err err;

	(void)state;
	if (!out)
		skip();
	assert_false(csv_write(out, result, &err));
	assert_string_equal(err.text, "cannot write the CSV: No space left on device");
	fclose(out);
	json_decref(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_add_up_within_each_kind),
		cmocka_unit_test(names_survive_quoting),
		cmocka_unit_test(no_text_is_a_formula),
		cmocka_unit_test(every_kind_is_there),
		cmocka_unit_test(a_full_device_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

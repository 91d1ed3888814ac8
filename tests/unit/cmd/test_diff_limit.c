/* The limit of `diff --fail-above`, in millionths of a percent, exactly; and files that are none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "cmd/cmd_diff.c"

static const char *limit;

const char *args_get(const struct args *args, enum option_id id)
{
	(void)args;
	assert_int_equal(id, OPTION_FAIL_ABOVE);
	return limit;
}

static char said[2048];

int fail_tool(const char *sentence)
{
	snprintf(said, sizeof(said), "%s", sentence);
	return 125;
}

int fail_usage(const struct command *command, const char *sentence)
{
	(void)command;
	snprintf(said, sizeof(said), "%s", sentence);
	return 2;
}

int fail_run(const struct command *command, const char *sentence)
{
	(void)command;
	snprintf(said, sizeof(said), "%s", sentence);
	return 77;
}

const struct command *command_named(const char *name)
{
	assert_string_equal(name, "diff");
	return NULL;
}

static int closed_with;

bool outputs_open(struct outputs *outputs, const struct args *args, struct err *err)
{
	(void)outputs;
	(void)args;
	(void)err;
	return true;
}

void outputs_close(struct outputs *outputs, int status)
{
	(void)outputs;
	closed_with = status;
}

bool outputs_write_report(struct outputs *outputs, outputs_printer *print, const void *context,
			  struct err *err)
{
	(void)outputs;
	(void)print;
	(void)context;
	(void)err;
	return true;
}

bool outputs_write_json(struct outputs *outputs, const json_t *result, struct err *err)
{
	(void)outputs;
	(void)result;
	(void)err;
	return true;
}

static void limits_are_read_exactly(void **state)
{
	static const struct {
		const char *text;
		int64_t millionths; /* -1: refused */
	} rows[] = {
		{"0", 0},
		{"1", 1000000},
		{"1%", 1000000},
		{"12.5%", 12500000},
		{"0.000001", 1},
		{"0.123456%", 123456},
		{"7.10", 7100000},
		{"100000000", INT64_C(100000000000000)},
		{"1000000009", INT64_C(1000000009000000)},
		{"1000000010", -1},
		{"0.1234567", -1},
		{"10000000090", -1},
		{"", -1},
		{"%", -1},
		{".5", -1},
		{"5.", -1},
		{"5.%", -1},
		{"1.2.3", -1},
		{"1%%", -1},
		{"1 %", -1},
		{"-1", -1},
		{"1e3", -1},
		{"/", -1},
		{":", -1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct comparison c = {0};
		struct err err = {""};
		char wanted[256];

		limit = rows[i].text;
		if (read_limit(&c, NULL, &err) != (rows[i].millionths >= 0))
			fail_msg("\"%s\" is %staken", limit, rows[i].millionths >= 0 ? "not " : "");
		snprintf(wanted, sizeof(wanted),
			 "--fail-above: \"%s\" is not a percentage such as 1%% or 0.5%% (at most 6 "
			 "decimals)",
			 limit);
		assert_string_equal(err.text, rows[i].millionths < 0 ? wanted : "");
		assert_int_equal(c.has_limit, rows[i].millionths >= 0);
		if (c.has_limit)
			assert_int_equal(c.limit_millionths, rows[i].millionths);
	}
	struct comparison c = {0};
	limit = NULL;
	assert_true(read_limit(&c, NULL, NULL));
	assert_false(c.has_limit);
}

static void results_that_are_none_are_told(void **state)
{
	char a[] = "/none/a", b[] = "/none/b", *rest[] = {a, b, NULL};
	struct args args = {.rest = rest, .rest_count = 2};

	(void)state;
	limit = NULL;
	closed_with = -1;
	assert_int_equal(cmd_diff(&args), 125);
	assert_string_equal(said, "/none/a: No such file or directory");
	assert_int_equal(closed_with, 125);
	limit = "x";
	closed_with = -1;
	assert_int_equal(cmd_diff(&args), 2);
	assert_int_equal(closed_with, -1);
	for (args.rest_count = 0; args.rest_count < 4; args.rest_count++)
		if (args.rest_count != 2) {
			assert_int_equal(cmd_diff(&args), 2);
			assert_string_equal(said, "diff needs two results: A.json B.json");
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_read_exactly),
		cmocka_unit_test(results_that_are_none_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

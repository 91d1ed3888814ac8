/* The limit of `diff --fail-above`, in millionths of a percent, exactly; and files that are none.
 */
#include "../test.h"
#include "../replace.h"
#include "base/array.h"
#include "cmd/outputs.h"
#include "report/compare/compare.h"

static const char *limit;

const struct option_row option_rows[OPTION_COUNT] = {
	[OPTION_FAIL_ABOVE] = {.name = "fail-above"},
};

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

int fail_err(const struct command *command, const struct err *err)
{
	(void)command;
	snprintf(said, sizeof(said), "%s", err->text);
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

bool outputs_show(struct outputs *outputs, const struct args *args, const json_t *result,
		  const struct report_options *options, struct err *err)
{
	(void)outputs;
	(void)args;
	(void)result;
	(void)options;
	(void)err;
	return true;
}

/* The limit with which results would be compared. */
static struct {
	bool is_there, has_limit;
	uint64_t millionths;
} asked;

REPLACED(comparison_read);

static bool read_comparison(struct comparison *c, const char *path_a, const char *path_b,
			    struct err *err)
{
	asked.is_there = true;
	asked.has_limit = c->has_limit;
	asked.millionths = c->limit_millionths;
	return __real_comparison_read(c, path_a, path_b, err);
}
REPLACE(comparison_read, read_comparison);

#define NONE "/none/a: No such file or directory"

static int compare_none(void)
{
	char a[] = "/none/a", b[] = "/none/b", *rest[] = {a, b, NULL};
	struct args args = {.rest = rest, .rest_count = 2};

	memset(&asked, 0, sizeof(asked));
	closed_with = -1;
	return cmd_diff(&args);
}

TEST(limits_are_read_exactly)
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

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const bool is_taken = rows[i].millionths >= 0;
		char wanted[256];

		limit = rows[i].text;
		if (compare_none() != (is_taken ? 125 : 2))
			fail_msg("\"%s\" is %staken", limit, is_taken ? "not " : "");
		snprintf(wanted, sizeof(wanted),
			 "--fail-above: \"%s\" is not a percentage such as 1%% or 0.5%% (at most 6 "
			 "decimals)",
			 limit);
		assert_string_equal(said, is_taken ? NONE : wanted);
		assert_int_equal(asked.is_there, is_taken);
		assert_int_equal(asked.has_limit, is_taken);
		if (is_taken)
			assert_int_equal(asked.millionths, rows[i].millionths);
	}
	limit = NULL;
	assert_int_equal(compare_none(), 125);
	assert_true(asked.is_there);
	assert_false(asked.has_limit);
}

TEST(results_that_are_none_are_told)
{
	char a[] = "/none/a", b[] = "/none/b", *rest[] = {a, b, NULL};
	struct args args = {.rest = rest, .rest_count = 2};

	limit = NULL;
	assert_int_equal(compare_none(), 125);
	assert_string_equal(said, NONE);
	assert_int_equal(closed_with, 125);
	limit = "x";
	assert_int_equal(compare_none(), 2);
	assert_int_equal(closed_with, -1);
	for (args.rest_count = 0; args.rest_count < 4; args.rest_count++)
		if (args.rest_count != 2) {
			assert_int_equal(cmd_diff(&args), 2);
			assert_string_equal(said, "diff needs two results: A.json B.json");
		}
}

/* Orders of runs, and the command lines that they become. */
#include "../test.h"

#include "web/order.h"

static json_t *read_order(const char *text, char field[ORDER_FIELD_BYTES], struct err *err)
{
	struct web_limits limits;
	json_t *body = json_loads(text, 0, NULL);

	web_limits_init(&limits);
	assert_non_null(body);
	json_t *order = order_read(body, &limits, field, err);
	json_decref(body);
	return order;
}

static char *words_of(const char *text)
{
	struct web_limits limits;
	char field[ORDER_FIELD_BYTES];
	struct err err;
	json_t *order = read_order(text, field, &err);

	web_limits_init(&limits);
	if (!order)
		fail_msg("%s", err.text);
	const struct order_place place = {
		.key = "/k", .to = 7, .listen = 8, .limits = &limits, .store = "/s"};
	char **arguments = order_arguments(order, &place), *all = NULL;
	size_t bytes;
	FILE *out = open_memstream(&all, &bytes);
	for (char **one = arguments; *one; one++)
		fprintf(out, "%s\n", *one);
	fclose(out);
	order_arguments_free(arguments);
	json_decref(order);
	return all;
}

static void has(const char *words, const char *wanted)
{
	if (!strstr(words, wanted))
		fail_msg("%s is not in %s", wanted, words);
}

TEST(an_order_becomes_a_command_line)
{
	char *words = words_of(
		"{\"command\":\"stat\",\"program\":\"@chess:test\",\"arguments\":[\"--json=/x\"],"
		"\"counters\":[\"committed@main\"],\"groups\":[\"cache\"],\"every\":5,"
		"\"set\":{\"rob.size\":\"64\"}}");

	has(words,
	    "cyclestack\nstat\n--config=midcore\n--set=rob.size=64\n--events=committed@main\n"
	    "--group=cache\n--every=5\n");
	has(words, "--to=127.0.0.1:7\n--listen=127.0.0.1:8\n");
	/* What a client writes comes behind the program, or behind an option of the server's. */
	has(words, "\n--quiet\n@chess:test\n--json=/x\n");
	free(words);
}

TEST(a_sweep_has_its_program_as_one_word)
{
	char *words = words_of("{\"command\":\"sweep\",\"program\":\"@chess:test\",\"arguments\":"
			       "[\"1\",\"2\"],\"grid\":[\"rob.size=64,128\"]}");

	has(words, "\n--grid=rob.size=64,128\n");
	has(words, "\n@chess:test 1 2\n");
	free(words);
}

TEST(advice_has_its_arguments_as_words_and_its_program_silent)
{
	char *words = words_of("{\"command\":\"advise\",\"program\":\"@chess:test\",\"arguments\":"
			       "[\"1 2\"],\"reuse\":true}");

	has(words, "cyclestack\nadvise\n--config=midcore\n--jobs=2\n");
	has(words, "\n--reuse\n");
	has(words, "\n--quiet\n@chess:test\n1 2\n");
	assert_null(strstr(words, "--stderr"));
	free(words);
}

TEST(a_model_has_a_grid_and_is_compared_where_that_is_wanted)
{
	char *words = words_of("{\"command\":\"model\",\"program\":\"@chess:test\",\"grid\":"
			       "[\"rob.size=64,128\"],\"against\":true}");

	has(words, "cyclestack\nmodel\n--config=midcore\n--grid=rob.size=64,128\n--against\n");
	has(words, "\n--quiet\n@chess:test\n");
	free(words);
	words = words_of("{\"command\":\"run\",\"program\":\"@chess:test\",\"grid\":"
			 "[\"rob.size=64,128\"],\"against\":true}");
	assert_null(strstr(words, "--grid"));
	assert_null(strstr(words, "--against"));
	free(words);
}

TEST(several_simulations_take_the_memory_of_several)
{
	static const struct {
		const char *command;
		uint64_t times;
	} rows[] = {{"run", 1},	  {"exec", 1},	 {"judge", 2},
		    {"sweep", 2}, {"advise", 2}, {"model", 2}};
	struct web_limits limits;

	web_limits_init(&limits);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char field[ORDER_FIELD_BYTES], text[128];
		struct err err;

		snprintf(text, sizeof(text),
			 "{\"command\":\"%s\",\"program\":\"@a\",\"memory\":1048576}",
			 rows[i].command);
		json_t *order = read_order(text, field, &err);
		assert_non_null(order);
		assert_int_equal(order_memory(order, &limits), rows[i].times << 20);
		json_decref(order);
	}
}

TEST(what_is_wrong_is_said_beside_its_member)
{
	static const struct {
		const char *text, *field;
	} rows[] = {
		{"{\"command\":\"rm\",\"program\":\"@a\"}", "command"},
		{"{\"command\":\"exec\",\"program\":\"/bin/true\"}", "program"},
		{"{\"command\":\"exec\",\"program\":\"@../a\"}", "program"},
		{"{\"command\":\"exec\",\"program\":\"@a\",\"machine\":\"../a\"}", "machine"},
		{"{\"command\":\"exec\",\"program\":\"@a\",\"mount\":\"/\"}", "mount"},
		{"{\"command\":\"exec\",\"program\":\"@a\",\"set\":{\"rob.sise\":\"1\"}}",
		 "set.rob.sise"},
		{"{\"command\":\"exec\",\"program\":\"@a\",\"set\":{\"rob.size\":1}}",
		 "set.rob.size"},
		{"{\"command\":\"exec\",\"program\":\"@a\",\"seconds\":0}", "seconds"},
		{"{\"command\":\"exec\",\"program\":\"@a\",\"seconds\":1e3}", "seconds"},
		{"{\"command\":\"exec\",\"program\":\"@a\",\"files\":[{\"name\":\"..\",\"upload\":\"1\"}]}",
		 "files"},
		{"{\"command\":\"stat\",\"program\":\"@a\"}", "counters"},
		{"{\"command\":\"stat\",\"program\":\"@a\",\"counters\":[\"a b\"]}", "counters"},
		{"{\"command\":\"stat\",\"program\":\"@a\",\"groups\":[\"/etc/passwd\"]}",
		 "groups"},
		{"{\"command\":\"judge\",\"program\":\"@a\",\"arguments\":[\"a b\"]}", "arguments"},
		{"{\"command\":\"sweep\",\"program\":\"@a\",\"grid\":[\"--json=x\"]}", "grid"},
		{"{\"command\":\"exec\",\"program\":\"@a\",\"name\":\"\\u001b\"}", "name"},
		{"{\"command\":\"model\",\"program\":\"@a\",\"against\":1}", "against"},
		{"{\"command\":\"advise\",\"program\":\"@a\",\"input\":"
		 "\"0000000000000000000000000000000000000000000000000000000000000000\"}",
		 "input"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char field[ORDER_FIELD_BYTES];
		struct err err;

		assert_null(read_order(rows[i].text, field, &err));
		assert_string_equal(field, rows[i].field);
		assert_true(err.text[0]);
	}
}

TEST(limits_are_read_by_name)
{
	struct web_limits limits;
	struct err err;

	web_limits_init(&limits);
	assert_true(web_limits_check(&limits, &err));
	assert_true(web_limits_set(&limits, "memory=1G", &err));
	assert_int_equal(limits.memory, UINT64_C(1) << 30);
	assert_false(web_limits_set(&limits, "memory", &err));
	assert_false(web_limits_set(&limits, "memory=x", &err));
	assert_false(web_limits_set(&limits, "lunch=1", &err));
	assert_non_null(strstr(err.text, "memory-total"));
	assert_true(web_limits_set(&limits, "memory-total=1M", &err));
	assert_false(web_limits_check(&limits, &err));
}

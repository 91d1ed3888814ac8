/* Results in a store: whole, once, with their bytes; found by key and by what they are about;
 * removed without a trace; and what a query may not do. */
#include "../directory.h"

#include <sqlite3.h>

#include "store/results.h"

static struct store *opened(bool writes)
{
	struct err err = {.text = ""};
	struct store *store = store_open("db", writes, &err);

	if (!store)
		fail_msg("%s", err.text);
	return store;
}

static json_t *sample(int number)
{
	return json_pack("{s:s, s:{s:s, s:[s], s:s}, s:i, s:b, s:i, s:i, s:i, s:{s:i}, s:[]}",
			 "schema", "cyclestack-exec-1", "program", "name", "chess", "arguments",
			 "test", "sha256", "00", "instructions", number, "partial", 0, "status", 0,
			 "memory_bytes", 1, "unknown_syscalls", 0, "syscalls", "read", 1,
			 "live_thread_instructions");
}

static int64_t add(struct store *store, int number, const struct result_receipt *receipt)
{
	static const struct result_receipt usual = {.version = "1"};
	struct err err = {.text = ""};
	json_t *result = sample(number);
	int64_t id = 0;

	if (!results_add(store, result, NULL, 0, receipt ? receipt : &usual, &id, &err))
		fail_msg("%s", err.text);
	json_decref(result);
	return id;
}

static int64_t number_of(struct store *store, const char *sql);

static bool take_number(void *context, const struct result_cell *cells, size_t count)
{
	assert_int_equal(count, 1);
	*(int64_t *)context = cells[0].whole;
	return true;
}

static void ignore_columns(void *context, const char *const *columns, size_t count)
{
	(void)context;
	(void)columns;
	(void)count;
}

static int64_t number_of(struct store *store, const char *sql)
{
	int64_t number = -1;
	const struct results_reader reader = {ignore_columns, take_number, &number};
	struct err err = {.text = ""};

	if (!results_query(store, sql, 0, &reader, &err))
		fail_msg("%s: %s", sql, err.text);
	return number;
}

IN_DIRECTORY(a_result_is_there_once_with_its_bytes)
{
	static const char text[] = "{ \"schema\" : \"cyclestack-unknown-3\", \"x\": 1.50 }\n";
	const char *tags[] = {"a", "b/1"};
	const struct result_receipt receipt = {
		.key = "key", .version = "1", .received = 5, .tags = tags, .tag_count = 2};
	struct store *store = opened(true);
	struct err err;
	int64_t id, again;
	size_t count;

	json_t *result = json_loads(text, 0, NULL);
	assert_true(results_add(store, result, text, strlen(text), &receipt, &id, &err));
	assert_int_equal(id, 1);
	char *bytes = results_get(store, id, &count, &err);
	assert_int_equal(count, strlen(text));
	assert_string_equal(bytes, text);
	free(bytes);
	assert_true(results_add(store, result, text, strlen(text), &receipt, &again, &err));
	assert_int_equal(again, id);
	assert_true(results_find(store, "key", &again, &err));
	assert_int_equal(again, id);
	assert_true(results_find(store, "other", &again, &err));
	assert_int_equal(again, 0);
	assert_null(results_get(store, 2, &count, &err));
	assert_string_equal(err.text, "there is no result 2");
	/* A number is not given twice. */
	assert_true(results_remove(store, &id, 1, &err));
	assert_int_equal(add(store, 1, NULL), 2);
	assert_int_equal(add(store, 1, NULL), 2);
	assert_int_equal(add(store, 2, NULL), 3);
	/* The same bytes are the same result, however they were given. */
	bytes = results_get(store, 3, &count, &err);
	json_t *other = json_loads(bytes, 0, NULL);
	assert_true(results_add(store, other, bytes, count, &receipt, &again, &err));
	assert_int_equal(again, 3);
	free(bytes);
	json_decref(other);
	json_decref(result);
	store_close(store);
}

IN_DIRECTORY(what_is_no_result_is_refused)
{
	static const struct result_receipt receipt = {.version = "1"};
	const char *bad[] = {"no tag"};
	const struct result_receipt tagged = {.tags = bad, .tag_count = 1};
	struct store *store = opened(true);
	struct err err;
	int64_t id;
	json_t *list = json_array(), *empty = json_object(), *wrong = sample(1), *good = sample(2);

	json_object_set_new(wrong, "instructions", json_string("many"));
	assert_false(results_add(store, list, NULL, 0, &receipt, &id, &err));
	assert_string_equal(err.text, "it is no result: \"schema\" is missing");
	assert_false(results_add(store, empty, NULL, 0, &receipt, &id, &err));
	assert_false(results_add(store, wrong, NULL, 0, &receipt, &id, &err));
	assert_string_equal(err.text, "instructions is not a whole number");
	assert_false(results_add(store, good, NULL, 0, &tagged, &id, &err));
	assert_string_equal(err.text, "\"no tag\" cannot be a tag");
	assert_false(
		results_add(store, good, "", (size_t)RESULT_BYTES_MOST + 1, &receipt, &id, &err));
	/* Nothing of any of them is there. */
	assert_int_equal(number_of(store, "SELECT count(*) FROM results"), 0);
	assert_int_equal(number_of(store, "SELECT count(*) FROM amounts"), 0);
	json_decref(list);
	json_decref(empty);
	json_decref(wrong);
	json_decref(good);
	store_close(store);
}

IN_DIRECTORY(steps_are_no_results_of_their_own_until_they_are)
{
	const struct result_receipt step = {.key = "k", .is_step = true};
	struct store *store = opened(true);

	add(store, 1, &step);
	assert_int_equal(number_of(store, "SELECT count(*) FROM measured"), 0);
	assert_int_equal(number_of(store, "SELECT count(*) FROM cases"), 0);
	add(store, 1, NULL);
	assert_int_equal(number_of(store, "SELECT count(*) FROM results"), 1);
	assert_int_equal(number_of(store, "SELECT count(*) FROM cases"), 1);
	assert_int_equal(number_of(store, "SELECT value FROM measured WHERE name = 'instructions'"),
			 1);
	/* And stay so. */
	add(store, 1, &step);
	assert_int_equal(number_of(store, "SELECT count(*) FROM cases"), 1);
	store_close(store);
}

IN_DIRECTORY(a_removed_result_leaves_nothing)
{
	struct store *store = opened(true);
	struct err err;
	const int64_t ids[] = {add(store, 1, NULL), add(store, 2, NULL)};

	assert_true(results_tag(store, ids[0], "x", &err));
	assert_true(results_remove(store, ids, 1, &err));
	assert_int_equal(number_of(store, "SELECT count(*) FROM results"), 1);
	assert_int_equal(number_of(store, "SELECT count(*) FROM programs"), 1);
	assert_true(results_remove(store, ids, 2, &err));
	assert_int_equal(number_of(store,
				   "SELECT (SELECT count(*) FROM results) + (SELECT count(*) "
				   "FROM contents) + (SELECT count(*) FROM tags) + (SELECT "
				   "count(*) FROM subjects) + (SELECT count(*) FROM amounts) "
				   "+ (SELECT count(*) FROM members) + (SELECT count(*) FROM "
				   "programs) + (SELECT count(*) FROM machines) + (SELECT "
				   "count(*) FROM parameters)"),
			 0);
	assert_true(results_compact(store, &err));
	store_close(store);
}

IN_DIRECTORY(tags_are_words)
{
	struct store *store = opened(true);
	struct err err;
	const int64_t id = add(store, 1, NULL);
	char longest[66] = "";

	memset(longest, 'x', 65);
	assert_false(results_is_tag(longest));
	longest[64] = '\0';
	assert_true(results_is_tag(longest));
	assert_false(results_is_tag(""));
	assert_false(results_is_tag("a b"));
	assert_true(results_tag(store, id, "nightly-1", &err));
	assert_true(results_tag(store, id, "nightly-1", &err));
	assert_int_equal(number_of(store, "SELECT count(*) FROM tags"), 1);
	assert_false(results_tag(store, 9, "x", &err));
	assert_string_equal(err.text, "there is no result 9");
	assert_false(results_tag(store, id, "x y", &err));
	assert_true(results_untag(store, id, "nightly-1", &err));
	assert_false(results_untag(store, 9, "x", &err));
	assert_int_equal(number_of(store, "SELECT count(*) FROM tags"), 0);
	store_close(store);
}

static void add_name(void *context, const struct result_row *row)
{
	char *text = context;

	sprintf(text + strlen(text), "%s ", row->name);
}

static const char *listed(struct store *store, const struct results_filter *filter, bool backwards)
{
	static char text[256];
	struct err err = {.text = ""};

	text[0] = '\0';
	if (!results_each(store, filter, backwards, add_name, text, &err))
		fail_msg("%s", err.text);
	return text;
}

IN_DIRECTORY(lists_have_filters)
{
	const char *tags[] = {"t"};
	const struct result_receipt receipts[] = {
		{.version = "1.0", .received = 100},
		{.version = "1.1", .received = 200, .tags = tags, .tag_count = 1},
		{.received = 300, .is_step = true},
	};
	struct store *store = opened(true);

	for (int i = 0; i < 3; i++)
		add(store, i, &receipts[i]);
#define LISTS(wanted, ...) \
	assert_string_equal(listed(store, &(struct results_filter){__VA_ARGS__}, false), wanted)
	LISTS("1 2 ", .most = 0);
	LISTS("1 2 3 ", .with_steps = true);
	LISTS("1 ", .most = 1);
	LISTS("1 2 ", .program = "chess", .command = "exec");
	LISTS("1 2 ", .program = "c*s");
	LISTS("", .program = "CHESS");
	LISTS("", .program = "[c]hess");
	LISTS("1 2 ", .arguments = "t?st");
	LISTS("", .machine = "*");
	LISTS("", .command = "run");
	LISTS("2 ", .tag = "t");
	LISTS("1 ", .not_tag = "t");
	LISTS("2 ", .version = "1.1");
	LISTS("2 ", .since = 200);
	LISTS("1 ", .before = 200);
	LISTS("2 ", .above = 1);
	LISTS("1 ", .below = 2);
#undef LISTS
	assert_string_equal(listed(store, &(struct results_filter){.most = 1}, true), "2 ");
	store_close(store);
}

IN_DIRECTORY(a_query_reads_and_does_nothing_else)
{
	static const char *const refused[] = {
		"DELETE FROM results",
		"INSERT INTO tags VALUES(1, 'x')",
		"UPDATE results SET is_step = 1",
		"DROP VIEW mpki",
		"CREATE TABLE t(x)",
		"CREATE TEMP TABLE t(x)",
		"ATTACH 'other' AS o",
		"DETACH main",
		"PRAGMA user_version = 9",
		"PRAGMA journal_mode = DELETE",
		"PRAGMA writable_schema = 1",
		"VACUUM",
		"VACUUM INTO 'copy'",
		"BEGIN",
		"COMMIT",
		"SELECT load_extension('x')",
		"SELECT * FROM secret",
		"SELECT hex(bytes) FROM secret",
		"SELECT * FROM pragma_user_version",
		"ANALYZE",
		"REINDEX",
		"SELECT 1; SELECT 2",
		"SELECT 1; DROP TABLE results",
		"",
		"   ",
		"-- a comment",
		"SELEC 1",
		"SELECT * FROM nowhere",
		"EXPLAIN",
	};
	int64_t number;
	const struct results_reader reader = {ignore_columns, take_number, &number};
	struct store *store = opened(true);
	struct err err;

	add(store, 1, NULL);
	for (int writes = 1; writes >= 0; writes--) {
		for (size_t i = 0; i < ARRAY_COUNT(refused); i++)
			if (results_query(store, refused[i], 1, &reader, &err))
				fail_msg("%s", refused[i]);
		assert_int_equal(number_of(store, "SELECT count(*) FROM results"), 1);
		store_close(store);
		store = opened(false);
	}
	assert_int_not_equal(access("other", F_OK), 0);
	assert_int_not_equal(access("copy", F_OK), 0);
	assert_int_equal(number_of(store, "SELECT 1; -- and no more"), 1);
	assert_int_equal(number_of(store, "WITH x AS (SELECT 7 AS y) SELECT y FROM x"), 7);
	/* One that has no end. */
	assert_false(results_query(store,
				   "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) "
				   "SELECT count(*) FROM c",
				   0.05, &reader, &err));
	assert_string_equal(err.text, "the query takes longer than it may");
	/* Or too much in one cell. */
	assert_false(results_query(store, "SELECT zeroblob(1000000000)", 0, &reader, &err));
	store_close(store);
}

/* The text of each view is compared with ours, so that views of others cannot be used. */
IN_DIRECTORY(views_answer_what_the_documentation_says)
{
	struct store *store = opened(true);
	const struct result_receipt receipt = {.version = "1"};
	struct err err = {.text = ""};
	int64_t id;

	json_t *result = json_pack(
		"{s:s, s:{s:s, s:[], s:s}, s:{s:s, s:[s], s:s, s:{s:i}}, s:i, s:b, s:i, s:{s:i, s:i, "
		"s:i, s:i}, s:{s:{s:{s:i, s:i}}}}",
		"schema", "cyclestack-run-2", "program", "name", "p", "arguments", "sha256", "x",
		"configuration", "name", "m", "changes", "rob.size=8", "sha256", "y", "parameters",
		"rob.size", 8, "skipped_instructions", 0, "partial", 0, "status", 0, "values",
		"cycles", 500, "instructions", 2000, "l1d.misses", 5, "branches.mispredicted", 3,
		"stacks", "exact", "components", "base", 400, "l1d", 100);
	if (!results_add(store, result, NULL, 0, &receipt, &id, &err))
		fail_msg("%s", err.text);
	json_decref(result);
	assert_int_equal(number_of(store, "SELECT CAST(1000 * mpki AS INTEGER) FROM mpki WHERE "
					  "structure = 'l1d' AND program = 'p' AND machine = 'm'"),
			 2500);
	assert_int_equal(number_of(store, "SELECT CAST(1000 * mpki AS INTEGER) FROM mpki WHERE "
					  "structure = 'branches'"),
			 1500);
	assert_int_equal(number_of(store, "SELECT cycles FROM stacks WHERE method = 'exact' AND "
					  "component = 'l1d'"),
			 100);
	assert_int_equal(
		number_of(store, "SELECT value FROM settings WHERE parameter = 'rob.size'"), 8);
	assert_int_equal(number_of(store, "SELECT changes = 'rob.size=8' FROM cases"), 1);
	/* By an index, however many there are. */
	assert_int_equal(number_of(store, "SELECT count(*) FROM errors"), 0);
	assert_int_equal(number_of(store, "SELECT count(*) FROM collected"), 0);
	store_close(store);
}

IN_DIRECTORY(readers_see_what_is_there_when_they_look_again)
{
	struct store *writer = opened(true), *reader = opened(false);
	struct err err;

	add(writer, 1, NULL);
	assert_int_equal(number_of(reader, "SELECT count(*) FROM results"), 0);
	assert_true(results_refresh(reader, &err));
	assert_int_equal(number_of(reader, "SELECT count(*) FROM results"), 1);
	assert_true(results_refresh(writer, &err));
	store_close(reader);
	store_close(writer);
}

IN_DIRECTORY(names_are_numbers_or_runs)
{
	struct result_name name;

	assert_true(result_name_read(&name, "12"));
	assert_int_equal(name.id, 12);
	assert_true(result_name_read(&name, "run:00000000000000ff"));
	assert_int_equal(name.id, 0);
	assert_int_equal(name.run, 255);
	static const char *const bad[] = {"",
					  "0",
					  "-1",
					  "1x",
					  " 1",
					  "run:",
					  "run:x",
					  "run:12345678901234567",
					  "99999999999999999999",
					  "+1"};
	for (size_t i = 0; i < ARRAY_COUNT(bad); i++)
		if (result_name_read(&name, bad[i]))
			fail_msg("%s", bad[i]);
}

/* What a collector has put there, without ever being a result. */
IN_DIRECTORY(a_collected_run_is_a_result)
{
	struct store *store = opened(true);
	struct store_interval interval = {.run = 7, .cycles = 10, .dispatched = 10, .counters = 2};
	struct err err = {.text = ""};

	assert_true(store_begin(store, &err));
	assert_true(store_put_run(store, 7, "s", 5, &err));
	assert_true(store_put_about(store, 7, "chess", "midcore", &err));
	assert_true(store_put_name(store, 7, 0, 0, "loads@main", &err));
	for (uint64_t i = 0; i < 3; i++) {
		interval.number = i;
		interval.start = 10 * i;
		interval.is_final = interval.is_last_of_epoch = i == 2;
		assert_true(store_put_interval(store, &interval, &err));
		assert_true(store_put_count(store, &interval, 0, i, i * 2, false, &err));
		if (i != 1)
			assert_true(store_put_count(store, &interval, 1, 1, i + 1, true, &err));
	}
	assert_true(store_commit(store, &err));
	json_t *result = results_collected(store, 7, &err);
	char *text = json_dumps(result, JSON_COMPACT);
	assert_string_equal(
		text,
		"{\"schema\":\"cyclestack-collected-1\",\"run\":\"0000000000000007\",\"program\":{"
		"\"name\":\"chess\",\"sha256\":\"\"},\"configuration\":{\"name\":\"midcore\","
		"\"sha256\":\"\"},\"complete\":true,\"partial\":false,\"cycles\":30,\"missing\":0,"
		"\"intervals\":[{\"epoch\":0,\"number\":0,\"start\":0,\"cycles\":10},{\"epoch\":0,"
		"\"number\":1,\"start\":10,\"cycles\":10},{\"epoch\":0,\"number\":2,\"start\":20,"
		"\"cycles\":10}],\"counters\":[{\"signal\":\"loads\",\"where\":\"main\",\"epoch\":0,"
		"\"total\":4,\"saturated\":false,\"intervals\":[0,1,2]},{\"signal\":\"\",\"where\":"
		"\"\",\"epoch\":0,\"total\":3,\"saturated\":true,\"intervals\":[1,null,1]}]}");
	free(text);
	json_decref(result);
	assert_null(results_collected(store, 8, &err));
	assert_string_equal(err.text, "there is no run 0000000000000008");
	assert_string_equal(listed(store, &(struct results_filter){.with_collected = true}, false),
			    "run:0000000000000007 ");
	assert_string_equal(listed(store,
				   &(struct results_filter){.with_collected = true,
							    .program = "ch*",
							    .machine = "midcore",
							    .command = "collect"},
				   false),
			    "run:0000000000000007 ");
	assert_string_equal(
		listed(store, &(struct results_filter){.with_collected = true, .tag = "t"}, false),
		"");
	assert_int_equal(number_of(store, "SELECT total FROM collected WHERE counter = "
					  "'loads@main' AND program = 'chess'"),
			 4);
	store_close(store);
}

TEST(a_result_alone_is_a_store_with_its_rows_and_nothing_else)
{
	static const struct result_receipt receipt = {0};
	struct err err = {.text = ""};
	json_t *result = sample(77);
	size_t count, got;
	void *bytes = results_alone(result, &receipt, &count, &err);
	FILE *out = fopen("db", "wb");

	assert_non_null(bytes);
	assert_int_equal(fwrite(bytes, 1, count, out), count);
	fclose(out);
	free(bytes);
	struct store *store = opened(false);
	assert_int_equal(number_of(store, "SELECT count(*) FROM results"), 1);
	assert_int_equal(
		number_of(
			store,
			"SELECT CAST(value AS INTEGER) FROM measured WHERE name = 'instructions'"),
		77);
	char *text = results_get(store, 1, &got, &err);
	json_t *again = json_loadb(text, got, 0, NULL);
	assert_true(json_equal(result, again));
	json_decref(again);
	free(text);
	store_close(store);
	/* It is a store like any other: more can be added. */
	store = opened(true);
	assert_int_equal(add(store, 78, NULL), 2);
	store_close(store);
	json_decref(result);
}

TEST(what_is_no_result_is_no_store)
{
	static const struct result_receipt receipt = {0};
	struct err err = {.text = ""};
	json_t *none = json_object();
	size_t count;

	assert_null(results_alone(none, &receipt, &count, &err));
	assert_non_null(strstr(err.text, "it is no result"));
	json_decref(none);
}

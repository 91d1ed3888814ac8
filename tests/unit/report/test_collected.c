/* The document of a database whose reading fails, at each of its calls in turn, and of rows that
 * have less or more than usual. The store is the test's. */
#include "../test.h"
#include "../replace.h"

#include "doc/doc_csv.h"
#include "report/collected.h"

/* Which call fails, counted from 1; 0: none. */
static unsigned fails_at, calls;
static uint64_t damaged_rows;

static bool succeeds(struct err *err)
{
	return ++calls != fails_at || err_set(err, "call %u failed", calls);
}

static bool count_damaged(struct store *store, uint64_t *rows, struct err *err)
{
	(void)store;
	*rows = damaged_rows;
	return succeeds(err);
}
REPLACE(store_count_damaged, count_damaged);

/* The first of the year 1970, the last that has a year of four digits, and one that has none. */
static bool each_run(struct store *store, void (*each)(void *context, const struct store_run *run),
		     void *context, struct err *err)
{
	const struct store_run runs[] = {
		{.run = 1, .first_received = 1, .last_received = 253402300799},
		{.run = 2,
		 .is_complete = true,
		 .missing = 3,
		 .first_received = UINT64_MAX / 2,
		 .program = "p",
		 .machine = "m",
		 .sender = "127.0.0.1:5"},
		{.run = 3, .is_complete = true, .is_partial = true},
	};

	(void)store;
	for (size_t i = 0; i < 3; i++)
		each(context, &runs[i]);
	return succeeds(err);
}
REPLACE(store_each_run, each_run);

static bool each_value(struct store *store,
		       void (*each)(void *context, const struct store_value *value), void *context,
		       struct err *err)
{
	const struct store_value value = {
		.run = 1, .cycles = 4, .value = 7, .name = "a", .is_saturated = true};

	(void)store;
	each(context, &value);
	return succeeds(err);
}
REPLACE(store_each_value, each_value);
REPLACE(store_each_total, each_value);

static bool each_dropped(struct store *store,
			 void (*each)(void *context, const char *reason, uint64_t packets),
			 void *context, struct err *err)
{
	(void)store, (void)each, (void)context;
	return succeeds(err);
}
REPLACE(store_each_dropped, each_dropped);

/* A table as CSV, to be freed; NULL if there is none of that name. */
static char *table(const struct doc *doc, const char *name)
{
	char *text = NULL;
	struct err err;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	const bool is_there = doc_csv_write(out, doc, name, &err);

	fclose(out);
	if (is_there)
		return text;
	free(text);
	return NULL;
}

TEST(each_call_that_fails_is_told)
{
	char wanted[64];
	struct doc doc;
	struct err err;

	for (fails_at = 1; fails_at <= 5; fails_at++) {
		calls = 0;
		doc_init(&doc, "collect");
		assert_false(collected_build(&doc, NULL, &err));
		snprintf(wanted, sizeof(wanted), "call %u failed", fails_at);
		assert_string_equal(err.text, wanted);
		assert_int_equal(calls, fails_at);
		doc_release(&doc);
	}
	calls = 0;
	doc_init(&doc, "collect");
	assert_true(collected_build(&doc, NULL, &err));
	assert_int_equal(calls, 5);
	doc_release(&doc);
}

TEST(what_is_not_known_is_left_empty)
{
	struct doc doc;
	struct err err;

	fails_at = 0;
	doc_init(&doc, "collect");
	assert_true(collected_build(&doc, NULL, &err));
	char *runs = table(&doc, "runs-table"), *totals = table(&doc, "totals-table");
	assert_string_equal(strchr(runs, '\n') + 1,
			    "0000000000000001,incomplete after,0,0,0,,,,1970-01-01 00:00:01,"
			    "9999-12-31 23:59:59\n"
			    "0000000000000002,complete to,0,0,3,p,m,127.0.0.1:5,,\n"
			    "0000000000000003,\"stopped by a limit, complete to\",0,0,0,,,,,\n");
	assert_string_equal(strchr(totals, '\n') + 1, "0000000000000001,0,a,7,at least\n");
	free(runs);
	free(totals);
	doc_release(&doc);
}

TEST(damaged_rows_are_told)
{
	for (damaged_rows = 0; damaged_rows < 2; damaged_rows++) {
		const struct doc_block *block;
		bool is_told = false;
		struct doc doc;
		struct err err;

		doc_init(&doc, "collect");
		assert_true(collected_build(&doc, NULL, &err));
		for (block = doc.root.first; block; block = block->next)
			is_told |= block->kind == DOC_SENTENCE && block->text &&
				   strstr(block->text->pieces[0].text, "1 rows of the database");
		assert_int_equal(is_told, damaged_rows);
		doc_release(&doc);
	}
	damaged_rows = 0;
}

/* What is written into the database is read back by SQLite itself, column by column. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "store/store.h"

struct place {
	char directory[64], file[80];
};

static void make_place(struct place *place)
{
	snprintf(place->directory, sizeof(place->directory), P_tmpdir "/store.XXXXXX");
	assert_non_null(mkdtemp(place->directory));
	snprintf(place->file, sizeof(place->file), "%s/db", place->directory);
}

static void remove_place(const struct place *place)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", place->directory);
	assert_int_equal(system(command), 0);
}

static struct store *opened(const struct place *place, bool is_new)
{
	struct err err;
	struct store *store = store_open(place->file, is_new, &err);

	if (!store)
		fail_msg("%s", err.text);
	return store;
}

/* Appends each value and a comma, each row and a semicolon. */
static int add_row(void *text, int count, char **values, char **names)
{
	(void)names;
	for (int i = 0; i < count; i++) {
		strcat(text, values[i] ? values[i] : "null");
		strcat(text, i + 1 < count ? "," : ";");
	}
	return 0;
}

/* By another connection. */
static void check(const struct place *place, const char *sql, const char *wanted)
{
	char text[1024] = "";
	sqlite3 *db;

	assert_int_equal(sqlite3_open(place->file, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	assert_int_equal(sqlite3_exec(db, sql, add_row, text, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_string_equal(text, wanted);
}

static void change(const struct place *place, const char *sql)
{
	check(place, sql, "");
}

/* No two members are the same, so that none can stand for another. */
static const struct store_interval interval = {.run = UINT64_C(1) << 40 | 3,
					       .number = 7,
					       .start = UINT64_C(1) << 33 | 11,
					       .cycles = 13,
					       .dispatched = 17,
					       .epoch = 5,
					       .counters = 19,
					       .is_last_of_epoch = true};

static void every_value_has_its_column(void **state)
{
	struct place place;
	struct err err;

	(void)state;
	make_place(&place);
	struct store *store = opened(&place, true);
	struct store_interval final = interval, partial = interval;

	final.number = 8;
	final.is_last_of_epoch = false;
	final.is_final = true;
	partial.number = 9;
	partial.is_last_of_epoch = false;
	partial.is_partial = true;
	assert_true(store_begin(store, &err));
	assert_true(store_put_name(store, interval.run, 5, 2, "l1d.misses", &err));
	assert_true(store_put_interval(store, &interval, &err));
	assert_true(store_put_interval(store, &final, &err));
	assert_true(store_put_interval(store, &partial, &err));
	assert_true(store_put_count(store, &interval, 2, 23, UINT64_C(1) << 50, false, &err));
	assert_true(store_put_count(store, &interval, 3, 29, 31, true, &err));
	assert_true(store_add_dropped(store, "too short", 3, &err));
	assert_true(store_add_dropped(store, "damaged", 5, &err));
	assert_true(store_add_dropped(store, "too short", 4, &err));
	assert_true(store_commit(store, &err));
	check(&place, "SELECT run, epoch, counter, name FROM names",
	      "1099511627779,5,2,l1d.misses;");
	check(&place,
	      "SELECT run, epoch, number, start, cycles, dispatched, counters, is_last, is_final, "
	      "is_partial FROM intervals ORDER BY number",
	      "1099511627779,5,7,8589934603,13,17,19,1,0,0;"
	      "1099511627779,5,8,8589934603,13,17,19,0,1,0;"
	      "1099511627779,5,9,8589934603,13,17,19,0,0,1;");
	check(&place,
	      "SELECT run, epoch, number, counter, value, total, is_saturated FROM counts "
	      "ORDER BY counter",
	      "1099511627779,5,7,2,23,1125899906842624,0;1099511627779,5,7,3,29,31,1;");
	check(&place, "SELECT reason, packets FROM dropped ORDER BY reason",
	      "damaged,5;too short,7;");
	store_close(store);
	remove_place(&place);
}

static void what_comes_twice_counts_once(void **state)
{
	struct place place;
	struct err err;

	(void)state;
	make_place(&place);
	struct store *store = opened(&place, true);
	struct store_interval other = interval;

	other.cycles = 99;
	assert_true(store_begin(store, &err));
	for (uint32_t i = 0; i < 2; i++) {
		assert_true(store_put_name(store, 1, 2, 3, i ? "another" : "first", &err));
		assert_true(store_put_interval(store, i ? &other : &interval, &err));
		assert_true(store_put_count(store, &interval, 4, 5 + i, 6 + i, false, &err));
	}
	assert_true(store_commit(store, &err));
	store_close(store);
	check(&place, "SELECT name FROM names", "first;");
	check(&place, "SELECT cycles FROM intervals", "13;");
	check(&place, "SELECT value, total FROM counts", "5,6;");
	remove_place(&place);
}

static void a_transaction_is_there_as_a_whole_or_not(void **state)
{
	struct place place;
	struct err err;

	(void)state;
	make_place(&place);
	struct store *store = opened(&place, true);
	assert_true(store_begin(store, &err));
	assert_true(store_put_name(store, 1, 2, 3, "kept", &err));
	check(&place, "SELECT count(*) FROM names", "0;");
	assert_true(store_commit(store, &err));
	check(&place, "SELECT count(*) FROM names", "1;");
	assert_true(store_begin(store, &err));
	/* One is under way. */
	assert_false(store_begin(store, &err));
	assert_non_null(strstr(err.text, "the database: cannot begin to write: "));
	assert_true(store_put_name(store, 1, 2, 4, "taken back", &err));
	store_rollback(store);
	check(&place, "SELECT name FROM names", "kept;");
	assert_false(store_commit(store, &err));
	assert_non_null(strstr(err.text, "the database: cannot write: "));
	store_close(store);
	/* It is still there for the next one, which need not be new. */
	store_close(opened(&place, false));
	store_close(opened(&place, true));
	check(&place, "SELECT name FROM names", "kept;");
	store_close(NULL);
	remove_place(&place);
}

static void collect_rows(void *context, const struct store_row *row)
{
	char *text = context;

	for (int i = 0; i < row->count; i++)
		sprintf(text + strlen(text), "%lld/%s%s", (long long)row->numbers[i],
			row->texts[i] ? row->texts[i] : "null", i + 1 < row->count ? "," : ";");
}

static void queries_give_numbers_and_texts(void **state)
{
	char text[1024] = "";
	struct place place;
	struct err err;

	(void)state;
	make_place(&place);
	struct store *store = opened(&place, true);
	assert_true(store_begin(store, &err));
	for (uint32_t i = 0; i < 4; i++)
		assert_true(store_put_name(store, i / 2, i, 10 + i, i % 2 ? "odd" : "even", &err));
	assert_true(store_commit(store, &err));
	assert_true(store_query(store, "SELECT counter, name, NULL FROM names", 0, 0, collect_rows,
				text, &err));
	assert_string_equal(text, "10/10,0/even,0/null;11/11,0/odd,0/null;12/12,0/even,0/null;"
				  "13/13,0/odd,0/null;");
	*text = 0;
	assert_true(store_query(store, "SELECT counter FROM names WHERE run = ?1", 1, 0,
				collect_rows, text, &err));
	assert_string_equal(text, "12/12;13/13;");
	*text = 0;
	assert_true(store_query(store, "SELECT counter FROM names WHERE run = ?1 AND epoch = ?2", 1,
				3, collect_rows, text, &err));
	assert_string_equal(text, "13/13;");
	*text = 0;
	assert_false(
		store_query(store, "SELECT absent FROM names", 0, 0, collect_rows, text, &err));
	assert_non_null(strstr(err.text, "the database: cannot read it: no such column"));
	assert_string_equal(text, "");
	store_close(store);
	remove_place(&place);
}

static void refused(const struct place *place, bool is_new, const char *sentence)
{
	struct err err = {""};

	assert_null(store_open(place->file, is_new, &err));
	if (!strstr(err.text, sentence))
		fail_msg("%s", err.text);
}

/* Holds the database for a while. */
static void *be_in_the_way(void *other)
{
	usleep(300000);
	assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	return NULL;
}

static void another_that_writes_is_waited_for(void **state)
{
	struct place place;
	pthread_t thread;
	sqlite3 *other;
	struct err err;

	(void)state;
	make_place(&place);
	struct store *store = opened(&place, true);
	assert_int_equal(sqlite3_open(place.file, &other), SQLITE_OK);
	assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(pthread_create(&thread, NULL, be_in_the_way, other), 0);
	assert_true(store_begin(store, &err));
	assert_true(store_commit(store, &err));
	pthread_join(thread, NULL);
	sqlite3_close(other);
	store_close(store);
	remove_place(&place);
}

static void files_of_others_are_refused(void **state)
{
	struct place place;
	FILE *out;

	(void)state;
	make_place(&place);
	refused(&place, false, "cannot open the database ");
	store_close(opened(&place, true));
	check(&place, "PRAGMA application_id", "1129534544;");
	change(&place, "PRAGMA user_version = 2");
	refused(&place, true, " is of version 2; this program reads version 1");
	change(&place, "PRAGMA user_version = 1");
	store_close(opened(&place, false));
	change(&place, "PRAGMA application_id = 7");
	refused(&place, true, " is not a file that cyclestack collect wrote");
	remove(place.file);
	change(&place, "CREATE TABLE mine(x)");
	refused(&place, true, " is not a file that cyclestack collect wrote");
	remove(place.file);
	/* An empty database is one that may be filled, if the user says that it may be new. */
	change(&place, "PRAGMA user_version = 0");
	refused(&place, false, " is not a file that cyclestack collect wrote");
	store_close(opened(&place, true));
	change(&place, "DROP TABLE counts");
	refused(&place, false, "the database: cannot use its tables: no such table");
	remove(place.file);
	out = fopen(place.file, "w");
	assert_non_null(out);
	for (int i = 0; i < 1000; i++)
		fputs("text, no database\n", out);
	fclose(out);
	refused(&place, true, "the database: cannot open it: file is not a database");
	remove_place(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_has_its_column),
		cmocka_unit_test(what_comes_twice_counts_once),
		cmocka_unit_test(a_transaction_is_there_as_a_whole_or_not),
		cmocka_unit_test(queries_give_numbers_and_texts),
		cmocka_unit_test(another_that_writes_is_waited_for),
		cmocka_unit_test(files_of_others_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

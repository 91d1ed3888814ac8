/* What is written into the database is read back by SQLite itself, column by column. */
#include "../test.h"

#include <pthread.h>
#include <sqlite3.h>
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

TEST(every_value_has_its_column)
{
	struct place place;
	struct err err;

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

TEST(what_comes_twice_counts_once)
{
	struct place place;
	struct err err;

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

TEST(a_transaction_is_there_as_a_whole_or_not)
{
	struct place place;
	struct err err;

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

static void collect_run(void *context, const struct store_run *r)
{
	char *text = context;

	sprintf(text + strlen(text), "%u to %u, %u, %llu missing, %d %d%s%s%s%s%s;",
		(unsigned)r->run, (unsigned)r->cycle, (unsigned)r->intervals,
		(unsigned long long)r->missing, r->is_complete, r->is_partial,
		r->program ? " " : "", r->program ? r->program : "", r->machine ? " " : "",
		r->machine ? r->machine : "", r->sender ? " sent" : "");
}

static void collect_value(void *context, const struct store_value *v)
{
	char *text = context;

	sprintf(text + strlen(text), "%u.%u %s at %u+%u: %u%s;", (unsigned)v->run,
		(unsigned)v->epoch, v->name ? v->name : "null", (unsigned)v->start,
		(unsigned)v->cycles, (unsigned)v->value, v->is_saturated ? "+" : "");
}

static void collect_dropped(void *context, const char *reason, uint64_t packets)
{
	char *text = context;

	sprintf(text + strlen(text), "%s %u;", reason, (unsigned)packets);
}

/* Of run 1 all intervals but number 1 are there, of run 2 the first. */
static void put_runs(struct store *store)
{
	static const struct store_interval intervals[] = {
		{.run = 1, .number = 0, .start = 0, .cycles = 10, .dispatched = 15, .counters = 1},
		{.run = 1,
		 .number = 2,
		 .start = 20,
		 .cycles = 5,
		 .dispatched = 26,
		 .counters = 1,
		 .is_last_of_epoch = true,
		 .is_final = true,
		 .is_partial = true},
		{.run = 2, .number = 0, .start = 0, .cycles = 10, .dispatched = 16, .counters = 2},
	};
	struct err err;

	assert_true(store_begin(store, &err));
	assert_true(store_put_name(store, 1, 0, 0, "one", &err));
	for (unsigned i = 0; i < 3; i++) {
		assert_true(store_put_interval(store, &intervals[i], &err));
		assert_true(store_put_count(store, &intervals[i], 0, 3 + i, 30 + i, i == 2, &err));
	}
	assert_true(store_add_dropped(store, "late", 2, &err));
	assert_true(store_add_dropped(store, "early", 1, &err));
	assert_true(store_commit(store, &err));
}

TEST(rows_are_read_as_they_were_put)
{
	char text[1024] = "";
	uint64_t damaged = 9;
	struct place place;
	struct err err;

	make_place(&place);
	struct store *store = opened(&place, true);
	put_runs(store);
	assert_true(store_count_damaged(store, &damaged, &err));
	assert_int_equal(damaged, 0);
	assert_true(store_each_run(store, collect_run, text, &err));
	assert_string_equal(text, "1 to 25, 2, 1 missing, 1 1;2 to 16, 1, 0 missing, 0 0;");
	*text = 0;
	assert_true(store_each_total(store, collect_value, text, &err));
	assert_string_equal(text, "1.0 one at 0+0: 31;2.0 null at 0+0: 32+;");
	*text = 0;
	assert_true(store_each_value(store, collect_value, text, &err));
	assert_string_equal(text, "1.0 one at 0+10: 3;1.0 one at 20+5: 4;2.0 null at 0+10: 5;");
	*text = 0;
	assert_true(store_each_dropped(store, collect_dropped, text, &err));
	assert_string_equal(text, "early 1;late 2;");
	store_close(store);
	remove_place(&place);
}

static void refused(const struct place *place, bool is_new, const char *sentence)
{
	struct err err = {.text = ""};

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

TEST(another_that_writes_is_waited_for)
{
	struct place place;
	pthread_t thread;
	sqlite3 *other;
	struct err err;

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

TEST(files_of_others_are_refused)
{
	struct place place;
	FILE *out;

	make_place(&place);
	refused(&place, false, "cannot open the database ");
	store_close(opened(&place, true));
	check(&place, "PRAGMA application_id", "1129534544;");
	change(&place, "PRAGMA user_version = 4");
	refused(&place, true, " is of version 4; this program reads versions 1 to 3");
	refused(&place, false, " is of version 4; this program reads versions 1 to 3");
	change(&place, "PRAGMA user_version = 3");
	store_close(opened(&place, false));
	change(&place, "PRAGMA application_id = 7");
	refused(&place, true, " is not a store that cyclestack wrote");
	remove(place.file);
	change(&place, "CREATE TABLE mine(x)");
	refused(&place, true, " is not a store that cyclestack wrote");
	remove(place.file);
	/* An empty database is one that may be filled, if the user says that it may be new. */
	change(&place, "PRAGMA user_version = 0");
	refused(&place, false, " is not a store that cyclestack wrote");
	store_close(opened(&place, true));
	static const char others[] = " has tables, views or triggers that cyclestack does not "
				     "write, or lacks some: it is not used";
	static const char *const changes[][2] = {
		{"CREATE TABLE more(x)", "DROP TABLE more"},
		{"CREATE VIEW more AS SELECT * FROM counts", "DROP VIEW more"},
		{"CREATE TRIGGER more AFTER INSERT ON counts BEGIN DELETE FROM names; END",
		 "DROP TRIGGER more"},
		{"CREATE INDEX more ON counts(total)", "DROP INDEX more"},
		{"ALTER TABLE counts ADD COLUMN more", "ALTER TABLE counts DROP COLUMN more"},
		{"DROP INDEX finals", "CREATE INDEX finals ON intervals(run) WHERE is_final"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
		change(&place, changes[i][0]);
		refused(&place, true, others);
		refused(&place, false, others);
		change(&place, changes[i][1]);
		store_close(opened(&place, true));
	}
	change(&place, "DROP TABLE counts");
	refused(&place, true, others);
	remove(place.file);
	out = fopen(place.file, "w");
	assert_non_null(out);
	for (int i = 0; i < 1000; i++)
		fputs("text, no database\n", out);
	fclose(out);
	refused(&place, true, "the database: cannot open it: file is not a database");
	remove_place(&place);
}

static bool finished(struct store *store, uint64_t run)
{
	bool is_newly_whole;
	struct err err;

	assert_true(store_finish_run(store, run, &is_newly_whole, &err));
	return is_newly_whole;
}

/* Each part is needed; a run becomes whole once. */
TEST(a_run_is_whole_with_its_beginning_and_its_end)
{
	const struct store_interval last = {
		.run = 5, .number = 1, .counters = 1, .is_last_of_epoch = true, .is_final = true};
	struct place place;
	struct err err;

	make_place(&place);
	struct store *store = opened(&place, true);
	assert_true(store_begin(store, &err));
	assert_false(finished(store, 5));
	assert_true(store_put_run(store, 5, "a", 100, &err));
	assert_true(store_put_interval(store, &last, &err));
	assert_false(finished(store, 5));
	assert_true(store_put_name(store, 5, 0, 0, "cycles", &err));
	assert_false(finished(store, 5));
	assert_true(store_put_count(store, &last, 0, 1, 1, false, &err));
	assert_false(finished(store, 5));
	assert_true(store_put_about(store, 5, "program", "machine", &err));
	assert_true(finished(store, 5));
	assert_false(finished(store, 5));
	assert_false(finished(store, 6));
	assert_true(store_commit(store, &err));
	store_close(store);
	remove_place(&place);
}

TEST(a_run_belongs_to_its_first_sender)
{
	enum store_known known;
	struct place place;
	struct err err;

	make_place(&place);
	struct store *store = opened(&place, true);
	assert_true(store_begin(store, &err));
	assert_true(store_find_run(store, 5, "a", &known, &err));
	assert_int_equal(known, STORE_NEW_RUN);
	assert_true(store_put_run(store, 5, "a", 100, &err));
	assert_true(store_put_run(store, 5, "a", 107, &err));
	assert_true(store_put_about(store, 5, "program", "machine", &err));
	assert_true(store_put_about(store, 5, "another", "machine", &err));
	assert_true(store_find_run(store, 5, "a", &known, &err));
	assert_int_equal(known, STORE_KNOWN_RUN);
	assert_true(store_find_run(store, 5, "b", &known, &err));
	assert_int_equal(known, STORE_FOREIGN_RUN);
	assert_true(store_commit(store, &err));
	check(&place, "SELECT * FROM runs", "5,a,program,machine,100,107,0;");
	check(&place, "SELECT length(bytes) FROM secret", "32;");
	store_close(store);
	remove_place(&place);
}

/* Rows that sums would fail of, and rows of other types. */
TEST(a_bad_row_spoils_only_itself)
{
	static const char *const bad[] = {
		"INSERT INTO intervals VALUES(3,0,9223372036854775807,0,1,1,1,0,0,0);"
		"INSERT INTO intervals VALUES(3,1,9223372036854775807,0,1,1,1,0,0,0);"
		"INSERT INTO intervals VALUES(3,2,9223372036854775807,0,1,1,1,0,0,0)",
		"INSERT INTO intervals VALUES(4,0,0,9223372036854775807,1,1,1,0,1,0)",
		"INSERT INTO intervals VALUES(4,0,1,'x',1,1,1,0,1,0)",
		"INSERT INTO intervals VALUES(4,0,2,-5,1,1,1,0,1,0)",
		"INSERT INTO counts VALUES(2,0,0,1,x'00',1,0)",
		"INSERT INTO counts VALUES(2,0,0,2,1,-1,0)",
		"INSERT INTO counts VALUES(1,0,7,0,1,'zzz',0)",
		"INSERT INTO names VALUES(2,0,0,x'1b5b')",
		"INSERT INTO dropped VALUES('x','y')",
	};
	char text[1024] = "";
	uint64_t damaged;
	struct place place;
	struct err err;

	make_place(&place);
	struct store *store = opened(&place, true);
	put_runs(store);
	store_close(store);
	for (size_t i = 0; i < ARRAY_COUNT(bad); i++)
		change(&place, bad[i]);
	store = opened(&place, false);
	assert_true(store_count_damaged(store, &damaged, &err));
	assert_int_equal(damaged, 8);
	assert_true(store_each_run(store, collect_run, text, &err));
	assert_string_equal(text, "1 to 25, 2, 1 missing, 1 1;2 to 16, 1, 0 missing, 0 0;"
				  "3 to 1, 3, 18446744073709551615 missing, 0 0;");
	*text = 0;
	assert_true(store_each_total(store, collect_value, text, &err));
	assert_string_equal(text, "1.0 one at 0+0: 31;2.0 null at 0+0: 32+;");
	*text = 0;
	assert_true(store_each_value(store, collect_value, text, &err));
	assert_string_equal(text, "1.0 one at 0+10: 3;1.0 one at 20+5: 4;2.0 null at 0+10: 5;");
	*text = 0;
	assert_true(store_each_dropped(store, collect_dropped, text, &err));
	assert_string_equal(text, "early 1;late 2;");
	store_close(store);
	remove_place(&place);
}

static void *open_and_close(void *file)
{
	struct err err = {.text = ""};
	struct store *store = store_open(file, true, &err);

	if (!store)
		fail_msg("%s", err.text);
	store_close(store);
	return NULL;
}

TEST(several_may_create_it_at_once)
{
	struct place place;
	pthread_t threads[8];

	for (int round = 0; round < 10; round++) {
		make_place(&place);
		for (size_t i = 0; i < ARRAY_COUNT(threads); i++)
			assert_int_equal(
				pthread_create(&threads[i], NULL, open_and_close, place.file), 0);
		for (size_t i = 0; i < ARRAY_COUNT(threads); i++)
			pthread_join(threads[i], NULL);
		check(&place, "SELECT count(*) FROM secret", "1;");
		remove_place(&place);
	}
}

/* It is read as it is, and a collector adds what it lacks and goes on. */
TEST(version_1_is_read_and_continued)
{
	static const char path[] = "tests/stat/databases/version-1.sql";
	char sql[8192] = "", text[1024] = "";
	enum store_known known;
	struct place place;
	struct err err;
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	assert_true(fread(sql, 1, sizeof(sql) - 1, in) > 0);
	fclose(in);
	make_place(&place);
	change(&place, sql);
	struct store *store = opened(&place, false);
	assert_true(store_each_run(store, collect_run, text, &err));
	assert_string_equal(text, "77 to 100000, 1, 0 missing, 0 0;"
				  "2699240880 to 367241, 4, 0 missing, 1 0;");
	store_close(store);
	check(&place, "PRAGMA user_version", "1;");
	store = opened(&place, true);
	check(&place, "PRAGMA user_version", "3;");
	*text = 0;
	assert_true(store_each_run(store, collect_run, text, &err));
	assert_string_equal(text, "77 to 100000, 1, 0 missing, 0 0;"
				  "2699240880 to 367241, 4, 0 missing, 1 0;");
	assert_true(store_begin(store, &err));
	assert_true(store_find_run(store, 77, "a", &known, &err));
	assert_int_equal(known, STORE_KNOWN_RUN);
	assert_true(store_put_run(store, 77, "a", 5, &err));
	assert_true(store_put_about(store, 77, "p", "m", &err));
	assert_true(store_find_run(store, 77, "b", &known, &err));
	assert_int_equal(known, STORE_FOREIGN_RUN);
	assert_true(store_commit(store, &err));
	store_close(store);
	store = opened(&place, false);
	*text = 0;
	assert_true(store_each_run(store, collect_run, text, &err));
	assert_memory_equal(text, "77 to 100000, 1, 0 missing, 0 0 p m sent;", 40);
	store_close(store);
	remove_place(&place);
}

TEST(links_and_limits)
{
	struct place place;
	struct err err;
	char other[120];
	uint64_t bytes;
	bool ok = true;

	make_place(&place);
	struct store *store = opened(&place, true);
	/* The user's own link is followed; what is no file is not opened. */
	snprintf(other, sizeof(other), "%s/link", place.directory);
	assert_int_equal(symlink("db", other), 0);
	store_close(store_open(other, false, &err));
	if (geteuid() == 0) {
		assert_int_equal(lchown(other, 12345, 12345), 0);
		assert_null(store_open(other, false, &err));
		assert_non_null(strstr(err.text, " is a link that another user made: it is not "));
	}
	assert_null(store_open(place.directory, true, &err));
	assert_non_null(strstr(err.text, " is not a regular file"));
	/* Beyond the limit nothing is written, and what was there stays. */
	assert_true(store_limit(store, 196608, &err));
	for (uint32_t run = 1; ok && run < 20000; run += 100) {
		ok = store_begin(store, &err);
		for (uint32_t i = 0; ok && i < 100; i++)
			ok = store_put_name(store, run + i, 0, 0, "a name", &err);
		ok = ok ? store_commit(store, &err) : (store_rollback(store), false);
	}
	assert_false(ok);
	assert_non_null(strstr(err.text, "cannot write: database or disk is full"));
	assert_true(store_size(store, &bytes, &err));
	assert_in_range(bytes, 160000, 196608);
	store_close(store);
	check(&place, "SELECT count(*) >= 100 FROM names", "1;");
	remove_place(&place);
}

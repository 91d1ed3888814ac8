/* A database at which something fails: every call of SQLite in turn, files that are damaged or not
 * whole, and places where nothing may be written. What fails says so, and costs nothing that was
 * there. */
#include "../directory.h"
#include "../replace.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "store/store.h"

/* The call of SQLite that fails, counted from 1; 0: none. */
static unsigned fails_at, calls;
static int failure = SQLITE_IOERR;
static int log_is_busy; /* so often it is said that the way of writing cannot be changed yet */
static int error_code;	/* instead of the true one, if not 0 */
static int is_readonly;

REPLACED(sqlite3_exec);
REPLACED(sqlite3_step);
REPLACED(sqlite3_prepare_v2);
REPLACED(sqlite3_errcode);
REPLACED(sqlite3_db_readonly);

static bool is_failing(void)
{
	return ++calls == fails_at;
}

static int execute(sqlite3 *db, const char *sql, int (*each)(void *, int, char **, char **),
		   void *context, char **error)
{
	if (log_is_busy && strstr(sql, "journal_mode")) {
		log_is_busy -= log_is_busy > 0;
		return SQLITE_BUSY;
	}
	return is_failing() ? failure : __real_sqlite3_exec(db, sql, each, context, error);
}
REPLACE(sqlite3_exec, execute);

static int step(sqlite3_stmt *statement)
{
	return is_failing() ? failure : __real_sqlite3_step(statement);
}
REPLACE(sqlite3_step, step);

static int prepare(sqlite3 *db, const char *sql, int bytes, sqlite3_stmt **statement,
		   const char **rest)
{
	if (!is_failing())
		return __real_sqlite3_prepare_v2(db, sql, bytes, statement, rest);
	*statement = NULL;
	return failure;
}
REPLACE(sqlite3_prepare_v2, prepare);

static int code(sqlite3 *db)
{
	return error_code ? error_code : __real_sqlite3_errcode(db);
}
REPLACE(sqlite3_errcode, code);

static int readonly(sqlite3 *db, const char *name)
{
	return is_readonly ? 1 : __real_sqlite3_db_readonly(db, name);
}
REPLACE(sqlite3_db_readonly, readonly);

/* Waits for nothing. */
static int no_time(int milliseconds)
{
	return milliseconds;
}
REPLACE(sqlite3_sleep, no_time);

/* In place of the C library's, for SQLite, too: no disk is waited for. */
int fsync(int fd)
{
	(void)fd;
	return 0;
}

int fdatasync(int fd)
{
	return fsync(fd);
}

static void begin_to_fail(unsigned at)
{
	fails_at = at;
	calls = 0;
}

static void change(const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open("db", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static struct store *opened(const char *path, bool writes)
{
	struct err err = {.text = ""};
	struct store *store = store_open(path, writes, &err);

	if (!store)
		fail_msg("%s", err.text);
	return store;
}

static void is_refused(const char *path, bool writes, const char *sentence)
{
	struct err err = {.text = ""};

	assert_null(store_open(path, writes, &err));
	if (!strstr(err.text, sentence))
		fail_msg("%s", err.text);
}

/* As often as a call can fail until none does. */
static unsigned fail_to_open(bool writes)
{
	unsigned at = 1;

	for (;; at++) {
		struct err err = {.text = ""};

		begin_to_fail(at);
		struct store *store = store_open("db", writes, &err);
		begin_to_fail(0);
		if (store) {
			store_close(store);
			return at;
		}
		if (!strstr(err.text, "the database: cannot "))
			fail_msg("call %u: %s", at, err.text);
		/* Whatever there is, it is none or a whole one. */
		if (writes) {
			store_close(opened("db", true));
			assert_int_equal(remove("db"), 0);
		}
	}
}

IN_DIRECTORY(each_call_that_opens_may_fail)
{
	assert_in_range(fail_to_open(true), 30, 100);
	assert_in_range(fail_to_open(false), 10, 50);
}

static const struct store_interval interval = {.run = 1,
					       .cycles = 10,
					       .dispatched = 15,
					       .counters = 1,
					       .is_last_of_epoch = true,
					       .is_final = true};

static void ignore_run(void *context, const struct store_run *run)
{
	*(unsigned *)context += (unsigned)run->intervals;
}

static void ignore_value(void *context, const struct store_value *value)
{
	*(unsigned *)context += value->value > 0;
}

static void ignore_dropped(void *context, const char *reason, uint64_t packets)
{
	(void)reason;
	*(unsigned *)context += (unsigned)packets;
}

/* One of the calls of the store. */
static bool use(struct store *store, unsigned which, struct err *err)
{
	enum store_known known;
	unsigned seen = 0;
	uint64_t number;
	bool is_whole;

	switch (which) {
	case 0: return store_size(store, &number, err);
	case 1: return store_limit(store, 1 << 20, err);
	case 2: return store_find_run(store, 1, "a", &known, err);
	case 3: return store_put_run(store, 1, "a", 100, err);
	case 4: return store_put_about(store, 1, "program", "machine", err);
	case 5: return store_put_name(store, 1, 0, 0, "cycles", err);
	case 6: return store_put_interval(store, &interval, err);
	case 7: return store_put_count(store, &interval, 0, 1, 1, false, err);
	case 8: return store_add_dropped(store, "late", 1, err);
	case 9: return store_finish_run(store, 1, &is_whole, err);
	case 10: return store_each_run(store, ignore_run, &seen, err) && seen;
	case 11: return store_each_total(store, ignore_value, &seen, err) && seen;
	case 12: return store_each_value(store, ignore_value, &seen, err) && seen;
	case 13: return store_each_dropped(store, ignore_dropped, &seen, err) && seen;
	default: return store_count_damaged(store, &number, err) && number == 0;
	}
}

/* Each says so, and works when it is called again. */
IN_DIRECTORY(each_call_of_an_open_store_may_fail)
{
	struct store *store = opened("db", true);
	struct err err;

	assert_true(store_begin(store, &err));
	for (unsigned which = 0; which < 15; which++) {
		unsigned at = 1;

		for (;; at++) {
			err = (struct err){.text = ""};
			begin_to_fail(at);
			const bool ok = use(store, which, &err);
			begin_to_fail(0);
			if (ok)
				break;
			if (strncmp(err.text, "the database: cannot ", 21) != 0)
				fail_msg("%u, call %u: %s", which, at, err.text);
		}
		assert_in_range(at, 2, 6);
	}
	assert_true(store_commit(store, &err));
	/* A run that could not be made whole is not told as such. */
	begin_to_fail(1);
	bool is_whole = true;
	assert_false(store_finish_run(store, 1, &is_whole, &err));
	assert_false(is_whole);
	begin_to_fail(0);
	store_close(store);
}

/* Another that reads is waited for, but not for ever. */
IN_DIRECTORY(a_log_that_is_busy_is_waited_for)
{
	log_is_busy = 7;
	store_close(opened("db", true));
	assert_int_equal(log_is_busy, 0);
	log_is_busy = -1;
	is_refused("db", true, "the database: cannot open it: ");
	log_is_busy = 0;
}

IN_DIRECTORY(a_file_that_may_not_be_written_is_refused_to_a_collector)
{
	store_close(opened("db", true));
	is_readonly = 1;
	is_refused("db", true, "db may not be written");
	store_close(opened("db", false));
	is_readonly = 0;
}

/* The name has every character that means something in the form that SQLite then takes. */
IN_DIRECTORY(a_file_is_read_where_nothing_may_be_written)
{
	static const char name[] = "50%41 done? #1";
	static const int codes[] = {SQLITE_CANTOPEN, SQLITE_READONLY};
	struct err err;
	uint64_t bytes;

	store_close(opened(name, true));
	for (unsigned i = 0; i < 2; i++) {
		begin_to_fail(2);
		error_code = codes[i];
		struct store *store = opened(name, false);
		error_code = 0;
		begin_to_fail(0);
		assert_true(store_size(store, &bytes, &err));
		assert_true(bytes > 0);
		store_close(store);
	}
	/* It is no other trouble, and no file that lacks what its journal has. */
	begin_to_fail(2);
	error_code = SQLITE_CORRUPT;
	is_refused(name, false, "the database: cannot read it: ");
	write_file("50%41 done? #1-wal", "journal");
	begin_to_fail(2);
	error_code = SQLITE_CANTOPEN;
	is_refused(name, false, "the database: cannot read it: ");
	write_file("50%41 done? #1-wal", "");
	begin_to_fail(2);
	store_close(opened(name, false));
	error_code = 0;
	begin_to_fail(0);
	assert_int_equal(entries_of("."), 2);
}

/* Without it no sender can be told from another; what is there can be read. */
IN_DIRECTORY(a_collector_needs_the_secret)
{
	static const char *const changes[] = {
		"UPDATE secret SET bytes = x'0011'",
		"UPDATE secret SET bytes = NULL",
		"DELETE FROM secret",
	};

	store_close(opened("db", true));
	for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
		change(changes[i]);
		is_refused("db", true, "the database: its secret is not there");
		store_close(opened("db", false));
	}
}

IN_DIRECTORY(versions_have_their_own_tables)
{
	static const char others[] =
		"db has tables, views or triggers that cyclestack does not write, or lacks "
		"some: it is not used";

	store_close(opened("db", true));
	change("PRAGMA user_version = 0");
	is_refused("db", false, "db is of version 0; this program reads versions 1 to 3");
	change("PRAGMA user_version = -1");
	is_refused("db", true, "db is of version -1; this program reads versions 1 to 3");
	/* The first version had fewer. */
	change("PRAGMA user_version = 1");
	is_refused("db", false, others);
	change("PRAGMA user_version = 3");
	/* An index that SQLite makes by itself has no statement. */
	change("CREATE TABLE more(x UNIQUE)");
	is_refused("db", false, others);
	change("DROP TABLE more");
	store_close(opened("db", false));
}

IN_DIRECTORY(places_that_cannot_be_are_told)
{
	write_file("file", "no folder");
	is_refused("file/db", true, "cannot open the database file/db: Not a directory");
	is_refused("nowhere/db", true, "cannot open the database nowhere/db: unable to open ");
	/* A link that leads nowhere. */
	assert_int_equal(symlink("gone", "link"), 0);
	is_refused("link", false, "cannot open the database link: unable to open ");
	is_refused(".", false, ". is not a regular file");
}

/* The last quarter of the file is other bytes: what can be read is given, and the call fails. */
IN_DIRECTORY(damaged_pages_are_told)
{
	struct store *store = opened("db", true);
	struct err err = {.text = ""};
	struct stat at;
	unsigned seen = 0;

	assert_true(store_begin(store, &err));
	for (uint32_t i = 0; i < 2000; i++) {
		assert_true(store_put_name(store, 1, 0, i, "a name of a counter", &err));
		assert_true(store_put_count(store, &interval, i, 1, 1, false, &err));
	}
	assert_true(store_commit(store, &err));
	store_close(store);
	assert_int_equal(stat("db", &at), 0);
	FILE *file = fopen("db", "r+");
	fseek(file, 3 * at.st_size / 4, SEEK_SET);
	for (long i = 3 * at.st_size / 4; i < at.st_size; i++)
		fputc(0xa5, file);
	fclose(file);
	store = opened("db", false);
	assert_false(store_each_total(store, ignore_value, &seen, &err));
	assert_string_equal(err.text,
			    "the database: cannot read it: database disk image is malformed");
	assert_in_range(seen, 0, 1999);
	store_close(store);
}

/* The limit of SQLite itself is no trouble. */
IN_DIRECTORY(a_limit_may_be_none)
{
	struct store *store = opened("db", true);
	struct err err = {.text = ""};

	assert_true(store_limit(store, UINT64_MAX, &err));
	assert_true(store_begin(store, &err));
	for (uint32_t i = 0; i < 2000; i++)
		assert_true(store_put_name(store, 1, 0, i, "a name of a counter", &err));
	assert_true(store_commit(store, &err));
	store_close(store);
}

static void collect(void *context, const struct store_run *run)
{
	char *text = context;

	sprintf(text + strlen(text), "%u%s%s;", (unsigned)run->run,
		run->is_complete ? " complete" : "", run->program ? " named" : "");
}

/* A run is complete with the last interval of each epoch, and all that the final one counts. */
IN_DIRECTORY(a_run_lacks_what_any_epoch_lacks)
{
	static const struct {
		bool has_first_last, has_final, has_count;
	} rows[] = {
		{true, true, true}, {false, true, true}, {true, false, true}, {true, true, false}};
	struct store *store = opened("db", true);
	struct err err = {.text = ""};
	char text[256] = "";

	assert_true(store_begin(store, &err));
	for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct store_interval first = {
			.run = i + 1, .cycles = 10, .is_last_of_epoch = rows[i].has_first_last};
		const struct store_interval second = {.run = i + 1,
						      .epoch = 1,
						      .start = 10,
						      .cycles = 10,
						      .counters = 1,
						      .is_last_of_epoch = true,
						      .is_final = rows[i].has_final};

		assert_true(store_put_interval(store, &first, &err));
		assert_true(store_put_interval(store, &second, &err));
		if (rows[i].has_count)
			assert_true(store_put_count(store, &second, 0, 1, 1, false, &err));
	}
	assert_true(store_put_run(store, 1, "a", 100, &err));
	assert_true(store_put_about(store, 1, "program", "machine", &err));
	assert_true(store_commit(store, &err));
	assert_true(store_each_run(store, collect, text, &err));
	assert_string_equal(text, "1 complete named;2;3;4;");
	store_close(store);
	/* A program's name that is no text is not known. */
	change("UPDATE runs SET program = x'41'");
	store = opened("db", false);
	*text = '\0';
	assert_true(store_each_run(store, collect, text, &err));
	assert_string_equal(text, "1 complete;2;3;4;");
	store_close(store);
}

#include "store/store.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"

#define APPLICATION  1129534544 /* "CSTP" */
#define VERSION	     1
#define WAIT_MS	     5000
#define COLUMNS_MOST 16
#define TEXT(number) #number
#define DIGITS(name) TEXT(name)

enum statement { PUT_NAME, PUT_INTERVAL, PUT_COUNT, ADD_DROPPED, STATEMENTS };

struct store {
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENTS];
};

static const char schema[] = "PRAGMA application_id = " DIGITS(
	APPLICATION) ";"
		     "PRAGMA user_version = " DIGITS(
			     VERSION) ";"
				      "CREATE TABLE names(run INTEGER, epoch INTEGER, counter INTEGER, name TEXT,"
				      " PRIMARY KEY(run, epoch, counter)) WITHOUT ROWID;"
				      "CREATE TABLE intervals(run INTEGER, epoch INTEGER, number INTEGER, start INTEGER,"
				      " cycles INTEGER, dispatched INTEGER, counters INTEGER, is_last INTEGER, is_final INTEGER,"
				      " is_partial INTEGER, PRIMARY KEY(run, epoch, number)) WITHOUT ROWID;"
				      "CREATE TABLE counts(run INTEGER, epoch INTEGER, number INTEGER, counter INTEGER,"
				      " value INTEGER, total INTEGER, is_saturated INTEGER,"
				      " PRIMARY KEY(run, epoch, number, counter)) WITHOUT ROWID;"
				      "CREATE TABLE dropped(reason TEXT PRIMARY KEY, packets INTEGER) WITHOUT ROWID;";

static const char *const statement_texts[STATEMENTS] = {
	[PUT_NAME] = "INSERT OR IGNORE INTO names VALUES(?, ?, ?, ?)",
	[PUT_INTERVAL] = "INSERT OR IGNORE INTO intervals VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[PUT_COUNT] = "INSERT OR IGNORE INTO counts VALUES(?, ?, ?, ?, ?, ?, ?)",
	[ADD_DROPPED] = "INSERT INTO dropped VALUES(?, ?)"
			" ON CONFLICT(reason) DO UPDATE SET packets = packets + excluded.packets",
};

static bool fail(const struct store *store, const char *what, struct err *err)
{
	return err_set(err, "the database: cannot %s: %s", what, sqlite3_errmsg(store->db));
}

static bool execute(struct store *store, const char *sql, const char *what, struct err *err)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
	       fail(store, what, err);
}

static void take_number(void *context, const struct store_row *row)
{
	*(int64_t *)context = row->numbers[0];
}

static bool prepare_schema(struct store *store, const char *path, bool is_new, struct err *err)
{
	int64_t application = 0, version = 0, tables = 0;

	if (!store_query(store, "PRAGMA application_id", 0, 0, take_number, &application, err) ||
	    !store_query(store, "PRAGMA user_version", 0, 0, take_number, &version, err) ||
	    !store_query(store, "SELECT count(*) FROM sqlite_schema", 0, 0, take_number, &tables,
			 err))
		return false;
	if (!application && !tables && is_new)
		return store_begin(store, err) && execute(store, schema, "create tables", err) &&
		       store_commit(store, err);
	if (application != APPLICATION)
		return err_set(err, "%s is not a file that cyclestack collect wrote", path);
	return version == VERSION ||
	       err_set(err, "%s is of version %lld; this program reads version %d", path,
		       (long long)version, VERSION);
}

struct store *store_open(const char *path, bool is_new, struct err *err)
{
	struct store *store = mem_alloc(sizeof(*store));
	int flags = is_new ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE;
	bool ok = sqlite3_open_v2(path, &store->db, flags, NULL) == SQLITE_OK ||
		  err_set(err, "cannot open the database %s: %s", path,
			  store->db ? sqlite3_errmsg(store->db) : "no memory");

	if (ok)
		sqlite3_busy_timeout(store->db, WAIT_MS);
	ok = ok &&
	     execute(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;", "open it",
		     err) &&
	     prepare_schema(store, path, is_new, err);
	for (int i = 0; ok && i < STATEMENTS; i++)
		ok = sqlite3_prepare_v2(store->db, statement_texts[i], -1, &store->statements[i],
					NULL) == SQLITE_OK ||
		     fail(store, "use its tables", err);
	if (ok)
		return store;
	store_close(store);
	return NULL;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(store->statements[i]);
	sqlite3_close(store->db);
	free(store);
}

bool store_begin(struct store *store, struct err *err)
{
	return execute(store, "BEGIN IMMEDIATE", "begin to write", err);
}

bool store_commit(struct store *store, struct err *err)
{
	if (execute(store, "COMMIT", "write", err))
		return true;
	store_rollback(store);
	return false;
}

void store_rollback(struct store *store)
{
	sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

static bool run_statement(struct store *store, enum statement which, struct err *err)
{
	sqlite3_stmt *statement = store->statements[which];
	bool ok = sqlite3_step(statement) == SQLITE_DONE || fail(store, "write", err);

	sqlite3_reset(statement);
	return ok;
}

static void bind(struct store *store, enum statement which, int place, uint64_t value)
{
	sqlite3_bind_int64(store->statements[which], place, (sqlite3_int64)value);
}

bool store_put_name(struct store *store, uint64_t run, uint32_t epoch, uint32_t counter,
		    const char *name, struct err *err)
{
	bind(store, PUT_NAME, 1, run);
	bind(store, PUT_NAME, 2, epoch);
	bind(store, PUT_NAME, 3, counter);
	sqlite3_bind_text(store->statements[PUT_NAME], 4, name, -1, SQLITE_TRANSIENT);
	return run_statement(store, PUT_NAME, err);
}

bool store_put_interval(struct store *store, const struct store_interval *interval, struct err *err)
{
	const uint64_t values[] = {
		interval->run,	    interval->epoch,
		interval->number,   interval->start,
		interval->cycles,   interval->dispatched,
		interval->counters, interval->is_last_of_epoch,
		interval->is_final, interval->is_partial,
	};

	for (size_t i = 0; i < ARRAY_COUNT(values); i++)
		bind(store, PUT_INTERVAL, (int)i + 1, values[i]);
	return run_statement(store, PUT_INTERVAL, err);
}

bool store_put_count(struct store *store, const struct store_interval *interval, uint32_t counter,
		     uint64_t value, uint64_t total, bool is_saturated, struct err *err)
{
	const uint64_t values[] = {interval->run, interval->epoch, interval->number, counter,
				   value,	  total,	   is_saturated};

	for (size_t i = 0; i < ARRAY_COUNT(values); i++)
		bind(store, PUT_COUNT, (int)i + 1, values[i]);
	return run_statement(store, PUT_COUNT, err);
}

bool store_add_dropped(struct store *store, const char *reason, uint64_t packets, struct err *err)
{
	sqlite3_bind_text(store->statements[ADD_DROPPED], 1, reason, -1, SQLITE_TRANSIENT);
	bind(store, ADD_DROPPED, 2, packets);
	return run_statement(store, ADD_DROPPED, err);
}

bool store_query(struct store *store, const char *sql, uint64_t first, uint64_t second,
		 void (*row)(void *context, const struct store_row *row), void *context,
		 struct err *err)
{
	sqlite3_stmt *statement = NULL;
	int step = SQLITE_DONE;

	if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
		return fail(store, "read it", err);
	if (sqlite3_bind_parameter_count(statement) >= 1)
		sqlite3_bind_int64(statement, 1, (sqlite3_int64)first);
	if (sqlite3_bind_parameter_count(statement) >= 2)
		sqlite3_bind_int64(statement, 2, (sqlite3_int64)second);
	while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
		const char *texts[COLUMNS_MOST];
		int64_t numbers[COLUMNS_MOST];
		int count = sqlite3_column_count(statement);

		for (int i = 0; i < count && i < COLUMNS_MOST; i++) {
			numbers[i] = sqlite3_column_int64(statement, i);
			texts[i] = (const char *)sqlite3_column_text(statement, i);
		}
		row(context, &(struct store_row){texts, numbers, count});
	}
	bool ok = step == SQLITE_DONE || fail(store, "read it", err);
	sqlite3_finalize(statement);
	return ok;
}

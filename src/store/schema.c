#include "store/schema.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"

#define APPLICATION 1129534544 /* "CSTP" */

/* What SQLite keeps of each statement is its text: no character of it may change. */
static const struct {
	int since;
	const char *sql;
} parts[] = {
	{1, "CREATE TABLE names(run INTEGER, epoch INTEGER, counter INTEGER, name TEXT,"
	    " PRIMARY KEY(run, epoch, counter)) WITHOUT ROWID"},
	{1, "CREATE TABLE intervals(run INTEGER, epoch INTEGER, number INTEGER, start INTEGER,"
	    " cycles INTEGER, dispatched INTEGER, counters INTEGER, is_last INTEGER, is_final "
	    "INTEGER, is_partial INTEGER, PRIMARY KEY(run, epoch, number)) WITHOUT ROWID"},
	{1, "CREATE TABLE counts(run INTEGER, epoch INTEGER, number INTEGER, counter INTEGER,"
	    " value INTEGER, total INTEGER, is_saturated INTEGER,"
	    " PRIMARY KEY(run, epoch, number, counter)) WITHOUT ROWID"},
	{1, "CREATE TABLE dropped(reason TEXT PRIMARY KEY, packets INTEGER) WITHOUT ROWID"},
	{2, "CREATE TABLE runs(run INTEGER PRIMARY KEY, sender TEXT, program TEXT, machine TEXT,"
	    " first_received INTEGER, last_received INTEGER, is_whole INTEGER)"},
	{2, "CREATE TABLE secret(bytes BLOB)"},
	{2, "CREATE INDEX finals ON intervals(run) WHERE is_final"},
};

static bool fail(sqlite3 *db, const char *what, struct err *err)
{
	return err_set(err, "the database: cannot %s: %s", what, sqlite3_errmsg(db));
}

bool schema_number(sqlite3 *db, const char *sql, int64_t *value, struct err *err)
{
	sqlite3_stmt *statement = NULL;
	int step = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

	if (step == SQLITE_OK)
		step = sqlite3_step(statement);
	*value = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	bool ok = step == SQLITE_ROW || step == SQLITE_DONE || fail(db, "read it", err);
	sqlite3_finalize(statement);
	return ok;
}

static bool is_ours(const char *sql, int version)
{
	for (size_t i = 0; sql && i < ARRAY_COUNT(parts); i++)
		if (parts[i].since <= version && strcmp(parts[i].sql, sql) == 0)
			return true;
	return false;
}

/* Every statement is one of ours, and there are as many: names differ, so each is there once. */
static bool has_parts(sqlite3 *db, int version, bool *has, struct err *err)
{
	sqlite3_stmt *statement = NULL;
	size_t count = 0, wanted = 0;
	int step = sqlite3_prepare_v2(db, "SELECT sql FROM sqlite_schema", -1, &statement, NULL);

	*has = true;
	while (step == SQLITE_OK || step == SQLITE_ROW) {
		step = sqlite3_step(statement);
		if (step != SQLITE_ROW)
			break;
		*has &= is_ours((const char *)sqlite3_column_text(statement, 0), version);
		count++;
	}
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		wanted += parts[i].since <= version;
	*has &= count == wanted;
	bool ok = step == SQLITE_DONE || fail(db, "read it", err);
	sqlite3_finalize(statement);
	return ok;
}

bool schema_read(sqlite3 *db, const char *path, int *version, struct err *err)
{
	int64_t application, number, tables;
	bool has;

	if (!schema_number(db, "PRAGMA application_id", &application, err) ||
	    !schema_number(db, "PRAGMA user_version", &number, err) ||
	    !schema_number(db, "SELECT count(*) FROM sqlite_schema", &tables, err))
		return false;
	*version = 0;
	if (!application && !tables)
		return true;
	if (application != APPLICATION)
		return err_set(err, "%s is not a file that cyclestack collect wrote", path);
	if (number < 1 || number > SCHEMA_VERSION)
		return err_set(err, "%s is of version %lld; this program reads versions 1 to %d",
			       path, (long long)number, SCHEMA_VERSION);
	*version = (int)number;
	return has_parts(db, *version, &has, err) &&
	       (has || err_set(err,
			       "%s has tables, views or triggers that cyclestack collect does not "
			       "write, or lacks some: it is not used",
			       path));
}

static bool execute(sqlite3 *db, const char *sql, struct err *err)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ||
	       fail(db, "create tables", err);
}

bool schema_upgrade(sqlite3 *db, int version, struct err *err)
{
	char numbers[96];

	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		if (parts[i].since > version && !execute(db, parts[i].sql, err))
			return false;
	snprintf(numbers, sizeof(numbers), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		 APPLICATION, SCHEMA_VERSION);
	/* Of earlier runs it is not known who sent them and when. */
	return (version >= 2 ||
		(execute(db, "INSERT INTO secret VALUES(randomblob(32))", err) &&
		 execute(db,
			 "INSERT OR IGNORE INTO runs(run) SELECT DISTINCT run FROM intervals "
			 "WHERE typeof(run)='integer'",
			 err))) &&
	       execute(db, numbers, err);
}

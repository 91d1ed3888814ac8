#include "store/database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "store/schema.h"

#define RETRY_MS   20
#define PATH_MOST  4096
#define PAGES_MOST 2147483646 /* SQLite knows no more */

bool database_fail(const struct store *store, const char *what, struct err *err)
{
	return err_set(err, "the database: cannot %s: %s", what, sqlite3_errmsg(store->db));
}

bool database_execute(struct store *store, const char *sql, const char *what, struct err *err)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
	       database_fail(store, what, err);
}

struct rows rows_of(struct store *store, const char *sql, struct err *err)
{
	struct rows rows = {.store = store, .err = err};

	rows.is_good = sqlite3_prepare_v2(store->db, sql, -1, &rows.statement, NULL) == SQLITE_OK ||
		       database_fail(store, "read it", err);
	return rows;
}

bool rows_next(struct rows *rows)
{
	int step = rows->statement ? sqlite3_step(rows->statement) : SQLITE_DONE;

	if (step == SQLITE_ROW)
		return true;
	rows->is_good = rows->is_good &&
			(step == SQLITE_DONE || database_fail(rows->store, "read it", rows->err));
	sqlite3_finalize(rows->statement);
	rows->statement = NULL;
	return false;
}

uint64_t rows_number(const struct rows *rows, int column)
{
	return (uint64_t)sqlite3_column_int64(rows->statement, column);
}

void rows_end(struct rows *rows)
{
	sqlite3_finalize(rows->statement);
	rows->statement = NULL;
}

const char *rows_text(const struct rows *rows, int column)
{
	return (const char *)sqlite3_column_text(rows->statement, column);
}

/* The user's own links lead where they say; one that somebody else put there is not followed. */
static bool check_place(const char *path, struct err *err)
{
	struct stat at;

	if (lstat(path, &at) != 0)
		return errno == ENOENT ||
		       err_set_errno(err, errno, "cannot open the database %s", path);
	if (S_ISLNK(at.st_mode) && at.st_uid != geteuid() && at.st_uid != 0)
		return err_set(err, "%s is a link that another user made: it is not followed",
			       path);
	return stat(path, &at) != 0 || S_ISREG(at.st_mode) ||
	       err_set(err, "%s is not a regular file", path);
}

static bool is_private(const struct stat *info)
{
	return (info->st_uid == geteuid() || info->st_uid == 0) &&
	       !(info->st_mode & (S_IWGRP | S_IWOTH));
}

bool store_is_own_place(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? mem_strndup(path, slash == path ? 1 : (size_t)(slash - path))
				: mem_strdup(".");
	struct stat at;
	bool ok = true;

	if (stat(directory, &at) != 0)
		ok = err_set_errno(err, errno, "%s", directory);
	else if (!S_ISDIR(at.st_mode))
		ok = err_set_errno(err, ENOTDIR, "%s", directory);
	else if (!is_private(&at))
		ok = err_set(
			err,
			"another user owns the directory %s or can write to it (chmod go-w %s)",
			directory, directory);
	free(directory);
	return ok;
}

bool store_is_own(const char *path, struct err *err)
{
	struct stat at;

	if (!store_is_own_place(path, err))
		return false;
	/* What a link leads to lies in another directory. */
	if (lstat(path, &at) != 0)
		return err_set_errno(err, errno, "%s", path);
	if (!S_ISREG(at.st_mode))
		return err_set(err, "%s is not a regular file", path);
	return is_private(&at) ||
	       err_set(err, "another user owns %s or can write to it (chmod go-w %s)", path, path);
}

/* Whether a journal lies beside the file, without which it is not whole. */
static bool has_journal(const char *path)
{
	char beside[PATH_MOST + 16];
	struct stat at;

	snprintf(beside, sizeof(beside), "%s-wal", path);
	return stat(beside, &at) == 0 && at.st_size > 0;
}

/* The name by which SQLite opens a file that nobody writes while it is read; to be freed. */
static char *immutable_name(const char *path)
{
	static const char end[] = "?immutable=1";
	char *name = mem_alloc(3 * strlen(path) + sizeof(end) + 8), *out = name;

	out += sprintf(out, "file:");
	for (; *path; path++)
		out += sprintf(out, strchr("%?#", *path) ? "%%%02x" : "%c", *path);
	strcpy(out, end);
	return name;
}

/* What the file says is only data: nothing in it is executed. */
static bool open_file(struct store *store, const char *path, int flags, struct err *err)
{
	static const int switches[][2] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
					  {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
					  {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
					  {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};

	sqlite3_close(store->db);
	store->db = NULL;
	if (sqlite3_open_v2(path, &store->db, flags, NULL) != SQLITE_OK)
		return err_set(err, "cannot open the database %s: %s", path,
			       store->db ? sqlite3_errmsg(store->db) : "no memory");
	for (size_t i = 0; i < ARRAY_COUNT(switches); i++)
		sqlite3_db_config(store->db, switches[i][0], switches[i][1], NULL);
	sqlite3_busy_timeout(store->db, STORE_WAIT_MS);
	return database_execute(store, "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY",
				"open it", err);
}

/* Two collectors may begin with a new file at once: whichever comes second finds the tables. */
static bool prepare_to_write(struct store *store, const char *path, struct err *err)
{
	if (sqlite3_db_readonly(store->db, "main") == 1)
		return err_set(err, "%s may not be written", path);
	if (!database_execute(store, "BEGIN IMMEDIATE", "open it", err) ||
	    !schema_read(store->db, path, &store->version, err))
		return false;
	if (store->version < SCHEMA_VERSION && !schema_upgrade(store->db, store->version, err))
		return false;
	store->version = SCHEMA_VERSION;
	return store_commit(store, err);
}

/* Readers and the writer do not wait for each other. The change waits for no lock by itself. */
static bool use_log(struct store *store, struct err *err)
{
	int result = SQLITE_BUSY;

	for (int waited = 0; result == SQLITE_BUSY && waited < STORE_WAIT_MS; waited += RETRY_MS) {
		result = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
		if (result == SQLITE_BUSY)
			sqlite3_sleep(RETRY_MS);
	}
	return (result == SQLITE_OK || database_fail(store, "open it", err)) &&
	       database_execute(store, "PRAGMA synchronous = FULL", "open it", err);
}

static bool read_secret(struct store *store, struct err *err)
{
	struct rows rows = rows_of(store, "SELECT bytes FROM secret", err);
	size_t got = 0;

	while (rows_next(&rows)) {
		const void *bytes = sqlite3_column_blob(rows.statement, 0);

		got = (size_t)sqlite3_column_bytes(rows.statement, 0);
		if (bytes && got == sizeof(store->secret))
			memcpy(store->secret, bytes, got);
	}
	return rows.is_good && (got == sizeof(store->secret) ||
				err_set(err, "the database: its secret is not there"));
}

static bool open_to_write(struct store *store, const char *path, struct err *err)
{
	return open_file(store, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err) &&
	       prepare_to_write(store, path, err) && use_log(store, err) &&
	       read_secret(store, err) && database_prepare(store, err);
}

/* One transaction for all that is read, so that its parts fit together. */
static bool prepare_to_read(struct store *store, const char *path, struct err *err)
{
	return database_execute(store, "BEGIN", "read it", err) &&
	       schema_read(store->db, path, &store->version, err) &&
	       (store->version || err_set(err, "%s is not a store that cyclestack wrote", path)) &&
	       (store->version >= SCHEMA_VERSION ||
		schema_complete(store->db, store->version, err));
}

/* Where nothing may be written beside the file SQLite refuses to read it, unless it is told that
 * nobody writes. */
static bool open_to_read(struct store *store, const char *path, struct err *err)
{
	if (!open_file(store, path, SQLITE_OPEN_READONLY, err))
		return false;
	if (prepare_to_read(store, path, err))
		return true;
	int trouble = sqlite3_errcode(store->db);
	if ((trouble != SQLITE_CANTOPEN && trouble != SQLITE_READONLY) || has_journal(path))
		return false;
	char *name = immutable_name(path);
	bool ok = open_file(store, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err) &&
		  prepare_to_read(store, path, err);
	free(name);
	return ok;
}

/* Now that the file has no other views than ours. */
static void allow_views(struct store *store)
{
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 1, NULL);
}

struct store *store_open(const char *path, bool writes, struct err *err)
{
	struct store *store = mem_alloc(sizeof(*store));

	store->writes = writes;
	if (check_place(path, err) &&
	    (writes ? open_to_write(store, path, err) : open_to_read(store, path, err))) {
		allow_views(store);
		return store;
	}
	store_close(store);
	return NULL;
}

struct store *store_open_in_memory(struct err *err)
{
	static const char path[] = ":memory:";
	struct store *store = mem_alloc(sizeof(*store));

	store->writes = true;
	if (open_file(store, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err) &&
	    prepare_to_write(store, path, err) && read_secret(store, err) &&
	    database_prepare(store, err)) {
		allow_views(store);
		return store;
	}
	store_close(store);
	return NULL;
}

void *store_bytes(struct store *store, size_t *count, struct err *err)
{
	sqlite3_int64 size;
	void *made = sqlite3_serialize(store->db, "main", &size, 0), *bytes = NULL;

	if (made) {
		*count = (size_t)size;
		bytes = memcpy(mem_alloc(*count), made, *count);
	} else {
		err_set(err, "the database: not enough memory for its file");
	}
	sqlite3_free(made);
	return bytes;
}

const uint8_t *store_secret(const struct store *store)
{
	return store->secret;
}

bool store_size(struct store *store, uint64_t *bytes, struct err *err)
{
	int64_t pages, page_bytes;

	if (!schema_number(store->db, "PRAGMA page_count", &pages, err) ||
	    !schema_number(store->db, "PRAGMA page_size", &page_bytes, err))
		return false;
	*bytes = (uint64_t)pages * (uint64_t)page_bytes;
	return true;
}

bool store_limit(struct store *store, uint64_t most, struct err *err)
{
	int64_t page_bytes;
	char sql[64];

	if (!schema_number(store->db, "PRAGMA page_size", &page_bytes, err))
		return false;
	uint64_t pages = most / (uint64_t)page_bytes;
	snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %llu",
		 (unsigned long long)(pages < PAGES_MOST ? pages : PAGES_MOST));
	return database_execute(store, sql, "limit its size", err);
}

void store_close(struct store *store)
{
	if (!store)
		return;
	for (int i = 0; i < STORE_STATEMENTS; i++)
		sqlite3_finalize(store->statements[i]);
	sqlite3_close(store->db);
	free(store);
}

bool store_begin(struct store *store, struct err *err)
{
	return database_execute(store, "BEGIN IMMEDIATE", "begin to write", err);
}

bool store_commit(struct store *store, struct err *err)
{
	if (database_execute(store, "COMMIT", "write", err))
		return true;
	store_rollback(store);
	return false;
}

void store_rollback(struct store *store)
{
	sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

uint64_t store_changes(const struct store *store)
{
	return (uint64_t)sqlite3_total_changes64(store->db);
}

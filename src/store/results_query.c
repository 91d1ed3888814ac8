#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "store/database.h"
#include "store/results.h"

#define STEPS_BETWEEN_LOOKS 10000
#define CELL_BYTES_MOST	    (1 << 26)

/* A query while it runs. */
struct query {
	struct timespec until;
	bool has_end;
};

static int is_over(void *context)
{
	const struct query *query = context;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return query->has_end &&
	       (now.tv_sec > query->until.tv_sec ||
		(now.tv_sec == query->until.tv_sec && now.tv_nsec >= query->until.tv_nsec));
}

/* What the text of a query may do: read, and compute. */
static int authorize(void *context, int action, const char *first, const char *second,
		     const char *database, const char *view)
{
	(void)context;
	(void)database;
	(void)view;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_READ: /* All but the secret of the collector. */
		return first && strcmp(first, "secret") == 0 ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_FUNCTION:
		return second && (strcmp(second, "load_extension") == 0 ||
				  strcmp(second, "fts3_tokenizer") == 0 ||
				  strcmp(second, "randomblob") == 0)
			       ? SQLITE_DENY
			       : SQLITE_OK;
	default: return SQLITE_DENY;
	}
}

static struct result_cell cell_of(sqlite3_stmt *statement, int column)
{
	struct result_cell cell = {.kind = RESULT_NULL};

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		cell.kind = RESULT_WHOLE;
		cell.whole = sqlite3_column_int64(statement, column);
		cell.number = (double)cell.whole;
		break;
	case SQLITE_FLOAT:
		cell.kind = RESULT_NUMBER;
		cell.number = sqlite3_column_double(statement, column);
		break;
	case SQLITE_TEXT:
		cell.kind = RESULT_TEXT;
		cell.text = (const char *)sqlite3_column_text(statement, column);
		cell.bytes = (size_t)sqlite3_column_bytes(statement, column);
		break;
	case SQLITE_BLOB:
		cell.kind = RESULT_BYTES;
		cell.text = sqlite3_column_blob(statement, column);
		cell.bytes = (size_t)sqlite3_column_bytes(statement, column);
		break;
	default: break;
	}
	return cell;
}

static bool read_rows(struct store *store, sqlite3_stmt *statement,
		      const struct results_reader *reader, struct err *err)
{
	const size_t count = (size_t)sqlite3_column_count(statement);
	const char **names = mem_alloc_array(count, sizeof(*names));
	struct result_cell *cells = mem_alloc_array(count, sizeof(*cells));
	int step = SQLITE_ROW;

	for (size_t i = 0; i < count; i++)
		names[i] = sqlite3_column_name(statement, (int)i);
	reader->begin(reader->context, names, count);
	while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
		for (size_t i = 0; i < count; i++)
			cells[i] = cell_of(statement, (int)i);
		if (!reader->row(reader->context, cells, count)) {
			step = SQLITE_DONE;
			break;
		}
	}
	free(cells);
	free(names);
	if (step == SQLITE_INTERRUPT)
		return err_stopped(err, "the query takes longer than it may");
	return step == SQLITE_DONE || err_set(err, "the query: %s", sqlite3_errmsg(store->db));
}

/* One statement that only reads, and nothing behind it; NULL with a sentence. */
static sqlite3_stmt *prepare(struct store *store, const char *sql, struct err *err)
{
	sqlite3_stmt *statement = NULL, *more = NULL;
	const char *rest = "";
	const int result = sqlite3_prepare_v2(store->db, sql, -1, &statement, &rest);

	if (result == SQLITE_AUTH)
		err_usage(err, "the query may only read: one SELECT over the tables and views of "
			       "the store");
	else if (result != SQLITE_OK)
		err_usage(err, "the query: %s", sqlite3_errmsg(store->db));
	else if (!statement)
		err_usage(err, "the query is empty: a SELECT was expected");
	else if (!sqlite3_stmt_readonly(statement) || !sqlite3_column_count(statement))
		err_usage(err, "the query may only read: one SELECT was expected");
	else if (sqlite3_prepare_v2(store->db, rest, -1, &more, NULL) != SQLITE_OK || more)
		err_usage(err, "the query has more than one statement: one SELECT was expected");
	else
		return statement;
	sqlite3_finalize(more);
	sqlite3_finalize(statement);
	return NULL;
}

bool results_query(struct store *store, const char *sql, double seconds,
		   const struct results_reader *reader, struct err *err)
{
	struct query query = {.has_end = seconds > 0};

	clock_gettime(CLOCK_MONOTONIC, &query.until);
	query.until.tv_sec += (time_t)seconds;
	query.until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
	if (query.until.tv_nsec >= 1000000000) {
		query.until.tv_nsec -= 1000000000;
		query.until.tv_sec++;
	}
	const int before = sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, CELL_BYTES_MOST);
	sqlite3_set_authorizer(store->db, authorize, NULL);
	sqlite3_progress_handler(store->db, STEPS_BETWEEN_LOOKS, is_over, &query);
	sqlite3_stmt *statement = prepare(store, sql, err);
	const bool ok = statement && read_rows(store, statement, reader, err);
	sqlite3_finalize(statement);
	sqlite3_progress_handler(store->db, 0, NULL, NULL);
	sqlite3_set_authorizer(store->db, NULL, NULL);
	sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, before);
	return ok;
}

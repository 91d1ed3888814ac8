/*
 * database.h - the SQLite file under a store: how it is opened, what is refused, and rows of
 * queries. For this folder alone; everybody else has store.h and results.h.
 *
 * Whatever is open has the tables and views of schema.h and nothing else, which is why views may
 * be used: they are ours, text for text. A file of an earlier version that is only read gets what
 * it lacks in memory, so that all queries are those of the latest version.
 */
#ifndef STORE_DATABASE_H
#define STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

#define STORE_STATEMENTS 8

struct store {
	sqlite3 *db;
	int version; /* of the file */
	bool writes;
	uint8_t secret[STORE_SECRET_BYTES];
	sqlite3_stmt *statements[STORE_STATEMENTS]; /* of store.c; NULL: not prepared yet */
};

/* "the database: cannot WHAT: REASON" */
bool database_fail(const struct store *store, const char *what, struct err *err);
bool database_execute(struct store *store, const char *sql, const char *what, struct err *err);

/* Prepares the statements of store.c. */
bool database_prepare(struct store *store, struct err *err);

/* The rows of a query, one after the other. */
struct rows {
	struct store *store;
	sqlite3_stmt *statement; /* NULL: there are no more */
	bool is_good;
	struct err *err;
};

struct rows rows_of(struct store *store, const char *sql, struct err *err);
bool rows_next(struct rows *rows);
/* What is not read of them is dropped. */
void rows_end(struct rows *rows);
uint64_t rows_number(const struct rows *rows, int column);
const char *rows_text(const struct rows *rows, int column); /* NULL for null */

#endif

/*
 * schema.h - the tables of the database, and which of its rows are good.
 *
 * A version is made from the one before by what it adds; nothing that is there changes. The file
 * has exactly what its version has, text for text: views, triggers and tables of others, which
 * could do something when they are used, are not ours.
 */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define SCHEMA_VERSION 3

/* Conditions of SQL: whether the row of a table can have been written by a collector. `t` is the
 * table's name in the statement, with its dot. */
#define SCHEMA_WHOLE(column) "typeof(" column ")='integer' AND " column ">=0 AND "
#define SCHEMA_GOOD_NAME(t)   \
	SCHEMA_WHOLE(t "run") \
	SCHEMA_WHOLE(t "epoch") SCHEMA_WHOLE(t "counter") "typeof(" t "name)='text'"
#define SCHEMA_GOOD_INTERVAL(t)      \
	SCHEMA_WHOLE(t "run")        \
	SCHEMA_WHOLE(t "epoch")      \
	SCHEMA_WHOLE(t "number")     \
	SCHEMA_WHOLE(t "start")      \
	SCHEMA_WHOLE(t "cycles")     \
	SCHEMA_WHOLE(t "dispatched") \
	SCHEMA_WHOLE(t "counters")   \
	SCHEMA_WHOLE(t "is_last")    \
	SCHEMA_WHOLE(t "is_final")   \
	SCHEMA_WHOLE(t "is_partial") t "start<=9223372036854775807-" t "cycles"
#define SCHEMA_GOOD_COUNT(t)      \
	SCHEMA_WHOLE(t "run")     \
	SCHEMA_WHOLE(t "epoch")   \
	SCHEMA_WHOLE(t "number")  \
	SCHEMA_WHOLE(t "counter") \
	SCHEMA_WHOLE(t "value") SCHEMA_WHOLE(t "total") "typeof(" t "is_saturated)='integer'"

/* The version of the file: 0 if it is empty. False with a sentence if it is none of ours. */
bool schema_read(sqlite3 *db, const char *path, int *version, struct err *err);
/* Brings a file of `version` to SCHEMA_VERSION, in the transaction that is under way. */
bool schema_upgrade(sqlite3 *db, int version, struct err *err);
/* Beside a file of `version` that is only read: what it lacks, empty and in memory. */
bool schema_complete(sqlite3 *db, int version, struct err *err);

/* The number in the first column of the first row. False with a sentence. */
bool schema_number(sqlite3 *db, const char *sql, int64_t *value, struct err *err);

#endif

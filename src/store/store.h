/*
 * store.h - results in a SQLite file: what the collector of the statistics module has received.
 *
 * Rows are written in transactions; a process that is killed leaves all committed ones and nothing
 * of the one under way. Every row has a key, and writing it again changes nothing: a packet that
 * comes twice counts once. Only the collector writes; readers may read at the same time.
 *
 * A file of another program or of another version is refused.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct store;

/* Creates the file if it is not there and `is_new` allows it. NULL with a sentence. */
struct store *store_open(const char *path, bool is_new, struct err *err);
void store_close(struct store *store); /* NULL is allowed */

/* A transaction: all of it or nothing. False with a sentence, for example because the disk is full;
 * then nothing of it is there. */
bool store_begin(struct store *store, struct err *err);
bool store_commit(struct store *store, struct err *err);
void store_rollback(struct store *store);

/* The rows of a run, in a transaction. False with a sentence. */
bool store_put_name(struct store *store, uint64_t run, uint32_t epoch, uint32_t counter,
		    const char *name, struct err *err);
struct store_interval {
	uint64_t run, number, start, cycles, dispatched;
	uint32_t epoch, counters; /* that the epoch has */
	bool is_last_of_epoch, is_final, is_partial;
};
bool store_put_interval(struct store *store, const struct store_interval *interval,
			struct err *err);
bool store_put_count(struct store *store, const struct store_interval *interval, uint32_t counter,
		     uint64_t value, uint64_t total, bool is_saturated, struct err *err);
/* Adds to the number of packets that were dropped for this reason. */
bool store_add_dropped(struct store *store, const char *reason, uint64_t packets, struct err *err);

/* Calls `row` for each row of a query, whose `?1` and `?2` are these numbers; NULL and 0 are the
 * same in it. False with a sentence. */
struct store_row {
	const char *const *texts; /* NULL for null */
	const int64_t *numbers;
	int count;
};
bool store_query(struct store *store, const char *sql, uint64_t first, uint64_t second,
		 void (*row)(void *context, const struct store_row *row), void *context,
		 struct err *err);

#endif

/*
 * store.h - results in a SQLite file: what the collector of the statistics module has received.
 *
 * Rows are written in transactions; a process that is killed leaves all committed ones and nothing
 * of the one under way. Every row has a key, and writing it again changes nothing: a packet that
 * comes twice counts once. Only the collector writes; readers may read at the same time.
 *
 * The file may be anybody's. One whose tables are not those of schema.h, or that has views or
 * triggers, is refused, and so is one of a later version; one of version 1 is read as it is, and
 * gets the tables it lacks when a collector goes on with it. A row that cannot have been written
 * here, such as text in place of a number, is left out and counted, and costs no other row.
 * A symbolic link is followed only if it belongs to the user or to root; SQLite follows none in
 * place of the files beside the database.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define STORE_SECRET_BYTES 32
#define STORE_WAIT_MS	   20000 /* for others that write */

struct store;

/* For a collector if `writes`: creates the file if it is not there. Otherwise to be read alone,
 * also where nothing may be written. NULL with a sentence. */
struct store *store_open(const char *path, bool writes, struct err *err);
/* An empty one in memory, to be written to; store_bytes has it as a file. */
struct store *store_open_in_memory(struct err *err);
void store_close(struct store *store); /* NULL is allowed */
/* The bytes of the file that the store is, to be freed; of one in memory. NULL with a sentence. */
void *store_bytes(struct store *store, size_t *count, struct err *err);

/* Whether only the user and root can have written the file, or put another in its place: the owner
 * and permissions of it and of its directory, in which SQLite has files beside it. The second
 * asks this of the directory alone, before there is a file. False with a sentence. */
bool store_is_own(const char *path, struct err *err);
bool store_is_own_place(const char *path, struct err *err);

/* Random bytes that the file got when it was created, by which it is told from every other. */
const uint8_t *store_secret(const struct store *store);
/* What the file takes; beyond `most` bytes nothing can be written to it. */
bool store_size(struct store *store, uint64_t *bytes, struct err *err);
bool store_limit(struct store *store, uint64_t most, struct err *err);

/* A transaction: all of it or nothing. False with a sentence, for example because the disk is full;
 * then nothing of it is there. */
bool store_begin(struct store *store, struct err *err);
bool store_commit(struct store *store, struct err *err);
void store_rollback(struct store *store);

/* How many rows were written so far; what was there already is not written. */
uint64_t store_changes(const struct store *store);

/* All that follows is done in a transaction. False with a sentence. */

/* Whether the run is known, and to which sender it belongs: to `sender`, or to nobody yet. */
enum store_known { STORE_NEW_RUN, STORE_KNOWN_RUN, STORE_FOREIGN_RUN };
bool store_find_run(struct store *store, uint64_t run, const char *sender, enum store_known *known,
		    struct err *err);
/* A packet of the run has come from that sender, at that time in seconds since 1970. */
bool store_put_run(struct store *store, uint64_t run, const char *sender, uint64_t now,
		   struct err *err);
/* What is run where; what is there already stays. */
bool store_put_about(struct store *store, uint64_t run, const char *program, const char *machine,
		     struct err *err);
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
/* Whether the run has become whole and was not before: what is run where is there, and the final
 * interval with all its counters and all names. */
bool store_finish_run(struct store *store, uint64_t run, bool *is_newly_whole, struct err *err);

/* How far a run is known: by the final interval, or the last one received. It is complete with the
 * last interval of every epoch, which has the totals. Times are in seconds since 1970; 0 and NULL
 * stand for what is not known. */
struct store_run {
	uint64_t run, cycle, intervals, missing;
	bool is_complete, is_partial;
	uint64_t first_received, last_received;
	const char *sender, *program, *machine;
};
/* Each of these calls `each` for every row, in the order of runs, epochs, intervals and counters;
 * texts are valid during the call, names NULL if they were not received. They take time in
 * proportion to the rows. False with a sentence. */
bool store_each_run(struct store *store, void (*each)(void *context, const struct store_run *run),
		    void *context, struct err *err);
/* A counter over an epoch, or in one of its intervals, whose `start` and `cycles` it has. */
struct store_value {
	uint64_t run, epoch, start, cycles, value;
	bool is_saturated;
	const char *name;
};
bool store_each_total(struct store *store,
		      void (*each)(void *context, const struct store_value *total), void *context,
		      struct err *err);
bool store_each_value(struct store *store,
		      void (*each)(void *context, const struct store_value *value), void *context,
		      struct err *err);
/* Packets that were dropped, by reason. */
bool store_each_dropped(struct store *store,
			void (*each)(void *context, const char *reason, uint64_t packets),
			void *context, struct err *err);
/* How many rows were left out by the others. */
bool store_count_damaged(struct store *store, uint64_t *rows, struct err *err);

#endif

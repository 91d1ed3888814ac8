#include "store/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "store/database.h"
#include "store/schema.h"

#define NAME_BYTES "255" /* of a text that is shown */

enum statement {
	FIND_RUN,
	PUT_RUN,
	PUT_ABOUT,
	PUT_NAME,
	PUT_INTERVAL,
	PUT_COUNT,
	ADD_DROPPED,
	FINISH_RUN,
	STATEMENTS
};

static const char *const statement_texts[STATEMENTS] = {
	[FIND_RUN] = "SELECT sender FROM runs WHERE run = ?",
	[PUT_RUN] = "INSERT INTO runs(run, sender, first_received, last_received, is_whole) "
		    "VALUES(?1, ?2, ?3, ?3, 0) ON CONFLICT(run) DO UPDATE SET sender = "
		    "coalesce(sender, ?2), first_received = coalesce(first_received, ?3), "
		    "last_received = ?3 WHERE last_received IS NOT ?3 OR sender IS NULL",
	[PUT_ABOUT] =
		"UPDATE runs SET program = ?2, machine = ?3 WHERE run = ?1 AND program IS NULL",
	[PUT_NAME] = "INSERT OR IGNORE INTO names VALUES(?, ?, ?, ?)",
	[PUT_INTERVAL] = "INSERT OR IGNORE INTO intervals VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[PUT_COUNT] = "INSERT OR IGNORE INTO counts VALUES(?, ?, ?, ?, ?, ?, ?)",
	[ADD_DROPPED] = "INSERT INTO dropped VALUES(?, ?)"
			" ON CONFLICT(reason) DO UPDATE SET packets = packets + excluded.packets",
	[FINISH_RUN] =
		"UPDATE runs SET is_whole = 1 WHERE run = ?1 AND is_whole IS NOT 1 AND program IS NOT "
		"NULL AND EXISTS (SELECT 1 FROM intervals f WHERE f.run = ?1 AND f.is_final AND "
		"f.counters = (SELECT count(*) FROM counts c WHERE c.run = f.run AND c.epoch = f.epoch "
		"AND c.number = f.number) AND f.counters = (SELECT count(*) FROM names n WHERE n.run = "
		"f.run AND n.epoch = f.epoch))",
};

_Static_assert(STATEMENTS <= STORE_STATEMENTS, "a store has room for them");

bool database_prepare(struct store *store, struct err *err)
{
	for (int i = 0; i < STATEMENTS; i++)
		if (sqlite3_prepare_v2(store->db, statement_texts[i], -1, &store->statements[i],
				       NULL) != SQLITE_OK)
			return database_fail(store, "use its tables", err);
	return true;
}

static bool run_statement(struct store *store, enum statement which, struct err *err)
{
	sqlite3_stmt *statement = store->statements[which];
	bool ok = sqlite3_step(statement) == SQLITE_DONE || database_fail(store, "write", err);

	sqlite3_reset(statement);
	return ok;
}

static void bind(struct store *store, enum statement which, int place, uint64_t value)
{
	sqlite3_bind_int64(store->statements[which], place, (sqlite3_int64)value);
}

static void bind_text(struct store *store, enum statement which, int place, const char *text)
{
	sqlite3_bind_text(store->statements[which], place, text, -1, SQLITE_TRANSIENT);
}

bool store_find_run(struct store *store, uint64_t run, const char *sender, enum store_known *known,
		    struct err *err)
{
	sqlite3_stmt *statement = store->statements[FIND_RUN];

	bind(store, FIND_RUN, 1, run);
	int step = sqlite3_step(statement);
	*known = STORE_NEW_RUN;
	if (step == SQLITE_ROW) {
		const char *of = (const char *)sqlite3_column_text(statement, 0);

		*known = !of || strcmp(of, sender) == 0 ? STORE_KNOWN_RUN : STORE_FOREIGN_RUN;
	}
	bool ok = step == SQLITE_ROW || step == SQLITE_DONE || database_fail(store, "read it", err);
	sqlite3_reset(statement);
	return ok;
}

bool store_put_run(struct store *store, uint64_t run, const char *sender, uint64_t now,
		   struct err *err)
{
	bind(store, PUT_RUN, 1, run);
	bind_text(store, PUT_RUN, 2, sender);
	bind(store, PUT_RUN, 3, now);
	return run_statement(store, PUT_RUN, err);
}

bool store_put_about(struct store *store, uint64_t run, const char *program, const char *machine,
		     struct err *err)
{
	bind(store, PUT_ABOUT, 1, run);
	bind_text(store, PUT_ABOUT, 2, program);
	bind_text(store, PUT_ABOUT, 3, machine);
	return run_statement(store, PUT_ABOUT, err);
}

bool store_put_name(struct store *store, uint64_t run, uint32_t epoch, uint32_t counter,
		    const char *name, struct err *err)
{
	bind(store, PUT_NAME, 1, run);
	bind(store, PUT_NAME, 2, epoch);
	bind(store, PUT_NAME, 3, counter);
	bind_text(store, PUT_NAME, 4, name);
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
	bind_text(store, ADD_DROPPED, 1, reason);
	bind(store, ADD_DROPPED, 2, packets);
	return run_statement(store, ADD_DROPPED, err);
}

bool store_finish_run(struct store *store, uint64_t run, bool *is_newly_whole, struct err *err)
{
	bind(store, FINISH_RUN, 1, run);
	bool ok = run_statement(store, FINISH_RUN, err);
	*is_newly_whole = ok && sqlite3_changes(store->db) > 0;
	return ok;
}

/* A run whose intervals are read one after the other. */
struct reading {
	struct store_run run;
	char *texts[3];
	uint64_t final_cycle, last_cycle;
	uint64_t epoch, next_number; /* of the epoch; what is missing before it has been counted */
	bool has_final, has_whole_final, has_last, lacks_last;
};

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

enum { OF_SENDER = 11, OF_PROGRAM, OF_MACHINE, OF_FIRST, OF_LAST };

/* Of what is not text nothing is known. */
static char *copy_text(const struct rows *rows, int column)
{
	return sqlite3_column_type(rows->statement, column) == SQLITE_TEXT
		       ? mem_strdup(rows_text(rows, column))
		       : NULL;
}

static uint64_t time_of(const struct rows *rows, int column)
{
	int64_t seconds = sqlite3_column_int64(rows->statement, column);

	return seconds > 0 ? (uint64_t)seconds : 0;
}

static void begin_run(struct reading *r, const struct rows *rows)
{
	*r = (struct reading){.run = {.run = rows_number(rows, 0),
				      .first_received = time_of(rows, OF_FIRST),
				      .last_received = time_of(rows, OF_LAST)},
			      .epoch = UINT64_MAX};
	for (int i = 0; i < 3; i++)
		r->texts[i] = copy_text(rows, OF_SENDER + i);
	r->run.sender = r->texts[0];
	r->run.program = r->texts[1];
	r->run.machine = r->texts[2];
}

/* Numbers of an epoch's intervals begin at 0, so that what is missing up to the last one received
 * can be counted. */
static void add_interval(struct reading *r, const struct rows *rows)
{
	const uint64_t epoch = rows_number(rows, 1), of_epoch = rows_number(rows, 2);
	const bool is_final = rows_number(rows, 8);

	if (epoch != r->epoch) {
		r->lacks_last |= r->run.intervals && !r->has_last;
		r->has_last = false;
		r->epoch = epoch;
		r->next_number = 0;
	}
	r->run.missing = add_saturated(r->run.missing, of_epoch - r->next_number);
	r->next_number = of_epoch + 1;
	r->run.intervals++;
	r->has_last |= rows_number(rows, 7);
	r->run.is_partial |= rows_number(rows, 9);
	r->has_final |= is_final;
	r->has_whole_final |= is_final && rows_number(rows, 6) == rows_number(rows, 10);
	uint64_t cycle =
		is_final ? rows_number(rows, 3) + rows_number(rows, 4) : rows_number(rows, 5);
	uint64_t *latest = is_final ? &r->final_cycle : &r->last_cycle;
	*latest = cycle > *latest ? cycle : *latest;
}

static void end_run(struct reading *r, void (*each)(void *context, const struct store_run *run),
		    void *context)
{
	if (!r->run.intervals)
		return;
	r->run.cycle = r->has_final ? r->final_cycle : r->last_cycle;
	r->run.is_complete = r->has_whole_final && r->has_last && !r->lacks_last;
	each(context, &r->run);
	for (int i = 0; i < 3; i++)
		free(r->texts[i]);
}

#define INTERVALS                                                                                   \
	"SELECT i.run, i.epoch, i.number, i.start, i.cycles, i.dispatched, i.counters, i.is_last, " \
	"i.is_final, i.is_partial, CASE WHEN i.is_final THEN (SELECT count(*) FROM counts c WHERE " \
	"c.run = i.run AND c.epoch = i.epoch AND c.number = i.number) END, "
#define IN_ORDER " WHERE " SCHEMA_GOOD_INTERVAL("i.") " ORDER BY i.run, i.epoch, i.number"

bool store_each_run(struct store *store, void (*each)(void *context, const struct store_run *run),
		    void *context, struct err *err)
{
	static const char before[] =
		INTERVALS "NULL, NULL, NULL, NULL, NULL FROM intervals i" IN_ORDER;
	static const char now[] = INTERVALS
		"substr(r.sender, 1, " NAME_BYTES "), substr(r.program, 1, " NAME_BYTES
		"), substr(r.machine, 1, " NAME_BYTES "), r.first_received, r.last_received "
		"FROM intervals i LEFT JOIN runs r ON r.run = i.run" IN_ORDER;
	struct rows rows = rows_of(store, store->version < 2 ? before : now, err);
	struct reading reading = {.run = {0}};

	while (rows_next(&rows)) {
		if (!reading.run.intervals || rows_number(&rows, 0) != reading.run.run) {
			end_run(&reading, each, context);
			begin_run(&reading, &rows);
		}
		add_interval(&reading, &rows);
	}
	end_run(&reading, each, context);
	return rows.is_good;
}

#define NAME_OF(t)                                                                             \
	" LEFT JOIN names n ON n.run = " t ".run AND n.epoch = " t ".epoch AND n.counter = " t \
	".counter AND " SCHEMA_GOOD_NAME("n.")

bool store_each_total(struct store *store,
		      void (*each)(void *context, const struct store_value *total), void *context,
		      struct err *err)
{
	struct rows rows = rows_of(
		store,
		"SELECT t.run, t.epoch, substr(n.name, 1, " NAME_BYTES "), t.total, t.is_saturated "
		"FROM (SELECT c.run, c.epoch, c.counter, max(c.total) AS total, max(c.is_saturated) "
		"AS is_saturated FROM counts c WHERE " SCHEMA_GOOD_COUNT(
			"c.") " GROUP BY c.run, c.epoch, c.counter) t" NAME_OF("t") " ORDER BY t.run, t.epoch, t.counter",
		err);

	while (rows_next(&rows))
		each(context, &(struct store_value){.run = rows_number(&rows, 0),
						    .epoch = rows_number(&rows, 1),
						    .name = rows_text(&rows, 2),
						    .value = rows_number(&rows, 3),
						    .is_saturated = rows_number(&rows, 4)});
	return rows.is_good;
}

bool store_each_value(struct store *store,
		      void (*each)(void *context, const struct store_value *value), void *context,
		      struct err *err)
{
	struct rows rows = rows_of(
		store,
		"SELECT c.run, c.epoch, i.start, i.cycles, substr(n.name, 1, " NAME_BYTES
		"), c.value "
		"FROM counts c CROSS JOIN intervals i ON i.run = c.run AND i.epoch = c.epoch AND "
		"i.number = c.number" NAME_OF("c") " WHERE " SCHEMA_GOOD_COUNT(
			"c.") " AND " SCHEMA_GOOD_INTERVAL("i.") " ORDER BY c.run, c.epoch, c.number, c.counter",
		err);

	while (rows_next(&rows))
		each(context, &(struct store_value){.run = rows_number(&rows, 0),
						    .epoch = rows_number(&rows, 1),
						    .start = rows_number(&rows, 2),
						    .cycles = rows_number(&rows, 3),
						    .name = rows_text(&rows, 4),
						    .value = rows_number(&rows, 5)});
	return rows.is_good;
}

bool store_each_dropped(struct store *store,
			void (*each)(void *context, const char *reason, uint64_t packets),
			void *context, struct err *err)
{
	struct rows rows =
		rows_of(store,
			"SELECT substr(reason, 1, " NAME_BYTES "), packets FROM dropped WHERE "
			"typeof(reason)='text' AND " SCHEMA_WHOLE("packets") "1 ORDER BY reason",
			err);

	while (rows_next(&rows))
		each(context, rows_text(&rows, 0), rows_number(&rows, 1));
	return rows.is_good;
}

bool store_count_damaged(struct store *store, uint64_t *rows, struct err *err)
{
	int64_t count;

	if (!schema_number(
		    store->db,
		    "SELECT (SELECT count(*) FROM names WHERE NOT (" SCHEMA_GOOD_NAME("") ")) + (SELECT count(*) FROM intervals WHERE NOT (" SCHEMA_GOOD_INTERVAL(
			    "") ")) + (SELECT count(*) FROM counts WHERE NOT (" SCHEMA_GOOD_COUNT("") ")) + (SELECT count(*) FROM dropped WHERE NOT (" SCHEMA_WHOLE("packets") "typeof(reason)='text'))",
		    &count, err))
		return false;
	*rows = (uint64_t)count;
	return true;
}

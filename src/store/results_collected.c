/* What collect has received of one run as a result: its counters epoch by epoch, and what each
 * counted in each interval. Intervals that were lost are not there; what was lost of one that is
 * there, one packet of several, is null. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store/database.h"
#include "store/results.h"
#include "store/schema.h"
#include "value/layout.h"
#include "value/printable_json.h"

/* A run while its rows are read. */
struct collecting {
	struct store *store;
	int64_t run;
	json_t *result;
	struct err *err;
};

static struct rows rows_of_run(const struct collecting *c, const char *sql)
{
	struct rows rows = rows_of(c->store, sql, c->err);

	if (rows.statement)
		sqlite3_bind_int64(rows.statement, 1, c->run);
	return rows;
}

/* Sums of damaged rows may be anything: a result has no number beyond what its layout allows. */
static json_t *count(uint64_t number)
{
	return json_integer((json_int_t)(number < LAYOUT_MOST ? number : LAYOUT_MOST));
}

static void about_run(void *context, const struct store_run *run)
{
	struct collecting *c = context;
	char name[32];

	if ((int64_t)run->run != c->run)
		return;
	snprintf(name, sizeof(name), "%016" PRIx64, run->run);
	c->result = json_pack(
		"{s:s, s:s, s:{s:o, s:s}, s:{s:o, s:s}, s:b, s:b, s:o, s:o, s:o}", "schema",
		layout_collected.schema, "run", name, "program", "name",
		printable_json(run->program ? run->program : ""), "sha256", "", "configuration",
		"name", printable_json(run->machine ? run->machine : ""), "sha256", "", "complete",
		run->is_complete, "partial", run->is_partial, "cycles", count(run->cycle),
		"missing", count(run->missing), "intervals", json_array());
}

static bool add_intervals(struct collecting *c)
{
	json_t *intervals = json_object_get(c->result, "intervals");
	struct rows rows = rows_of_run(
		c, "SELECT i.epoch, i.number, i.start, i.cycles FROM intervals i WHERE i.run = ? "
		   "AND " SCHEMA_GOOD_INTERVAL("i.") " ORDER BY i.epoch, i.number");

	while (rows_next(&rows))
		json_array_append_new(intervals, json_pack("{s:o, s:o, s:o, s:o}", "epoch",
							   count(rows_number(&rows, 0)), "number",
							   count(rows_number(&rows, 1)), "start",
							   count(rows_number(&rows, 2)), "cycles",
							   count(rows_number(&rows, 3))));
	return rows.is_good;
}

/* "signal@where" as it was sent. */
static json_t *begin_counter(const char *name, uint64_t epoch)
{
	const char *at = name ? strchr(name, '@') : NULL;
	char signal[256];

	snprintf(signal, sizeof(signal), "%.*s", name ? (int)(at ? at - name : 255) : 0,
		 name ? name : "");
	return json_pack("{s:o, s:o, s:o, s:i, s:b, s:o}", "signal", printable_json(signal),
			 "where", printable_json(at ? at + 1 : ""), "epoch", count(epoch), "total",
			 0, "saturated", 0, "intervals", json_array());
}

/* One list for each counter; the intervals of an epoch are walked once for each of its counters. */
static bool add_counters(struct collecting *c)
{
	json_t *counters = json_array(), *counter = NULL;
	uint64_t epoch = 0, number = 0;
	json_int_t total = 0;
	struct rows rows = rows_of_run(
		c,
		"SELECT k.epoch, k.counter, substr(n.name, 1, 255), v.value, v.total, "
		"v.is_saturated FROM (SELECT DISTINCT run, epoch, counter FROM counts WHERE run = "
		"?1) k CROSS JOIN intervals i ON i.run = k.run AND i.epoch = k.epoch LEFT JOIN "
		"counts v ON v.run = i.run AND v.epoch = i.epoch AND v.number = i.number AND "
		"v.counter = k.counter AND " SCHEMA_GOOD_COUNT(
			"v.") " LEFT JOIN names n ON n.run = k.run AND n.epoch = k.epoch AND "
			      "n.counter = k.counter AND " SCHEMA_GOOD_NAME(
				      "n.") " WHERE typeof(k.epoch)='integer' AND "
					    "typeof(k.counter)='integer' AND " SCHEMA_GOOD_INTERVAL(
						    "i.") " ORDER BY k.epoch, k.counter, i.number");

	json_object_set_new(c->result, "counters", counters);
	while (rows_next(&rows)) {
		if (!counter || rows_number(&rows, 0) != epoch || rows_number(&rows, 1) != number) {
			epoch = rows_number(&rows, 0);
			number = rows_number(&rows, 1);
			counter = begin_counter(rows_text(&rows, 2), epoch);
			json_array_append_new(counters, counter);
			total = 0;
		}
		const bool is_there = sqlite3_column_type(rows.statement, 3) != SQLITE_NULL;
		json_t *sofar = count(rows_number(&rows, 4));
		json_array_append_new(json_object_get(counter, "intervals"),
				      is_there ? count(rows_number(&rows, 3)) : json_null());
		if (is_there && json_integer_value(sofar) >= total) {
			total = json_integer_value(sofar);
			json_object_set(counter, "total", sofar);
		}
		json_decref(sofar);
		if (rows_number(&rows, 5))
			json_object_set_new(counter, "saturated", json_true());
	}
	return rows.is_good;
}

json_t *results_collected(struct store *store, uint64_t run, struct err *err)
{
	struct collecting c = {.store = store, .run = (int64_t)run, .err = err};

	if (!store_each_run(store, about_run, &c, err))
		return NULL;
	if (!c.result) {
		err_usage(err, "there is no run %016" PRIx64, run);
		return NULL;
	}
	if (add_intervals(&c) && add_counters(&c))
		return c.result;
	json_decref(c.result);
	return NULL;
}

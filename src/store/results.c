#include "store/results.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "store/content.h"
#include "store/database.h"
#include "value/result_text.h"

#define RUN_NAME "run:"

bool result_name_read(struct result_name *name, const char *text)
{
	char *end;

	*name = (struct result_name){0};
	if (strncmp(text, RUN_NAME, strlen(RUN_NAME)) == 0) {
		text += strlen(RUN_NAME);
		name->run = strtoull(text, &end, 16);
		return isxdigit((unsigned char)*text) && !*end && strlen(text) <= 16;
	}
	name->id = strtoll(text, &end, 10);
	return isdigit((unsigned char)*text) && !*end && name->id > 0 && name->id < INT64_MAX;
}

static const char *text_or_empty(const struct rows *rows, int column)
{
	const char *text = rows_text(rows, column);

	return text ? text : "";
}

char *results_get(struct store *store, int64_t id, size_t *count, struct err *err)
{
	struct rows rows = rows_of(store,
				   "SELECT r.bytes, r.sha256, c.encoding, c.content FROM results r "
				   "JOIN contents c ON c.result = r.id WHERE r.id = ?",
				   err);
	char *text = NULL;

	if (rows.statement)
		sqlite3_bind_int64(rows.statement, 1, id);
	if (!rows_next(&rows)) {
		if (rows.is_good)
			err_set(err, "there is no result %lld", (long long)id);
		return NULL;
	}
	const uint64_t bytes = rows_number(&rows, 0);
	/* In this order: reading the bytes decides how many there are. */
	const void *content = sqlite3_column_blob(rows.statement, 3);
	const size_t packed = (size_t)sqlite3_column_bytes(rows.statement, 3);
	if (bytes > RESULT_BYTES_MOST)
		err_set(err, "it is damaged: it says that it has %" PRIu64 " bytes", bytes);
	else
		text = content_unpack(content ? content : "", packed, text_or_empty(&rows, 2),
				      (size_t)bytes, text_or_empty(&rows, 1), err);
	rows_end(&rows);
	*count = (size_t)bytes;
	if (!text)
		err_prefix(err, "result %lld", (long long)id);
	return text;
}

char *results_text(struct store *store, const struct result_name *name, size_t *count,
		   struct err *err)
{
	if (name->id)
		return results_get(store, name->id, count, err);
	json_t *result = results_collected(store, name->run, err);
	if (!result)
		return NULL;
	char *text = result_text(result, count);
	json_decref(result);
	if (!text)
		err_set(err, "the result cannot be written as JSON");
	return text;
}

bool results_find(struct store *store, const char *key, int64_t *id, struct err *err)
{
	struct rows rows = rows_of(
		store,
		"SELECT k.result FROM keys k JOIN results r ON r.id = k.result WHERE k.key = ?",
		err);

	*id = 0;
	if (rows.statement)
		sqlite3_bind_text(rows.statement, 1, key, -1, SQLITE_STATIC);
	while (rows_next(&rows))
		*id = (int64_t)rows_number(&rows, 0);
	return rows.is_good;
}

bool results_refresh(struct store *store, struct err *err)
{
	if (store->writes)
		return true;
	store_rollback(store);
	return database_execute(store, "BEGIN", "read it", err);
}

/* A condition of a list and what is bound to it. */
struct condition {
	const char *sql; /* with one ? */
	const char *text;
	int64_t number;
};

#define CONDITIONS_MOST 16

struct conditions {
	struct condition rows[CONDITIONS_MOST];
	size_t count;
};

/* For GLOB, of which only * and ? are offered. To be freed. */
static char *pattern(const char *text)
{
	char *made = mem_alloc(3 * strlen(text) + 1), *out = made;

	for (; *text; text++)
		out += sprintf(out, *text == '[' ? "[%c]" : "%c", *text);
	return made;
}

static void add_text(struct conditions *conditions, const char *sql, const char *text)
{
	if (text)
		conditions->rows[conditions->count++] = (struct condition){sql, text, 0};
}

static void add_number(struct conditions *conditions, const char *sql, uint64_t number)
{
	if (number)
		conditions->rows[conditions->count++] = (struct condition){
			sql, NULL, number < INT64_MAX ? (int64_t)number : INT64_MAX};
}

#define WITH_PROGRAM                                                                    \
	"r.id IN (SELECT s.result FROM programs p JOIN subjects s ON s.program = p.id " \
	"WHERE p."
#define WITH_MACHINE                                                                    \
	"r.id IN (SELECT s.result FROM machines m JOIN subjects s ON s.machine = m.id " \
	"WHERE m."
#define WITH_TAG "(SELECT t.result FROM tags t WHERE t.tag GLOB ?)"

static struct conditions conditions_of(const struct results_filter *filter)
{
	struct conditions c = {.count = 0};

	add_text(&c, "r.command GLOB ?", filter->command);
	add_text(&c, "r.schema GLOB ?", filter->schema);
	add_text(&c, WITH_PROGRAM "name GLOB ?)", filter->program);
	add_text(&c, WITH_PROGRAM "arguments GLOB ?)", filter->arguments);
	add_text(&c, WITH_MACHINE "name GLOB ?)", filter->machine);
	add_text(&c, "r.id IN " WITH_TAG, filter->tag);
	add_text(&c, "r.id NOT IN " WITH_TAG, filter->not_tag);
	add_text(&c, "r.version GLOB ?", filter->version);
	add_number(&c, "r.received >= ?", filter->since);
	add_number(&c, "r.received < ?", filter->before);
	add_number(&c, "r.id > ?", (uint64_t)filter->above);
	add_number(&c, "r.id < ?", (uint64_t)filter->below);
	return c;
}

static void bind(const struct rows *rows, const struct conditions *conditions)
{
	for (size_t i = 0; rows->statement && i < conditions->count; i++) {
		const struct condition *c = &conditions->rows[i];

		if (c->text) {
			char *glob = pattern(c->text);

			sqlite3_bind_text(rows->statement, (int)i + 1, glob, -1, SQLITE_TRANSIENT);
			free(glob);
		} else {
			sqlite3_bind_int64(rows->statement, (int)i + 1, c->number);
		}
	}
}

#define EACH_NAME(column, table, id)                                       \
	"(SELECT group_concat(name, ', ') FROM (SELECT DISTINCT x." column \
	" AS name FROM subjects s JOIN " table " x ON x.id = s." id " WHERE s.result = r.id))"

static char *list_sql(const struct results_filter *filter, const struct conditions *conditions,
		      bool is_backwards)
{
	char *sql;
	size_t bytes;
	FILE *out = mem_stream_open(&sql, &bytes);

	fputs("SELECT r.id, r.command, r.schema, " EACH_NAME("name", "programs", "program") ", " EACH_NAME(
		      "arguments", "programs",
		      "program") ", " EACH_NAME("name", "machines",
						"machine") ", (SELECT m.changes FROM subjects s JOIN machines m ON m.id = "
							   "s.machine WHERE s.result = r.id AND s.subject = 0), r.version, "
							   "(SELECT group_concat(tag, ' ') FROM (SELECT tag FROM tags t "
							   "WHERE t.result = r.id ORDER BY tag)), r.sha256, r.received, "
							   "r.bytes, r.is_partial, r.is_step FROM results r",
	      out);
	const char *between = " WHERE ";
	if (!filter->with_steps) {
		fputs(" WHERE NOT r.is_step", out);
		between = " AND ";
	}
	for (size_t i = 0; i < conditions->count; i++, between = " AND ")
		fprintf(out, "%s%s", between, conditions->rows[i].sql);
	fprintf(out, " ORDER BY r.id%s LIMIT %lld", is_backwards ? " DESC" : "",
		filter->most ? (long long)filter->most : -1LL);
	mem_stream_close(out);
	return sql;
}

static bool matches(const char *pattern_text, const char *text)
{
	if (!pattern_text)
		return true;
	char *glob = pattern(pattern_text);
	const bool does = sqlite3_strglob(glob, text) == 0;
	free(glob);
	return does;
}

/* Runs that collect has received, as rows of the same list. */
struct collected_list {
	const struct results_filter *filter;
	void (*each)(void *context, const struct result_row *row);
	void *context;
};

static void collected_row(void *context, const struct store_run *run)
{
	const struct collected_list *list = context;
	const struct results_filter *filter = list->filter;
	char name[32];
	const struct result_row row = {
		.name = name,
		.command = "collect",
		.schema = "cyclestack-collected-1",
		.program = run->program ? run->program : "",
		.arguments = "",
		.machine = run->machine ? run->machine : "",
		.changes = "",
		.version = "",
		.tags = "",
		.sha256 = "",
		.received = run->last_received,
		.is_partial = run->is_partial || !run->is_complete,
	};

	snprintf(name, sizeof(name), RUN_NAME "%016" PRIx64, run->run);
	if (matches(filter->command, row.command) && matches(filter->schema, row.schema) &&
	    matches(filter->program, row.program) && matches(filter->arguments, "") &&
	    matches(filter->machine, row.machine) && !filter->tag && !filter->version &&
	    row.received >= filter->since && (!filter->before || row.received < filter->before))
		list->each(list->context, &row);
}

bool results_each(struct store *store, const struct results_filter *filter, bool is_backwards,
		  void (*each)(void *context, const struct result_row *row), void *context,
		  struct err *err)
{
	const struct conditions conditions = conditions_of(filter);
	struct collected_list list = {filter, each, context};
	char *sql = list_sql(filter, &conditions, is_backwards), name[32];
	struct rows rows = rows_of(store, sql, err);

	free(sql);
	bind(&rows, &conditions);
	while (rows_next(&rows)) {
		const struct result_row row = {
			.name = name,
			.id = (int64_t)rows_number(&rows, 0),
			.command = text_or_empty(&rows, 1),
			.schema = text_or_empty(&rows, 2),
			.program = text_or_empty(&rows, 3),
			.arguments = text_or_empty(&rows, 4),
			.machine = text_or_empty(&rows, 5),
			.changes = text_or_empty(&rows, 6),
			.version = text_or_empty(&rows, 7),
			.tags = text_or_empty(&rows, 8),
			.sha256 = text_or_empty(&rows, 9),
			.received = rows_number(&rows, 10),
			.bytes = rows_number(&rows, 11),
			.is_partial = rows_number(&rows, 12),
			.is_step = rows_number(&rows, 13),
		};

		snprintf(name, sizeof(name), "%" PRId64, row.id);
		each(context, &row);
	}
	return rows.is_good &&
	       (!filter->with_collected || store_each_run(store, collected_row, &list, err));
}

bool results_each_value(struct store *store, int64_t id,
			void (*each)(void *context, const struct result_value *value),
			void *context, struct err *err)
{
	struct rows rows = rows_of(
		store,
		"SELECT p.name, p.arguments, m.name, n.path, a.of, n.name, a.value, n.unit, "
		"n.meaning FROM amounts a JOIN members n ON n.id = a.member JOIN subjects s ON "
		"s.result = a.result AND s.subject = a.subject LEFT JOIN programs p ON p.id = "
		"s.program LEFT JOIN machines m ON m.id = s.machine WHERE a.result = ? AND a.value "
		"IS NOT NULL ORDER BY a.place",
		err);

	if (rows.statement)
		sqlite3_bind_int64(rows.statement, 1, id);
	while (rows_next(&rows)) {
		const struct result_value value = {
			.program = text_or_empty(&rows, 0),
			.arguments = text_or_empty(&rows, 1),
			.machine = text_or_empty(&rows, 2),
			.member = text_or_empty(&rows, 3),
			.of = text_or_empty(&rows, 4),
			.name = text_or_empty(&rows, 5),
			.value = sqlite3_column_double(rows.statement, 6),
			.unit = text_or_empty(&rows, 7),
			.meaning = text_or_empty(&rows, 8),
		};

		each(context, &value);
	}
	return rows.is_good;
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "store/content.h"
#include "store/database.h"
#include "store/results.h"
#include "store/rows.h"
#include "value/member.h"
#include "value/result_text.h"

/* Statements that are used for row after row of one result. */
enum row_statement {
	FIND_PROGRAM,
	ADD_PROGRAM,
	FIND_MACHINE,
	ADD_MACHINE,
	ADD_PARAMETER,
	ADD_SUBJECT,
	FIND_MEMBER,
	ADD_MEMBER,
	ADD_AMOUNT,
	ROW_STATEMENTS
};

static const char *const row_texts[ROW_STATEMENTS] = {
	[FIND_PROGRAM] = "SELECT id FROM programs WHERE name = ?1 AND arguments = ?2 AND "
			 "sha256 IS ?3",
	[ADD_PROGRAM] = "INSERT INTO programs(name, arguments, sha256) VALUES(?1, ?2, ?3)",
	[FIND_MACHINE] = "SELECT id FROM machines WHERE digest = ?4",
	[ADD_MACHINE] =
		"INSERT INTO machines(name, changes, sha256, digest) VALUES(?1, ?2, ?3, ?4)",
	[ADD_PARAMETER] = "INSERT OR REPLACE INTO parameters(machine, name, value) VALUES(?, ?, ?)",
	[ADD_SUBJECT] =
		"INSERT INTO subjects(result, subject, program, machine) VALUES(?, ?, ?, ?)",
	[FIND_MEMBER] = "SELECT id FROM members WHERE path = ?1 AND name = ?2 AND unit = ?3 AND "
			"meaning = ?4",
	[ADD_MEMBER] = "INSERT INTO members(path, name, unit, meaning) VALUES(?1, ?2, ?3, ?4)",
	[ADD_AMOUNT] = "INSERT INTO amounts(result, place, subject, member, of, value, text) "
		       "VALUES(?, ?, ?, ?, ?, ?, ?)",
};

/* A result whose rows are written. */
struct adding {
	struct store *store;
	int64_t id;
	size_t subjects;
	int64_t place;
	bool has_numbers; /* steps of a longer command are only found by what they are about */
	sqlite3_stmt *statements[ROW_STATEMENTS];
	struct err *err;
};

/* Takes one step; *found is the number that it gives, if any. */
static bool step(struct adding *a, enum row_statement which, int64_t *found)
{
	sqlite3_stmt *statement = a->statements[which];
	const int result = sqlite3_step(statement);

	if (found)
		*found = result == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	const bool ok = result == SQLITE_ROW || result == SQLITE_DONE ||
			database_fail(a->store, "write", a->err);
	sqlite3_reset(statement);
	return ok;
}

static void bind_texts(struct adding *a, enum row_statement which, const char *const *texts,
		       int count)
{
	for (int i = 0; i < count; i++)
		sqlite3_bind_text(a->statements[which], i + 1, texts[i], -1, SQLITE_TRANSIENT);
}

/* The number of a row that is found by texts, or made of them. */
static bool intern(struct adding *a, enum row_statement find, enum row_statement add,
		   const char *const *texts, int count, bool *is_new, int64_t *id)
{
	bind_texts(a, find, texts, count);
	*is_new = false;
	if (!step(a, find, id))
		return false;
	if (*id)
		return true;
	bind_texts(a, add, texts, count);
	if (!step(a, add, NULL))
		return false;
	*is_new = true;
	*id = sqlite3_last_insert_rowid(a->store->db);
	return true;
}

/* Texts of a list with blanks between them, to be freed. */
static char *joined(const json_t *list)
{
	char *text;
	size_t bytes, i;
	const json_t *item;
	FILE *out = mem_stream_open(&text, &bytes);

	json_array_foreach(list, i, item)
	{
		fprintf(out, "%s%s", i ? " " : "",
			json_is_string(item) ? json_string_value(item) : "");
	}
	mem_stream_close(out);
	return text;
}

static bool find_program(struct adding *a, const struct rows_subject *subject, int64_t *id)
{
	bool is_new;

	*id = 0;
	if (!subject->program)
		return true;
	char *arguments = joined(subject->arguments);
	const char *const texts[] = {subject->program, arguments, subject->program_sha256};
	const bool ok = intern(a, FIND_PROGRAM, ADD_PROGRAM, texts, 3, &is_new, id);
	free(arguments);
	return ok;
}

static void bind_value(sqlite3_stmt *statement, int place, const json_t *value)
{
	if (json_is_real(value))
		sqlite3_bind_double(statement, place, json_real_value(value));
	else if (json_is_string(value))
		sqlite3_bind_text(statement, place, json_string_value(value), -1, SQLITE_TRANSIENT);
	else
		sqlite3_bind_int64(statement, place,
				   json_is_integer(value) ? json_integer_value(value)
							  : json_is_true(value));
}

static bool add_parameters(struct adding *a, int64_t machine, const json_t *parameters)
{
	sqlite3_stmt *statement = a->statements[ADD_PARAMETER];
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)parameters, key, value)
	{
		sqlite3_bind_int64(statement, 1, machine);
		sqlite3_bind_text(statement, 2, key, -1, SQLITE_TRANSIENT);
		bind_value(statement, 3, value);
		if (!step(a, ADD_PARAMETER, NULL))
			return false;
	}
	return true;
}

/* A machine is known by all that is said of it, not by the hash that a result claims. */
static bool find_machine(struct adding *a, const struct rows_subject *subject, int64_t *id)
{
	const json_t *configuration = subject->configuration;
	char digest[CONTENT_HASH_BYTES];
	bool is_new;

	*id = 0;
	if (!configuration)
		return true;
	json_t *all = json_pack("{s:O, s:O*}", "configuration", configuration, "parameters",
				subject->parameters);
	char *text = all ? json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	json_decref(all);
	if (!text)
		return err_set(a->err, "the result's machine cannot be written as JSON");
	content_hash(digest, text, strlen(text));
	free(text);
	char *changes = joined(json_object_get(configuration, "changes"));
	const char *const texts[] = {member_text(configuration, "name"), changes,
				     member_text(configuration, "sha256"), digest};
	const bool ok = intern(a, FIND_MACHINE, ADD_MACHINE, texts, 4, &is_new, id) &&
			(!is_new || add_parameters(a, *id, subject->parameters));
	free(changes);
	return ok;
}

static bool add_subject(void *context, const struct rows_subject *subject)
{
	struct adding *a = context;
	sqlite3_stmt *statement = a->statements[ADD_SUBJECT];
	int64_t ids[2];

	if (!find_program(a, subject, &ids[0]) || !find_machine(a, subject, &ids[1]))
		return false;
	sqlite3_bind_int64(statement, 1, a->id);
	sqlite3_bind_int64(statement, 2, (int64_t)a->subjects++);
	for (int i = 0; i < 2; i++)
		if (ids[i])
			sqlite3_bind_int64(statement, 3 + i, ids[i]);
		else
			sqlite3_bind_null(statement, 3 + i);
	return step(a, ADD_SUBJECT, NULL);
}

static bool add_number(void *context, size_t subject, const struct rows_number *number)
{
	struct adding *a = context;
	sqlite3_stmt *statement = a->statements[ADD_AMOUNT];
	const bool is_text = json_is_string(number->value);
	const char *const texts[] = {number->member, number->name, number->unit, number->meaning};
	int64_t member;
	bool is_new;

	if (!a->has_numbers)
		return true;
	if (!intern(a, FIND_MEMBER, ADD_MEMBER, texts, 4, &is_new, &member))
		return false;
	sqlite3_bind_int64(statement, 1, a->id);
	sqlite3_bind_int64(statement, 2, a->place++);
	sqlite3_bind_int64(statement, 3, (int64_t)subject);
	sqlite3_bind_int64(statement, 4, member);
	sqlite3_bind_text(statement, 5, number->of, -1, SQLITE_TRANSIENT);
	sqlite3_bind_null(statement, 6 + !is_text);
	bind_value(statement, 6 + is_text, number->value);
	return step(a, ADD_AMOUNT, NULL);
}

static bool add_rows(struct store *store, int64_t id, const json_t *result, bool has_numbers,
		     struct err *err)
{
	struct adding a = {.store = store, .id = id, .has_numbers = has_numbers, .err = err};
	const struct rows_sink sink = {add_subject, add_number, &a};
	const struct layout *layout = layout_of(result, NULL);
	bool ok = true;

	for (int i = 0; ok && i < ROW_STATEMENTS; i++)
		ok = sqlite3_prepare_v2(store->db, row_texts[i], -1, &a.statements[i], NULL) ==
			     SQLITE_OK ||
		     database_fail(store, "use its tables", err);
	if (ok && layout)
		ok = rows_walk(result, layout, &sink);
	for (int i = 0; i < ROW_STATEMENTS; i++)
		sqlite3_finalize(a.statements[i]);
	return ok;
}

/* A result and its bytes as they are written. */
struct packed {
	const json_t *result;
	const char *bytes;
	size_t count;
	char hash[CONTENT_HASH_BYTES];
	void *content;
	size_t content_bytes;
	const char *encoding;
};

/* "advise" of "cyclestack-advise-1", for schemas that this version does not know. */
static void command_of(char command[64], const json_t *result)
{
	static const char beginning[] = "cyclestack-";
	const struct layout *layout = layout_of(result, NULL);
	const char *schema = member_text(result, "schema");

	if (strncmp(schema, beginning, strlen(beginning)) == 0)
		schema += strlen(beginning);
	snprintf(command, 64, "%s", layout ? layout->name : schema);
	if (!layout) {
		char *number = strrchr(command, '-');

		if (number)
			*number = '\0';
	}
}

/* One statement with values bound to it by a format: s text or NULL, i int64_t, b bytes and their
 * number. */
static bool run(struct store *store, struct err *err, const char *sql, const char *format, ...)
{
	sqlite3_stmt *statement = NULL;
	va_list list;
	int place = 1;

	bool ok = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) == SQLITE_OK;
	va_start(list, format);
	for (; ok && *format; format++, place++) {
		if (*format == 's') {
			sqlite3_bind_text(statement, place, va_arg(list, const char *), -1,
					  SQLITE_TRANSIENT);
		} else if (*format == 'i') {
			sqlite3_bind_int64(statement, place, va_arg(list, int64_t));
		} else {
			const void *bytes = va_arg(list, const void *);

			sqlite3_bind_blob64(statement, place, bytes, va_arg(list, size_t),
					    SQLITE_STATIC);
		}
	}
	va_end(list);
	if (ok) {
		const int result = sqlite3_step(statement);

		ok = result == SQLITE_DONE || result == SQLITE_ROW;
	}
	ok = ok || database_fail(store, "write", err);
	sqlite3_finalize(statement);
	return ok;
}

static bool add_new(struct store *store, const struct packed *packed,
		    const struct result_receipt *receipt, int64_t now, int64_t *id, struct err *err)
{
	char command[64];

	command_of(command, packed->result);
	if (!run(store, err,
		 "INSERT INTO results(command, schema, version, received, is_step, is_partial, "
		 "bytes, sha256) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
		 "sssiiiis", command, member_text(packed->result, "schema"), receipt->version, now,
		 (int64_t)receipt->is_step,
		 (int64_t)json_is_true(json_object_get(packed->result, "partial")),
		 (int64_t)packed->count, packed->hash))
		return false;
	*id = sqlite3_last_insert_rowid(store->db);
	return run(store, err, "INSERT INTO contents(result, encoding, content) VALUES(?, ?, ?)",
		   "isb", *id, packed->encoding, packed->content, packed->content_bytes) &&
	       add_rows(store, *id, packed->result, !receipt->is_step, err);
}

/* What is there already becomes a result of its own if it was a step. */
static bool add_again(struct store *store, int64_t id, bool was_step, const struct packed *packed,
		      const struct result_receipt *receipt, int64_t now, struct err *err)
{
	if (!run(store, err, "UPDATE results SET received = ?2 WHERE id = ?1", "ii", id, now))
		return false;
	if (!was_step || receipt->is_step)
		return true;
	return run(store, err, "UPDATE results SET is_step = 0 WHERE id = ?", "i", id) &&
	       run(store, err, "DELETE FROM subjects WHERE result = ?", "i", id) &&
	       add_rows(store, id, packed->result, true, err);
}

static bool find_hash(struct store *store, const char *hash, int64_t *id, bool *is_step,
		      struct err *err)
{
	struct rows rows = rows_of(store,
				   "SELECT id, is_step FROM results WHERE sha256 = ? ORDER BY id "
				   "LIMIT 1",
				   err);

	*id = 0;
	if (rows.statement)
		sqlite3_bind_text(rows.statement, 1, hash, -1, SQLITE_STATIC);
	while (rows_next(&rows)) {
		*id = (int64_t)rows_number(&rows, 0);
		*is_step = rows_number(&rows, 1);
	}
	return rows.is_good;
}

static bool add_all(struct store *store, const struct packed *packed,
		    const struct result_receipt *receipt, int64_t *id, struct err *err)
{
	const int64_t now = receipt->received ? (int64_t)receipt->received : (int64_t)time(NULL);
	bool was_step = false;

	if (!find_hash(store, packed->hash, id, &was_step, err))
		return false;
	bool ok = *id ? add_again(store, *id, was_step, packed, receipt, now, err)
		      : add_new(store, packed, receipt, now, id, err);
	if (ok && receipt->key)
		ok = run(store, err, "INSERT OR REPLACE INTO keys(key, result) VALUES(?, ?)", "si",
			 receipt->key, *id);
	for (size_t i = 0; ok && i < receipt->tag_count; i++)
		ok = results_is_tag(receipt->tags[i])
			     ? run(store, err,
				   "INSERT OR IGNORE INTO tags(result, tag) VALUES(?, ?)", "is",
				   *id, receipt->tags[i])
			     : err_usage(err, "\"%s\" cannot be a tag", receipt->tags[i]);
	return ok;
}

/* What is known of results is checked: rows are made of it. */
static bool check(const json_t *result, size_t count, struct err *err)
{
	const struct layout *layout;
	const char *schema = json_string_value(json_object_get(result, "schema"));

	if (!schema)
		return err_set(err, "it is no result: \"schema\" is missing");
	if (count > RESULT_BYTES_MOST)
		return err_set(err, "a result of %zu bytes is too long to be stored", count);
	layout = layout_of(result, NULL);
	return !layout || layout_check(result, layout, err);
}

bool results_add(struct store *store, const json_t *result, const char *bytes, size_t count,
		 const struct result_receipt *receipt, int64_t *id, struct err *err)
{
	struct packed packed = {.result = result, .bytes = bytes, .count = count};
	char *made = NULL;

	if (!bytes) {
		packed.bytes = made = result_text(result, &packed.count);
		if (!made)
			return err_set(err, "the result cannot be written as JSON");
	}
	bool ok = check(result, packed.count, err);
	/* What takes time is done while nobody waits. */
	if (ok) {
		content_hash(packed.hash, packed.bytes, packed.count);
		packed.content = content_pack(packed.bytes, packed.count, &packed.content_bytes,
					      &packed.encoding);
		ok = store_begin(store, err);
	}
	if (ok) {
		ok = add_all(store, &packed, receipt, id, err);
		if (ok)
			ok = store_commit(store, err);
		else
			store_rollback(store);
	}
	free(packed.content);
	free(made);
	return ok;
}

void *results_alone(const json_t *result, const struct result_receipt *receipt, size_t *count,
		    struct err *err)
{
	struct store *store = store_open_in_memory(err);
	void *bytes = NULL;
	int64_t id;

	if (store && results_add(store, result, NULL, 0, receipt, &id, err))
		bytes = store_bytes(store, count, err);
	store_close(store);
	return bytes;
}

bool results_is_tag(const char *tag)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "-_.:+/";
	const size_t length = strlen(tag);

	return length > 0 && length <= 64 && strspn(tag, good) == length;
}

/* Whether there is a result of that number; in a transaction. */
static bool must_be_there(struct store *store, int64_t id, struct err *err)
{
	struct rows rows = rows_of(store, "SELECT 1 FROM results WHERE id = ?", err);
	bool is_there = false;

	if (rows.statement)
		sqlite3_bind_int64(rows.statement, 1, id);
	while (rows_next(&rows))
		is_there = true;
	return rows.is_good &&
	       (is_there || err_usage(err, "there is no result %lld", (long long)id));
}

static bool end(struct store *store, bool ok, struct err *err)
{
	if (ok)
		return store_commit(store, err);
	store_rollback(store);
	return false;
}

bool results_tag(struct store *store, int64_t id, const char *tag, struct err *err)
{
	if (!results_is_tag(tag))
		return err_usage(err,
				 "\"%s\" cannot be a tag: letters, digits and -_.:+/ can, and at "
				 "most 64",
				 tag);
	if (!store_begin(store, err))
		return false;
	return end(store,
		   must_be_there(store, id, err) &&
			   run(store, err, "INSERT OR IGNORE INTO tags(result, tag) VALUES(?, ?)",
			       "is", id, tag),
		   err);
}

bool results_untag(struct store *store, int64_t id, const char *tag, struct err *err)
{
	if (!store_begin(store, err))
		return false;
	return end(store,
		   must_be_there(store, id, err) &&
			   run(store, err, "DELETE FROM tags WHERE result = ? AND tag = ?", "is",
			       id, tag),
		   err);
}

bool results_remove(struct store *store, const int64_t *ids, size_t count, struct err *err)
{
	static const char *const rows[] = {
		"DELETE FROM amounts WHERE result = ?",	 "DELETE FROM subjects WHERE result = ?",
		"DELETE FROM tags WHERE result = ?",	 "DELETE FROM keys WHERE result = ?",
		"DELETE FROM contents WHERE result = ?", "DELETE FROM results WHERE id = ?",
	};
	static const char *const unused[] = {
		"DELETE FROM members WHERE NOT EXISTS (SELECT 1 FROM amounts WHERE member = "
		"members.id)",
		"DELETE FROM programs WHERE NOT EXISTS (SELECT 1 FROM subjects WHERE program = "
		"programs.id)",
		"DELETE FROM machines WHERE NOT EXISTS (SELECT 1 FROM subjects WHERE machine = "
		"machines.id)",
		"DELETE FROM parameters WHERE NOT EXISTS (SELECT 1 FROM machines WHERE id = "
		"parameters.machine)",
	};

	if (!store_begin(store, err))
		return false;
	bool ok = true;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; ok && k < ARRAY_COUNT(rows); k++)
			ok = run(store, err, rows[k], "i", ids[i]);
	for (size_t k = 0; ok && k < ARRAY_COUNT(unused); k++)
		ok = run(store, err, unused[k], "");
	return end(store, ok, err);
}

bool results_compact(struct store *store, struct err *err)
{
	return database_execute(store, "VACUUM", "make it smaller", err) &&
	       database_execute(store, "PRAGMA wal_checkpoint(TRUNCATE)", "make it smaller", err);
}

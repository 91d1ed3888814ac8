#include "store/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define APPLICATION 1129534544 /* "CSTP" */

enum part_kind { TABLE, INDEX, VIEW, BY_SQLITE };

/* What SQLite keeps of each statement is its text: no character of it may change. What is IN_SCHEMA
 * is the name and what follows it; "CREATE TABLE " and the like come before. */
struct part {
	int since;
	enum part_kind kind;
	const char *sql;
};

static const char *const beginnings[] = {
	[TABLE] = "CREATE TABLE ",
	[INDEX] = "CREATE INDEX ",
	[VIEW] = "CREATE VIEW ",
	[BY_SQLITE] = "CREATE TABLE ",
};

/* A case: what a part of a result is about. Steps of longer commands are no results of their own.
 */
#define OF_CASE                                                                                 \
	"r.command AS command, p.name AS program, p.arguments AS arguments, m.name AS machine," \
	" m.changes AS changes"
#define FROM_CASES                                                          \
	" FROM results r JOIN subjects s ON s.result = r.id"                \
	" LEFT JOIN programs p ON p.id = s.program LEFT JOIN machines m ON" \
	" m.id = s.machine WHERE NOT r.is_step"

static const struct part parts[] = {
	{1, TABLE,
	 "names(run INTEGER, epoch INTEGER, counter INTEGER, name TEXT,"
	 " PRIMARY KEY(run, epoch, counter)) WITHOUT ROWID"},
	{1, TABLE,
	 "intervals(run INTEGER, epoch INTEGER, number INTEGER, start INTEGER,"
	 " cycles INTEGER, dispatched INTEGER, counters INTEGER, is_last INTEGER, is_final "
	 "INTEGER, is_partial INTEGER, PRIMARY KEY(run, epoch, number)) WITHOUT ROWID"},
	{1, TABLE,
	 "counts(run INTEGER, epoch INTEGER, number INTEGER, counter INTEGER,"
	 " value INTEGER, total INTEGER, is_saturated INTEGER,"
	 " PRIMARY KEY(run, epoch, number, counter)) WITHOUT ROWID"},
	{1, TABLE, "dropped(reason TEXT PRIMARY KEY, packets INTEGER) WITHOUT ROWID"},
	{2, TABLE,
	 "runs(run INTEGER PRIMARY KEY, sender TEXT, program TEXT, machine TEXT,"
	 " first_received INTEGER, last_received INTEGER, is_whole INTEGER)"},
	{2, TABLE, "secret(bytes BLOB)"},
	{2, INDEX, "finals ON intervals(run) WHERE is_final"},
	{3, BY_SQLITE, "sqlite_sequence(name,seq)"},
	{3, TABLE,
	 "results(id INTEGER PRIMARY KEY AUTOINCREMENT, command TEXT, schema TEXT, version TEXT,"
	 " received INTEGER, is_step INTEGER, is_partial INTEGER, bytes INTEGER, sha256 TEXT)"},
	{3, INDEX, "results_by_sha256 ON results(sha256)"},
	{3, TABLE, "contents(result INTEGER PRIMARY KEY, encoding TEXT, content BLOB)"},
	{3, TABLE, "keys(key TEXT PRIMARY KEY, result INTEGER) WITHOUT ROWID"},
	{3, INDEX, "keys_by_result ON keys(result)"},
	{3, TABLE, "tags(result INTEGER, tag TEXT, PRIMARY KEY(result, tag)) WITHOUT ROWID"},
	{3, INDEX, "tags_by_tag ON tags(tag)"},
	{3, TABLE, "programs(id INTEGER PRIMARY KEY, name TEXT, arguments TEXT, sha256 TEXT)"},
	{3, INDEX, "programs_by_name ON programs(name, arguments, sha256)"},
	{3, TABLE,
	 "machines(id INTEGER PRIMARY KEY, name TEXT, changes TEXT, sha256 TEXT, digest TEXT)"},
	{3, INDEX, "machines_by_digest ON machines(digest)"},
	{3, INDEX, "machines_by_name ON machines(name)"},
	{3, TABLE,
	 "parameters(machine INTEGER, name TEXT, value, PRIMARY KEY(machine, name)) "
	 "WITHOUT ROWID"},
	{3, TABLE,
	 "subjects(result INTEGER, subject INTEGER, program INTEGER, machine INTEGER,"
	 " PRIMARY KEY(result, subject)) WITHOUT ROWID"},
	{3, INDEX, "subjects_by_program ON subjects(program)"},
	{3, INDEX, "subjects_by_machine ON subjects(machine)"},
	{3, TABLE,
	 "members(id INTEGER PRIMARY KEY, path TEXT, name TEXT, unit TEXT, meaning TEXT)"},
	{3, INDEX, "members_by_path ON members(path, name, unit, meaning)"},
	{3, INDEX, "members_by_name ON members(name)"},
	{3, TABLE,
	 "amounts(result INTEGER, place INTEGER, subject INTEGER, member INTEGER, of TEXT,"
	 " value, text TEXT, PRIMARY KEY(result, place)) WITHOUT ROWID"},
	{3, INDEX, "amounts_by_member ON amounts(member, result, subject)"},

	{3, VIEW,
	 "cases AS SELECT r.id AS result, s.subject AS subject, " OF_CASE
	 ", p.sha256 AS program_sha256, m.sha256 AS machine_sha256, r.schema AS schema,"
	 " r.version AS version, datetime(r.received, 'unixepoch') AS received,"
	 " r.is_partial AS is_partial" FROM_CASES},
	{3, VIEW,
	 "measured AS SELECT r.id AS result, " OF_CASE ", n.path AS member, a.of AS of,"
	 " n.name AS name, a.value AS value, a.text AS text, n.unit AS unit, n.meaning AS meaning,"
	 " s.subject AS subject FROM members n JOIN amounts a ON a.member = n.id"
	 " JOIN results r ON r.id = a.result JOIN subjects s ON s.result = a.result AND"
	 " s.subject = a.subject LEFT JOIN programs p ON p.id = s.program"
	 " LEFT JOIN machines m ON m.id = s.machine WHERE NOT r.is_step"},
	{3, VIEW,
	 "mpki AS SELECT r.id AS result, " OF_CASE
	 ", CASE WHEN n.name LIKE '%.misses' THEN substr(n.name, 1, length(n.name) - 7)"
	 " ELSE substr(n.name, 1, length(n.name) - 13) END AS structure, a.value AS misses,"
	 " i.value AS instructions, 1000.0 * a.value / i.value AS mpki"
	 " FROM members n CROSS JOIN amounts a ON a.member = n.id"
	 " CROSS JOIN members k ON k.path = n.path AND k.name = 'instructions'"
	 " CROSS JOIN amounts i INDEXED BY amounts_by_member ON i.member = k.id AND i.result = a.result AND"
	 " i.subject = a.subject JOIN results r ON r.id = a.result JOIN subjects s ON"
	 " s.result = a.result AND s.subject = a.subject LEFT JOIN programs p ON"
	 " p.id = s.program LEFT JOIN machines m ON m.id = s.machine WHERE NOT r.is_step"
	 " AND (n.path = 'values' OR n.path = 'runs.values')"
	 " AND (n.name LIKE '%.misses' OR n.name LIKE '%.mispredicted')"},
	{3, VIEW,
	 "errors AS SELECT v.result AS result, v.program AS program, v.arguments AS arguments,"
	 " v.machine AS machine, v.changes AS changes, v.of AS method, v.value AS error,"
	 " (SELECT f.value FROM members n JOIN amounts f ON f.member = n.id WHERE"
	 " n.path = 'programs.methods.folded' AND n.name = 'max_error' AND f.result = v.result AND"
	 " f.subject = v.subject AND f.of = v.of) AS folded_error,"
	 " (SELECT w.text FROM members n JOIN amounts w ON w.member = n.id WHERE"
	 " n.path = 'programs.methods' AND n.name = 'worst' AND w.result = v.result AND"
	 " w.subject = v.subject AND w.of = v.of) AS worst"
	 " FROM measured v WHERE v.member = 'programs.methods' AND v.name = 'max_error'"},
	{3, VIEW,
	 "stacks AS SELECT v.result AS result, v.command AS command, v.program AS program,"
	 " v.arguments AS arguments, v.machine AS machine, v.changes AS changes,"
	 " CASE v.member WHEN 'runs.components' THEN 'exact' WHEN 'programs.truth.a' THEN"
	 " 'truth a' WHEN 'programs.truth.b' THEN 'truth b' ELSE v.of END AS method,"
	 " v.name AS component, v.value AS cycles FROM measured v WHERE v.member IN"
	 " ('stacks.components', 'runs.components', 'programs.methods.components',"
	 " 'programs.truth.a', 'programs.truth.b')"},
	{3, VIEW,
	 "settings AS SELECT r.id AS result, " OF_CASE ", q.name AS parameter, q.value AS value"
	 " FROM results r JOIN subjects s ON s.result = r.id JOIN machines m ON m.id = s.machine"
	 " JOIN parameters q ON q.machine = m.id LEFT JOIN programs p ON p.id = s.program"
	 " WHERE NOT r.is_step"},
	{3, VIEW,
	 "collected AS SELECT printf('run:%016x', c.run) AS run, r.program AS program,"
	 " r.machine AS machine, c.epoch AS epoch, n.name AS counter, max(c.total) AS total,"
	 " max(c.is_saturated) AS is_saturated, datetime(r.first_received, 'unixepoch') AS"
	 " received, r.is_whole AS is_whole FROM counts c LEFT JOIN runs r ON r.run = c.run"
	 " LEFT JOIN names n ON n.run = c.run AND n.epoch = c.epoch AND n.counter = c.counter"
	 " GROUP BY c.run, c.epoch, c.counter"},
};

static bool fail(sqlite3 *db, const char *what, struct err *err)
{
	return err_set(err, "the database: cannot %s: %s", what, sqlite3_errmsg(db));
}

bool schema_number(sqlite3 *db, const char *sql, int64_t *value, struct err *err)
{
	sqlite3_stmt *statement = NULL;
	int step = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

	if (step == SQLITE_OK)
		step = sqlite3_step(statement);
	*value = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	bool ok = step == SQLITE_ROW || step == SQLITE_DONE || fail(db, "read it", err);
	sqlite3_finalize(statement);
	return ok;
}

static bool is_ours(const char *sql, int version)
{
	for (size_t i = 0; sql && i < ARRAY_COUNT(parts); i++) {
		const char *beginning = beginnings[parts[i].kind];
		const size_t length = strlen(beginning);

		if (parts[i].since <= version && strncmp(sql, beginning, length) == 0 &&
		    strcmp(sql + length, parts[i].sql) == 0)
			return true;
	}
	return false;
}

/* Every statement is one of ours, and there are as many: names differ, so each is there once. */
static bool has_parts(sqlite3 *db, int version, bool *has, struct err *err)
{
	sqlite3_stmt *statement = NULL;
	size_t count = 0, wanted = 0;
	int step = sqlite3_prepare_v2(db, "SELECT sql FROM sqlite_schema", -1, &statement, NULL);

	*has = true;
	while (step == SQLITE_OK || step == SQLITE_ROW) {
		step = sqlite3_step(statement);
		if (step != SQLITE_ROW)
			break;
		*has &= is_ours((const char *)sqlite3_column_text(statement, 0), version);
		count++;
	}
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		wanted += parts[i].since <= version;
	*has &= count == wanted;
	bool ok = step == SQLITE_DONE || fail(db, "read it", err);
	sqlite3_finalize(statement);
	return ok;
}

bool schema_read(sqlite3 *db, const char *path, int *version, struct err *err)
{
	int64_t application, number, tables;
	bool has;

	if (!schema_number(db, "PRAGMA application_id", &application, err) ||
	    !schema_number(db, "PRAGMA user_version", &number, err) ||
	    !schema_number(db, "SELECT count(*) FROM sqlite_schema", &tables, err))
		return false;
	*version = 0;
	if (!application && !tables)
		return true;
	if (application != APPLICATION)
		return err_set(err, "%s is not a store that cyclestack wrote", path);
	if (number < 1 || number > SCHEMA_VERSION)
		return err_set(err, "%s is of version %lld; this program reads versions 1 to %d",
			       path, (long long)number, SCHEMA_VERSION);
	*version = (int)number;
	return has_parts(db, *version, &has, err) &&
	       (has || err_set(err,
			       "%s has tables, views or triggers that cyclestack does not "
			       "write, or lacks some: it is not used",
			       path));
}

static bool execute(sqlite3 *db, const char *sql, struct err *err)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ||
	       fail(db, "create tables", err);
}

/* `temporary`: in memory, beside a file that is not written. */
static bool create(sqlite3 *db, const struct part *part, bool temporary, struct err *err)
{
	const char *beginning = beginnings[part->kind];
	char *sql;

	/* An index in memory is of a table in memory: all those of this version are. */
	if (part->kind == BY_SQLITE ||
	    (temporary && part->kind == INDEX && part->since < SCHEMA_VERSION))
		return true;
	if (!temporary)
		sql = mem_format("%s%s", beginning, part->sql);
	else if (part->kind == INDEX)
		sql = mem_format("%stemp.%s", beginning, part->sql);
	else
		sql = mem_format("CREATE TEMP %s%s", beginning + strlen("CREATE "), part->sql);
	const bool ok = execute(db, sql, err);

	free(sql);
	return ok;
}

bool schema_complete(sqlite3 *db, int version, struct err *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < ARRAY_COUNT(parts); i++)
		if (parts[i].since > version)
			ok = create(db, &parts[i], true, err);
	return ok;
}

bool schema_upgrade(sqlite3 *db, int version, struct err *err)
{
	char numbers[96];

	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		if (parts[i].since > version && !create(db, &parts[i], false, err))
			return false;
	snprintf(numbers, sizeof(numbers), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		 APPLICATION, SCHEMA_VERSION);
	/* Of earlier runs it is not known who sent them and when. */
	return (version >= 2 ||
		(execute(db, "INSERT INTO secret VALUES(randomblob(32))", err) &&
		 execute(db,
			 "INSERT OR IGNORE INTO runs(run) SELECT DISTINCT run FROM intervals "
			 "WHERE typeof(run)='integer'",
			 err))) &&
	       execute(db, numbers, err);
}

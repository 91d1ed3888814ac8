/* Simulations that are kept in a store: what is put is found again, what is damaged or another's is
 * said to be and not taken, what is old is removed, and which store is used. */
#include "../directory.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <time.h>

#include "base/array.h"
#include "experiment/shelf.h"

static char said[2048];

static void warn(void *unused, const char *sentence)
{
	(void)unused;
	snprintf(said, sizeof(said), "%s", sentence);
}

/* As the shelf of a command is opened. */
static bool open_shelf(struct shelf *shelf, const char *path, struct err *err)
{
	const bool ok = shelf_open(shelf, path, err);

	shelf->warn = warn;
	said[0] = 0;
	return ok;
}

/* Results that are any object, of points that are told apart by one number. */
static const char *not_owned; /* why results are not the point's; NULL: they are */

static json_t *read_any(const struct point *point, const char *bytes, size_t count, struct err *err)
{
	json_t *result = json_loadb(bytes, count, 0, NULL);

	(void)point;
	if (!result)
		err_set(err, "it is not JSON");
	return result;
}

/* The tool's hash is the first half of a key. */
static bool key_of(const struct point *point, const char *tool, char text[JOB_KEY_BYTES])
{
	snprintf(text, JOB_KEY_BYTES, "%.32s%032llx", tool,
		 (unsigned long long)point->max_instructions);
	return !point->output;
}

static bool owns(const struct point *point, const json_t *result, struct err *err)
{
	(void)point;
	(void)result;
	return !not_owned || err_set(err, "%s", not_owned);
}

static const struct point_kind kind = {.read = read_any, .key = key_of, .owns = owns},
			       nameless = {.read = read_any};
static const struct point point = {.kind = &kind, .max_instructions = 5};

static void put(struct shelf *shelf, const struct point *of, const char *words)
{
	json_t *result = json_pack("{s:s, s:s}", "schema", "cyclestack-other-1", "words", words);

	shelf_put(shelf, of, result);
	json_decref(result);
}

static bool is_found(struct shelf *shelf, const struct point *wanted, const char *words)
{
	json_t *result = shelf_find(shelf, wanted);
	const char *found = json_string_value(json_object_get(result, "words"));
	const bool ok = found && strcmp(found, words) == 0;

	json_decref(result);
	return ok;
}

static void change(const char *path, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static int count_one(void *count, int columns, char **values, char **names)
{
	(void)columns;
	(void)names;
	*(int *)count = atoi(values[0]);
	return 0;
}

static int entries(const char *path)
{
	sqlite3 *db;
	int count = -1;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "SELECT count(*) FROM results WHERE is_step", count_one,
				      &count, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
	return count;
}

IN_DIRECTORY(results_are_found_as_they_were_put)
{
	const struct point unnamed[] = {{.kind = &nameless, .max_instructions = 5},
					{.kind = &kind, .max_instructions = 5, .output = 1}};
	const struct point other = {.kind = &kind, .max_instructions = 6};
	struct shelf shelf;
	struct err err;

	assert_true(open_shelf(&shelf, "kept.db", &err));
	assert_true(shelf.is_lasting);
	assert_int_equal(strlen(shelf.tool), 64);
	assert_null(shelf_find(&shelf, &point));
	assert_string_equal(said, "");
	put(&shelf, &point, "a result");
	assert_int_equal(shelf.count, 1);
	assert_true(is_found(&shelf, &point, "a result"));
	assert_int_equal(shelf.count, 2);
	/* Not for another, and not for what has no key. */
	assert_null(shelf_find(&shelf, &other));
	for (size_t i = 0; i < ARRAY_COUNT(unnamed); i++) {
		assert_null(shelf_find(&shelf, &unnamed[i]));
		put(&shelf, &unnamed[i], "1");
	}
	assert_int_equal(shelf.count, 2);
	/* What is refused is told. */
	not_owned = "a reason";
	assert_null(shelf_find(&shelf, &point));
	not_owned = NULL;
	assert_string_equal(
		said, "the kept simulation 1 of kept.db is ignored: a reason; it is made anew");
	shelf_close(&shelf, true);
	assert_null(shelf.path);
	assert_int_equal(entries("kept.db"), 1); /* it lasts */
	/* With the bytes of another tool it is another's. */
	assert_true(open_shelf(&shelf, "kept.db", &err));
	assert_true(is_found(&shelf, &point, "a result"));
	shelf.tool[0] ^= 1;
	assert_null(shelf_find(&shelf, &point));
	shelf_close(&shelf, false);
	/* No shelf. */
	assert_null(shelf_find(NULL, &point));
	put(NULL, &point, "1");
	assert_null(shelf_find(&shelf, &point));
}

IN_DIRECTORY(damaged_results_are_told)
{
	static const char *const damage[][2] = {
		{"UPDATE contents SET content = substr(content, 1, length(content) - 1)",
		 "it is damaged: its bytes are not those that were written"},
		{"UPDATE contents SET content = x'00'",
		 "it is damaged: its bytes are not those that were written"},
		{"UPDATE contents SET content = NULL",
		 "it is damaged: its bytes are not those that were written"},
		{"UPDATE contents SET encoding = 'other'",
		 "it is damaged: its bytes are not those that were written"},
		{"UPDATE results SET sha256 = 'x'",
		 "it is damaged: its bytes are not those that were written"},
		{"UPDATE results SET bytes = bytes - 1",
		 "it is damaged: its bytes are not those that were written"},
		{"UPDATE results SET bytes = 1 << 40",
		 "it is damaged: it says that it has 1099511627776 bytes"},
		{"UPDATE results SET bytes = -1",
		 "it is damaged: it says that it has 18446744073709551615 bytes"},
		{"DELETE FROM contents", "there is no result 1"},
	};
	struct shelf shelf;
	struct err err;
	char wanted[512];

	for (size_t i = 0; i < ARRAY_COUNT(damage); i++) {
		unlink("kept.db");
		assert_true(open_shelf(&shelf, "kept.db", &err));
		put(&shelf, &point, "a result");
		change("kept.db", damage[i][0]);
		assert_null(shelf_find(&shelf, &point));
		snprintf(wanted, sizeof(wanted),
			 "the kept simulation 1 of kept.db is ignored: %s%s; it is made anew",
			 i + 1 < ARRAY_COUNT(damage) ? "result 1: " : "", damage[i][1]);
		assert_string_equal(said, wanted);
		shelf_close(&shelf, false);
	}
	/* A key of what is no longer there names nothing. */
	unlink("kept.db");
	assert_true(open_shelf(&shelf, "kept.db", &err));
	put(&shelf, &point, "a result");
	change("kept.db", "DELETE FROM results");
	assert_null(shelf_find(&shelf, &point));
	assert_string_equal(said, "");
	/* A file that is no store is told once. */
	unlink("kept.db");
	write_file("kept.db", "no store, but long enough to be looked at as one");
	assert_int_equal(chmod("kept.db", 0600), 0);
	assert_null(shelf_find(&shelf, &point));
	assert_non_null(strstr(said, "file is not a database"));
	said[0] = 0;
	assert_null(shelf_find(&shelf, &point));
	assert_string_equal(said, "");
	put(&shelf, &point, "a result");
	assert_non_null(strstr(said, "file is not a database"));
	shelf_close(&shelf, false);
}

/* Everything about the result is right but who can have written it. */
IN_DIRECTORY(stores_that_others_could_change_are_not_taken)
{
	static const mode_t open_modes[] = {0620, 0602, 0666};
	struct shelf shelf;
	struct err err;
	char here[512], path[1024];

	assert_int_equal(mkdir("kept", 0700), 0);
	assert_true(open_shelf(&shelf, "kept/db", &err));
	put(&shelf, &point, "a result");
	for (size_t i = 0; i < ARRAY_COUNT(open_modes); i++) {
		assert_int_equal(chmod("kept/db", open_modes[i]), 0);
		shelf.is_told = false;
		said[0] = 0;
		assert_null(shelf_find(&shelf, &point));
		assert_string_equal(said, "another user owns kept/db or can write to it (chmod "
					  "go-w kept/db)");
	}
	assert_int_equal(chmod("kept/db", 0644), 0);
	assert_true(is_found(&shelf, &point, "a result"));
	if (geteuid() == 0) {
		assert_int_equal(chown("kept/db", 1, 0), 0);
		assert_null(shelf_find(&shelf, &point));
		assert_int_equal(chown("kept/db", 0, 0), 0);
	}
	/* A link leads to where somebody else may have files beside it. */
	assert_int_equal(rename("kept/db", "kept/other"), 0);
	assert_int_equal(symlink("other", "kept/db"), 0);
	assert_null(shelf_find(&shelf, &point));
	assert_int_equal(rename("kept/other", "kept/db"), 0);
	shelf_close(&shelf, false);
	/* The same for the directory, in which SQLite has its journal; also a sticky one. */
	for (size_t i = 0; i <= ARRAY_COUNT(open_modes); i++) {
		assert_int_equal(
			chmod("kept", i < ARRAY_COUNT(open_modes) ? open_modes[i] | 0111 : 01777),
			0);
		assert_false(open_shelf(&shelf, "kept/db", &err));
		assert_string_equal(err.text,
				    "cannot keep simulations in kept/db: another user owns the "
				    "directory kept or can write to it (chmod go-w kept)");
		shelf_close(&shelf, false);
	}
	assert_int_equal(chmod("kept", 0755), 0);
	assert_true(open_shelf(&shelf, "kept/db", &err));
	assert_true(is_found(&shelf, &point, "a result"));
	shelf_close(&shelf, false);
	/* The usual directory is then not used, and nothing is said. */
	assert_non_null(getcwd(here, sizeof(here)));
	setenv("XDG_CACHE_HOME", here, 1);
	assert_int_equal(mkdir("cyclestack", 0700), 0);
	assert_int_equal(chmod("cyclestack", 0777), 0);
	assert_true(open_shelf(&shelf, NULL, &err));
	assert_null(shelf.path);
	shelf_close(&shelf, false);
	/* Places that cannot be. */
	write_file("file", "");
	assert_false(open_shelf(&shelf, "file/db", &err));
	assert_string_equal(err.text, "cannot keep simulations in file/db: file: Not a directory");
	shelf_close(&shelf, true);
	snprintf(path, sizeof(path), "%s/file", here);
	setenv("XDG_CACHE_HOME", path, 1);
	assert_true(open_shelf(&shelf, NULL, &err));
	assert_null(shelf.path);
	put(&shelf, &point, "1");
	assert_int_equal(shelf.count, 0);
	shelf_close(&shelf, true);
}

static void make_aged(const char *path, int days)
{
	struct timespec times[2] = {{0}, {0}};

	write_file(path, "");
	times[0].tv_sec = times[1].tv_sec = time(NULL) - (time_t)days * 86400 - 100;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"

IN_DIRECTORY(old_results_are_removed)
{
	static const struct {
		const char *name;
		int days;
		bool is_gone;
	} files[] = {
		{HASH "0.kept", 30, true},   {HASH "1.kept", 29, false},
		{HASH "g.kept", 400, false}, {HASH "3.kepd", 400, false},
		{HASH ".kept", 400, false},  {"other", 400, false},
	};
	struct err err;
	struct shelf shelf;
	char here[512], path[1024];

	assert_non_null(getcwd(here, sizeof(here)));
	setenv("XDG_CACHE_HOME", here, 1);
	for (int is_usual = 0; is_usual < 2; is_usual++) {
		const char *name = is_usual ? "cyclestack/kept.db" : "kept.db";

		assert_true(open_shelf(&shelf, is_usual ? NULL : name, &err));
		put(&shelf, &point, "a result");
		shelf_close(&shelf, false);
		assert_int_equal(entries(name), 1);
		change(name, "UPDATE results SET received = received - 29 * 86400");
		assert_true(open_shelf(&shelf, is_usual ? NULL : name, &err));
		shelf_close(&shelf, false);
		assert_int_equal(entries(name), 1);
		change(name, "UPDATE results SET received = received - 2 * 86400");
		assert_true(open_shelf(&shelf, is_usual ? NULL : name, &err));
		shelf_close(&shelf, false);
		assert_int_equal(entries(name), !is_usual);
	}
	/* Files that an earlier version kept there. */
	for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
		snprintf(path, sizeof(path), "cyclestack/%s", files[i].name);
		make_aged(path, files[i].days);
	}
	assert_true(open_shelf(&shelf, NULL, &err));
	shelf_close(&shelf, false);
	for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
		snprintf(path, sizeof(path), "cyclestack/%s", files[i].name);
		assert_int_equal(access(path, F_OK) != 0, files[i].is_gone);
	}
}

IN_DIRECTORY(usual_results_go_with_the_command)
{
	struct shelf shelf;
	struct err err;
	char here[512], path[1024];
	struct stat info;

	assert_non_null(getcwd(here, sizeof(here)));
	/* Not a relative one, which the home directory is used instead of. */
	setenv("XDG_CACHE_HOME", "cache", 1);
	setenv("HOME", here, 1);
	assert_true(open_shelf(&shelf, NULL, &err));
	snprintf(path, sizeof(path), "%s/.cache/cyclestack", here);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	strcat(path, "/kept.db");
	assert_string_equal(shelf.path, path);
	put(&shelf, &point, "1");
	shelf_close(&shelf, false);
	assert_int_equal(entries(path), 1);
	assert_true(open_shelf(&shelf, NULL, &err));
	assert_true(is_found(&shelf, &point, "1"));
	shelf_close(&shelf, true);
	assert_int_equal(entries(path), 0);
	/* Without a place nothing is kept, and nothing is said. */
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "here", 1);
	assert_true(open_shelf(&shelf, NULL, &err));
	assert_null(shelf.path);
	put(&shelf, &point, "1");
	assert_int_equal(shelf.count, 0);
	shelf_close(&shelf, true);
}

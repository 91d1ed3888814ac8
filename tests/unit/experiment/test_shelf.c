/* Entries of kept simulations: what is written and found again, what is damaged and said to be,
 * what is removed when it is old, and which directory is used. */
#include "../test.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "experiment/shelf.h"

static char said[2048];

static void warn(void *unused, const char *sentence)
{
	(void)unused;
	snprintf(said, sizeof(said), "%s", sentence);
}

static bool cannot_write;

static bool write_entry(int directory, const char *name, const void *bytes, size_t count,
			struct err *err)
{
	if (cannot_write)
		return err_set(err, "cannot write %s", name);
	int fd = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, bytes, count), count);
	close(fd);
	return true;
}

/* As the shelf of a command is opened. */
static bool open_shelf(struct shelf *shelf, const char *path, struct err *err)
{
	bool ok = shelf_open(shelf, path, err);

	shelf->write = write_entry;
	shelf->warn = warn;
	return ok;
}

/* Results that are any JSON, of points that are told apart by one number. */
static const char *not_owned; /* why results are not the point's; NULL: they are */

static json_t *read_any(const struct point *point, const char *bytes, size_t count, struct err *err)
{
	json_t *result = json_loadb(bytes, count, JSON_DECODE_ANY, NULL);

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

static int enter(void **state)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/shelf.XXXXXX");
	*state = path;
	said[0] = 0;
	return mkdtemp(path) && chdir(path) == 0 ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *walk)
{
	(void)info;
	(void)flag;
	(void)walk;
	return remove(path);
}

static int leave(void **state)
{
	return chdir("/") != 0 || nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0 ? -1 : 0;
}

/* The only entry in the directory. */
static const char *entry_name(const char *directory)
{
	static char name[256];
	DIR *list = opendir(directory);

	name[0] = 0;
	for (struct dirent *entry; (entry = readdir(list));)
		if (entry->d_name[0] != '.') {
			assert_string_equal(name, "");
			snprintf(name, sizeof(name), "%s", entry->d_name);
		}
	closedir(list);
	return name;
}

static char *content(const char *directory, const char *name, size_t *size)
{
	char path[512];
	char *result = mem_alloc(4096);

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	*size = fread(result, 1, 4095, file);
	fclose(file);
	return result;
}

static void put_content(const char *directory, const char *name, const char *what, size_t size)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fwrite(what, 1, size, file);
	fclose(file);
}

static bool is_found(struct shelf *shelf, const struct point *wanted, const char *text)
{
	json_t *result = shelf_find(shelf, wanted);
	bool ok = result && strcmp(json_string_value(result), text) == 0;

	json_decref(result);
	return ok;
}

#define IN_DIRECTORY(test) TEST_WITH(test, enter, leave)

IN_DIRECTORY(entries_are_found_as_they_were_put)
{
	const struct point unnamed[] = {{.kind = &nameless, .max_instructions = 5},
					{.kind = &kind, .max_instructions = 5, .output = 1}};
	const struct point other = {.kind = &kind, .max_instructions = 6};
	struct shelf shelf;
	struct err err;
	size_t size;

	assert_true(open_shelf(&shelf, "kept", &err));
	assert_true(shelf.is_lasting);
	assert_null(shelf_find(&shelf, &point));
	assert_string_equal(said, "");
	shelf_put(&shelf, &point, "\"a result\"", 10);
	assert_int_equal(shelf.count, 1);
	assert_true(is_found(&shelf, &point, "a result"));
	assert_int_equal(shelf.count, 2);
	/* Not for another, and not for what has no name. */
	assert_null(shelf_find(&shelf, &other));
	for (size_t i = 0; i < ARRAY_COUNT(unnamed); i++) {
		assert_null(shelf_find(&shelf, &unnamed[i]));
		shelf_put(&shelf, &unnamed[i], "1", 1);
	}
	assert_int_equal(shelf.count, 2);
	/* The heading names the entry and what is in it, by the SHA-256 of that. */
	const char *name = entry_name("kept");
	assert_int_equal(strlen(name), 69);
	assert_string_equal(name + 64, ".kept");
	char *whole = content("kept", name, &size), wanted[256];
	snprintf(wanted, sizeof(wanted), "cyclestack-kept-1 %.64s %s\n\"a result\"", name,
		 "129344330b96d2a34dee6e94a3883aacf286a549a1f7b7f0590cab4ae22ae2f3");
	assert_int_equal(size, strlen(wanted));
	assert_memory_equal(whole, wanted, size);
	free(whole);
	/* What is refused is told. */
	not_owned = "a reason";
	assert_null(shelf_find(&shelf, &point));
	not_owned = NULL;
	snprintf(wanted, sizeof(wanted),
		 "the kept simulation %s is ignored: a reason; it is made anew", name);
	assert_string_equal(said, wanted);
	shelf_close(&shelf, true);
	assert_int_equal(shelf.directory, -1);
	assert_string_not_equal(entry_name("kept"), ""); /* it lasts */
	/* With the bytes of another tool it is another's. */
	assert_true(open_shelf(&shelf, "kept", &err));
	assert_true(is_found(&shelf, &point, "a result"));
	shelf.tool[0] ^= 1;
	assert_null(shelf_find(&shelf, &point));
	shelf_close(&shelf, false);
	/* No shelf. */
	assert_null(shelf_find(NULL, &point));
	shelf_put(NULL, &point, "1", 1);
	assert_null(shelf_find(&shelf, &point));
}

IN_DIRECTORY(what_cannot_be_written_is_told_if_it_was_wanted)
{
	struct shelf shelf;
	struct err err;

	cannot_write = true;
	assert_true(open_shelf(&shelf, "kept", &err));
	shelf_put(&shelf, &point, "1", 1);
	assert_non_null(strstr(said, "cannot write "));
	assert_int_equal(shelf.count, 0);
	said[0] = 0;
	shelf.is_lasting = false;
	shelf_put(&shelf, &point, "1", 1);
	assert_string_equal(said, "");
	shelf_close(&shelf, true);
	cannot_write = false;
}

IN_DIRECTORY(damaged_entries_are_told)
{
	struct shelf shelf;
	struct err err;
	size_t size;
	char wanted[256];

	assert_true(open_shelf(&shelf, "kept", &err));
	shelf_put(&shelf, &point, "\"a result\"", 10);
	const char *name = entry_name("kept");
	char *whole = content("kept", name, &size);
	snprintf(wanted, sizeof(wanted),
		 "the kept simulation %s is ignored: it is damaged; it is made anew", name);
	/* Each byte matters, and each that is missing. */
	for (size_t i = 0; i < size; i++) {
		whole[i] ^= 1;
		put_content("kept", name, whole, size);
		whole[i] ^= 1;
		said[0] = 0;
		assert_null(shelf_find(&shelf, &point));
		assert_string_equal(said, wanted);
		put_content("kept", name, whole, i);
		said[0] = 0;
		assert_null(shelf_find(&shelf, &point));
		assert_string_equal(said, wanted);
	}
	free(whole);
	assert_int_equal(shelf.count, 1);
	/* What is whole, but no result. */
	shelf_put(&shelf, &point, "{", 1);
	assert_null(shelf_find(&shelf, &point));
	assert_non_null(strstr(said, " is ignored: it is not JSON; it is made anew"));
	char path[512];
	snprintf(path, sizeof(path), "kept/%s", name);
	assert_int_equal(truncate(path, (64 << 20) + 1), 0);
	assert_null(shelf_find(&shelf, &point));
	assert_non_null(strstr(said, "it is no file of a size that is ever written"));
	assert_int_equal(truncate(path, 64 << 20), 0);
	assert_null(shelf_find(&shelf, &point));
	assert_string_equal(said, wanted);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_null(shelf_find(&shelf, &point));
	assert_non_null(strstr(said, "it is no file of a size that is ever written"));
	rmdir(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_null(shelf_find(&shelf, &point));
	assert_non_null(strstr(said, "Too many levels of symbolic links"));
	shelf_close(&shelf, false);
}

/* Everything about the entry is right but who can have written it. */
IN_DIRECTORY(entries_that_others_could_change_are_not_taken)
{
	static const mode_t open_modes[] = {0620, 0602, 0666};
	struct shelf shelf;
	struct err err;
	char path[512];

	assert_true(open_shelf(&shelf, "kept", &err));
	shelf_put(&shelf, &point, "\"a result\"", 10);
	snprintf(path, sizeof(path), "kept/%s", entry_name("kept"));
	for (size_t i = 0; i < ARRAY_COUNT(open_modes); i++) {
		assert_int_equal(chmod(path, open_modes[i]), 0);
		said[0] = 0;
		assert_null(shelf_find(&shelf, &point));
		assert_non_null(strstr(said, " is ignored: another user owns it or can write to "
					     "it; it is made anew"));
	}
	assert_int_equal(chmod(path, 0644), 0);
	assert_true(is_found(&shelf, &point, "a result"));
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 1, 0), 0);
		assert_null(shelf_find(&shelf, &point));
		assert_int_equal(chown(path, 0, 0), 0);
	}
	shelf_close(&shelf, false);
	/* The same for the directory, unless files there are their owners' alone. */
	for (size_t i = 0; i < ARRAY_COUNT(open_modes); i++) {
		assert_int_equal(chmod("kept", open_modes[i] | 0111), 0);
		assert_false(open_shelf(&shelf, "kept", &err));
		assert_string_equal(err.text,
				    "cannot keep simulations in kept: another user owns "
				    "that directory or can write to it (chmod go-w kept)");
		shelf_close(&shelf, false);
	}
	assert_int_equal(chmod("kept", 01777), 0);
	assert_true(open_shelf(&shelf, "kept", &err));
	assert_true(is_found(&shelf, &point, "a result"));
	shelf_close(&shelf, false);
	if (geteuid() == 0) {
		assert_int_equal(chown("kept", 1, 0), 0);
		assert_false(open_shelf(&shelf, "kept", &err));
		shelf_close(&shelf, false);
	}
	/* The usual directory is then not used, and nothing is said. */
	assert_non_null(getcwd(path, sizeof(path)));
	setenv("XDG_CACHE_HOME", path, 1);
	assert_int_equal(mkdir("cyclestack", 0700), 0);
	assert_int_equal(chmod("cyclestack", 0777), 0);
	assert_true(open_shelf(&shelf, NULL, &err));
	assert_int_equal(shelf.directory, -1);
	shelf_close(&shelf, false);
}

static void make_aged(const char *path, int days, int seconds)
{
	struct timespec times[2] = {{0}, {0}};

	put_content(".", path, "", 0);
	times[0].tv_sec = times[1].tv_sec = time(NULL) - (time_t)days * 86400 - seconds;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"

IN_DIRECTORY(old_entries_are_removed)
{
	static const struct {
		const char *name;
		int days, seconds;
		bool is_gone, is_gone_usually;
	} rows[] = {
		{HASH "0.kept", 30, 100, false, true},	{HASH "1.kept", 30, -100, false, false},
		{HASH "2.kept", 400, 0, false, true},	{HASH "g.kept", 400, 0, false, false},
		{HASH "3.kepd", 400, 0, false, false},	{HASH ".kept", 400, 0, false, false},
		{HASH "34.kept", 400, 0, false, false}, {".cyclestack-x", 31, 0, true, true},
		{".cyclestack-y", 29, 0, false, false}, {".cyclestac", 31, 0, false, false},
		{"other", 400, 0, false, false},
	};
	struct err err;

	for (int is_usual = 0; is_usual < 2; is_usual++) {
		const char *directory = is_usual ? "cache/cyclestack" : "kept";
		char absolute[512], path[512];
		struct shelf shelf;

		assert_non_null(getcwd(path, sizeof(path)));
		snprintf(absolute, sizeof(absolute), "%.400s/cache", path);
		setenv("XDG_CACHE_HOME", absolute, 1);
		assert_true(open_shelf(&shelf, is_usual ? NULL : "kept", &err));
		assert_true(shelf.directory >= 0);
		assert_int_equal(shelf.is_lasting, !is_usual);
		shelf_close(&shelf, true);
		for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
			snprintf(path, sizeof(path), "%s/%s", directory, rows[i].name);
			make_aged(path, rows[i].days, rows[i].seconds);
		}
		snprintf(path, sizeof(path), "%s/%s4.kept", directory, HASH);
		assert_int_equal(symlink("nowhere", path), 0);
		assert_true(open_shelf(&shelf, is_usual ? NULL : "kept", &err));
		for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
			snprintf(path, sizeof(path), "%s/%s", directory, rows[i].name);
			bool is_gone = access(path, F_OK) != 0;
			if (is_gone != (is_usual ? rows[i].is_gone_usually : rows[i].is_gone))
				fail_msg("%s is %s", path, is_gone ? "gone" : "there");
		}
		shelf_close(&shelf, true);
	}
}

IN_DIRECTORY(usual_entries_go_with_the_command)
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
	assert_int_equal(strlen(shelf.tool), 64);
	shelf_put(&shelf, &point, "1", 1);
	shelf_close(&shelf, false);
	assert_string_not_equal(entry_name(path), "");
	assert_true(open_shelf(&shelf, NULL, &err));
	json_t *found = shelf_find(&shelf, &point);
	assert_non_null(found);
	json_decref(found);
	shelf_close(&shelf, true);
	assert_string_equal(entry_name(path), "");
	/* Without a place nothing is kept, and nothing is said. */
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "here", 1);
	assert_true(open_shelf(&shelf, NULL, &err));
	assert_int_equal(shelf.directory, -1);
	shelf_put(&shelf, &point, "1", 1);
	assert_int_equal(shelf.count, 0);
	shelf_close(&shelf, true);
	put_content(".", "file", "", 0);
	snprintf(path, sizeof(path), "%s/file", here);
	setenv("XDG_CACHE_HOME", path, 1);
	assert_true(open_shelf(&shelf, NULL, &err));
	assert_int_equal(shelf.directory, -1);
	shelf_put(&shelf, &point, "1", 1);
	assert_int_equal(shelf.count, 0);
	shelf_close(&shelf, true);
	assert_false(open_shelf(&shelf, "file", &err));
	assert_string_equal(err.text, "cannot keep simulations in file: Not a directory");
	shelf_close(&shelf, true);
	assert_false(open_shelf(&shelf, "none/there", &err));
	assert_string_equal(err.text,
			    "cannot keep simulations in none/there: No such file or directory");
	shelf_close(&shelf, true);
}

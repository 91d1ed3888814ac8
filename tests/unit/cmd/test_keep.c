/* Entries of kept simulations: what is written and found again, what is damaged and said to be,
 * what is removed when it is old, and which directory is used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *errors;
#undef stderr
#define stderr errors
#include "cmd/keep.c"
#undef stderr

static const char *given;
static char said[2048];

const char *args_get(const struct args *args, enum option_id id)
{
	(void)args;
	assert_int_equal(id, OPTION_KEEP);
	return given;
}

void say_warning(void *unused, const char *sentence)
{
	(void)unused;
	snprintf(said, sizeof(said), "%s", sentence);
}

static char *text;
static size_t bytes;

static int enter(void **state)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/keep.XXXXXX");
	*state = path;
	said[0] = 0;
	errors = open_memstream(&text, &bytes);
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
	fclose(errors);
	free(text);
	return chdir("/") != 0 || nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0 ? -1 : 0;
}

static struct program program = {.hash = "1234"};
static struct job_machine machine = {.name = "some"};
static struct job job = {.program = &program, .machine = &machine};

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

static void entries_are_found_as_they_were_put(void **state)
{
	struct keep keep;
	struct err err;
	size_t size = 0;

	(void)state;
	given = "kept";
	assert_true(keep_open(&keep, NULL, &err));
	assert_true(keep.is_lasting);
	const struct job_shelf *shelf = keep_shelf(&keep);
	assert_ptr_equal(shelf->context, &keep);
	assert_null(shelf->find(shelf->context, &job, &size));
	assert_string_equal(said, "");
	shelf->keep(shelf->context, &job, "a result", 8);
	assert_int_equal(keep.count, 1);
	char *found = shelf->find(shelf->context, &job, &size);
	assert_int_equal(size, 8);
	assert_memory_equal(found, "a result", 8);
	free(found);
	/* Not for a program that can read files, which are no part of the name. */
	program.mount_count = 1;
	assert_null(shelf->find(shelf->context, &job, &size));
	program.mount_count = 0;
	assert_int_equal(keep.count, 2);
	assert_int_equal(keep.found, 1);
	/* The heading names the entry and what is in it, by the SHA-256 of "a result". */
	const char *name = entry_name("kept");
	assert_int_equal(strlen(name), 69);
	assert_string_equal(name + 64, ".kept");
	char *whole = content("kept", name, &size), wanted[256];
	snprintf(wanted, sizeof(wanted), "cyclestack-kept-1 %.64s %s\na result", name,
		 "8ef99d17b420fd37a306ac016be950cab3836d24f801fb29c09b29d6538e9146");
	assert_int_equal(size, strlen(wanted));
	assert_memory_equal(whole, wanted, size);
	free(whole);
	shelf->refuse(shelf->context, &job, "a reason");
	assert_int_equal(keep.found, 0);
	snprintf(wanted, sizeof(wanted),
		 "the kept simulation %s is ignored: a reason; it is made anew", name);
	assert_string_equal(said, wanted);
	keep_close(&keep, true);
	assert_int_equal(keep.directory, -1);
	/* It lasts. */
	assert_string_not_equal(entry_name("kept"), "");
	fflush(errors);
	assert_int_equal(bytes, 0);
	/* An entry of nothing. */
	assert_true(keep_open(&keep, NULL, &err));
	shelf = keep_shelf(&keep);
	shelf->keep(shelf->context, &job, "", 0);
	found = shelf->find(shelf->context, &job, &size);
	assert_non_null(found);
	assert_int_equal(size, 0);
	free(found);
	keep_close(&keep, false);
	fflush(errors);
	assert_string_equal(text, "cyclestack: 2 finished simulations are kept: the same command "
				  "goes on from there\n");
}

static void damaged_entries_are_told(void **state)
{
	struct keep keep;
	struct err err;
	size_t size, ignored;
	char wanted[256];

	(void)state;
	given = "kept";
	assert_true(keep_open(&keep, NULL, &err));
	const struct job_shelf *shelf = keep_shelf(&keep);
	shelf->keep(shelf->context, &job, "a result", 8);
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
		assert_null(shelf->find(shelf->context, &job, &ignored));
		assert_string_equal(said, wanted);
		put_content("kept", name, whole, i);
		said[0] = 0;
		assert_null(shelf->find(shelf->context, &job, &ignored));
		assert_string_equal(said, wanted);
	}
	free(whole);
	assert_int_equal(keep.count, 1);
	assert_int_equal(keep.found, 0);
	char path[512];
	snprintf(path, sizeof(path), "kept/%s", name);
	assert_int_equal(truncate(path, (64 << 20) + 1), 0);
	assert_null(shelf->find(shelf->context, &job, &ignored));
	assert_non_null(strstr(said, "it is no file of a size that is ever written"));
	assert_int_equal(truncate(path, 64 << 20), 0);
	assert_null(shelf->find(shelf->context, &job, &ignored));
	assert_string_equal(said, wanted);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_null(shelf->find(shelf->context, &job, &ignored));
	assert_non_null(strstr(said, "it is no file of a size that is ever written"));
	/* What cannot be kept is told too. */
	said[0] = 0;
	shelf->keep(shelf->context, &job, "a result", 8);
	assert_string_not_equal(said, "");
	assert_int_equal(keep.count, 1);
	rmdir(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_null(shelf->find(shelf->context, &job, &ignored));
	assert_non_null(strstr(said, "Too many levels of symbolic links"));
	keep_close(&keep, false);
	fflush(errors);
	assert_string_equal(text, "cyclestack: 1 finished simulation is kept: the same command "
				  "goes on from there\n");
}

/* Each bit of a number, and where one text ends and the next begins. */
static void names_have_every_bit(void **state)
{
	char names[65][NAME_BYTES], a[] = "ab", b[] = "c", c[] = "a", d[] = "bc";
	char *first[] = {a, b}, *second[] = {c, d};
	struct keep keep = {.tool = "x"};

	(void)state;
	for (int i = 0; i <= 64; i++) {
		program.seed = i < 64 ? UINT64_C(1) << i : 0;
		name_of(&keep, &job, names[i]);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(names[i], names[k]);
	}
	program.argc = 2;
	program.argv = first;
	name_of(&keep, &job, names[0]);
	program.argv = second;
	name_of(&keep, &job, names[1]);
	assert_string_not_equal(names[0], names[1]);
	const char *one[] = {"A=1", NULL}, *other[] = {"A=2", NULL};
	program.env = one;
	name_of(&keep, &job, names[0]);
	program.env = other;
	name_of(&keep, &job, names[1]);
	assert_string_not_equal(names[0], names[1]);
	program.argc = 0;
	program.argv = NULL;
	program.env = NULL;
}

static void make_aged(const char *path, int days, int seconds)
{
	struct timespec times[2] = {{0}, {0}};

	put_content(".", path, "", 0);
	times[0].tv_sec = times[1].tv_sec = time(NULL) - (time_t)days * 86400 - seconds;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"

static void old_entries_are_removed(void **state)
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

	(void)state;
	for (int is_usual = 0; is_usual < 2; is_usual++) {
		const char *directory = is_usual ? "cache/cyclestack" : "kept";
		char absolute[512], path[512];
		struct keep keep;

		assert_non_null(getcwd(path, sizeof(path)));
		snprintf(absolute, sizeof(absolute), "%.400s/cache", path);
		setenv("XDG_CACHE_HOME", absolute, 1);
		given = is_usual ? NULL : "kept";
		assert_true(keep_open(&keep, NULL, &err));
		assert_true(keep.directory >= 0);
		assert_int_equal(keep.is_lasting, !is_usual);
		keep_close(&keep, true);
		for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
			snprintf(path, sizeof(path), "%s/%s", directory, rows[i].name);
			make_aged(path, rows[i].days, rows[i].seconds);
		}
		snprintf(path, sizeof(path), "%s/%s4.kept", directory, HASH);
		assert_int_equal(symlink("nowhere", path), 0);
		assert_true(keep_open(&keep, NULL, &err));
		for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
			snprintf(path, sizeof(path), "%s/%s", directory, rows[i].name);
			bool is_gone = access(path, F_OK) != 0;
			if (is_gone != (is_usual ? rows[i].is_gone_usually : rows[i].is_gone))
				fail_msg("%s is %s", path, is_gone ? "gone" : "there");
		}
		keep_close(&keep, true);
	}
}

static void usual_entries_go_with_the_command(void **state)
{
	struct keep keep;
	struct err err;
	char here[512], path[1024];
	struct stat info;

	(void)state;
	given = NULL;
	assert_non_null(getcwd(here, sizeof(here)));
	/* Not a relative one, which the home directory is used instead of. */
	setenv("XDG_CACHE_HOME", "cache", 1);
	setenv("HOME", here, 1);
	assert_true(keep_open(&keep, NULL, &err));
	snprintf(path, sizeof(path), "%s/.cache/cyclestack", here);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	assert_int_equal(strlen(keep.tool), 64);
	const struct job_shelf *shelf = keep_shelf(&keep);
	shelf->keep(shelf->context, &job, "a result", 8);
	keep_close(&keep, false);
	assert_string_not_equal(entry_name(path), "");
	assert_true(keep_open(&keep, NULL, &err));
	size_t size;
	shelf = keep_shelf(&keep);
	free(shelf->find(shelf->context, &job, &size));
	assert_int_equal(size, 8);
	keep_close(&keep, true);
	assert_string_equal(entry_name(path), "");
	/* Without a place nothing is kept, and nothing is said. */
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", "here", 1);
	assert_true(keep_open(&keep, NULL, &err));
	assert_null(keep_shelf(&keep));
	keep_close(&keep, true);
	put_content(".", "file", "", 0);
	snprintf(path, sizeof(path), "%s/file", here);
	setenv("XDG_CACHE_HOME", path, 1);
	assert_true(keep_open(&keep, NULL, &err));
	assert_null(keep_shelf(&keep));
	keep_close(&keep, true);
	given = "file";
	assert_false(keep_open(&keep, NULL, &err));
	assert_string_equal(err.text, "cannot keep simulations in file: Not a directory");
	keep_close(&keep, true);
	given = "none/there";
	assert_false(keep_open(&keep, NULL, &err));
	assert_string_equal(err.text,
			    "cannot keep simulations in none/there: No such file or directory");
	keep_close(&keep, true);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(entries_are_found_as_they_were_put),
		IN_DIRECTORY(damaged_entries_are_told),
		IN_DIRECTORY(names_have_every_bit),
		IN_DIRECTORY(old_entries_are_removed),
		IN_DIRECTORY(usual_entries_go_with_the_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

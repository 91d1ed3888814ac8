#include "../directory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "report/file/file.h"

static void assert_holds(const char *path, const char *wanted)
{
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	fseek(in, 0, SEEK_END);
	char *text = sample_read(in);
	assert_string_equal(text, wanted);
	free(text);
}

static void open_target(struct report_target *target, const char *path)
{
	struct err err;

	assert_true(report_target_open(target, AT_FDCWD, path, &err));
}

static void write_new(struct report_target *target)
{
	struct err err;

	assert_true(report_write_file(target, "new", 3, &err));
	assert_true(target->is_written);
	report_target_release(target);
}

static void a_link_put_there_later_is_replaced(void **state)
{
	struct report_target target;
	struct stat info;

	(void)state;
	write_file("victim", "old");
	write_file("result", "old");
	open_target(&target, "result");
	assert_true(target.is_there);
	assert_int_equal(unlink("result"), 0);
	assert_int_equal(symlink("victim", "result"), 0);
	write_new(&target);
	assert_holds("victim", "old");
	assert_holds("result", "new");
	assert_int_equal(lstat("result", &info), 0);
	assert_true(S_ISREG(info.st_mode));
}

static void a_link_that_was_there_is_followed(void **state)
{
	struct report_target target;
	struct stat info;

	(void)state;
	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(symlink("sub/first", "result"), 0);
	assert_int_equal(symlink("second", "sub/first"), 0);
	open_target(&target, "result");
	assert_false(target.is_there);
	write_new(&target);
	assert_holds("sub/second", "new");
	assert_int_equal(lstat("result", &info), 0);
	assert_true(S_ISLNK(info.st_mode));
}

static void the_directory_is_the_one_that_was_meant(void **state)
{
	struct report_target target;

	(void)state;
	assert_int_equal(mkdir("meant", 0700), 0);
	assert_int_equal(mkdir("other", 0700), 0);
	open_target(&target, "meant/result");
	assert_int_equal(rename("meant", "moved"), 0);
	assert_int_equal(symlink("other", "meant"), 0);
	write_new(&target);
	assert_holds("moved/result", "new");
	assert_int_equal(access("other/result", F_OK), -1);
}

static void the_mode_stays(void **state)
{
	struct report_target target;
	struct stat info;

	(void)state;
	write_file("result", "old");
	assert_int_equal(chmod("result", 0640), 0);
	open_target(&target, "result");
	write_new(&target);
	assert_int_equal(stat("result", &info), 0);
	assert_int_equal(info.st_mode & 0777, 0640);
}

static void what_cannot_be_written_is_said_at_once(void **state)
{
	static const struct {
		const char *path, *sentence;
	} cases[] = {
		{"absent/result", "cannot write absent/result: No such file or directory"},
		{"file/result", "cannot write file/result: Not a directory"},
		{"directory", "cannot write directory: it is a directory"},
		{"loop", "cannot write loop: Too many levels of symbolic links"},
		{"", "cannot write : No such file or directory"},
	};
	struct report_target target;
	struct err err;

	(void)state;
	write_file("file", "old");
	assert_int_equal(mkdir("directory", 0700), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		assert_false(report_target_open(&target, AT_FDCWD, cases[i].path, &err));
		assert_string_equal(err.text, cases[i].sentence);
		report_target_release(&target);
	}
}

static void no_path_is_nothing_to_do(void **state)
{
	struct report_target target;
	struct err err;

	(void)state;
	open_target(&target, NULL);
	assert_true(report_write_file(&target, "new", 3, &err));
	assert_false(target.is_written);
	report_target_release(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(a_link_put_there_later_is_replaced),
		IN_DIRECTORY(a_link_that_was_there_is_followed),
		IN_DIRECTORY(the_directory_is_the_one_that_was_meant),
		IN_DIRECTORY(the_mode_stays),
		IN_DIRECTORY(what_cannot_be_written_is_said_at_once),
		IN_DIRECTORY(no_path_is_nothing_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "../../directory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "report/file/file.h"

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

IN_DIRECTORY(a_link_put_there_later_is_replaced)
{
	struct report_target target;
	struct stat info;

	write_file("victim", "old");
	write_file("result", "old");
	open_target(&target, "result");
	assert_true(target.is_there);
	assert_int_equal(unlink("result"), 0);
	assert_int_equal(symlink("victim", "result"), 0);
	write_new(&target);
	file_holds("victim", "old");
	file_holds("result", "new");
	assert_int_equal(lstat("result", &info), 0);
	assert_true(S_ISREG(info.st_mode));
}

IN_DIRECTORY(a_link_that_was_there_is_followed)
{
	struct report_target target;
	struct stat info;

	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(symlink("sub/first", "result"), 0);
	assert_int_equal(symlink("second", "sub/first"), 0);
	open_target(&target, "result");
	assert_false(target.is_there);
	write_new(&target);
	file_holds("sub/second", "new");
	assert_int_equal(lstat("result", &info), 0);
	assert_true(S_ISLNK(info.st_mode));
}

/* In a directory that many can write to, links and files may be another user's. */
IN_DIRECTORY(what_another_user_put_there_decides_nothing)
{
	struct report_target target;
	struct stat info;
	struct err err;

	if (geteuid() != 0)
		skip();
	write_file("victim", "old");
	assert_int_equal(symlink("victim", "result"), 0);
	assert_int_equal(lchown("result", 1, 1), 0);
	assert_false(report_target_open(&target, AT_FDCWD, "result", &err));
	assert_string_equal(err.text, "cannot write result: it is a link that another user made");
	report_target_release(&target);
	assert_int_equal(symlink("result", "own"), 0);
	assert_false(report_target_open(&target, AT_FDCWD, "own", &err));
	report_target_release(&target);
	file_holds("victim", "old");
	assert_int_equal(chmod("victim", 0666), 0);
	assert_int_equal(chown("victim", 1, 1), 0);
	mode_t mask = umask(022);
	open_target(&target, "victim");
	write_new(&target);
	umask(mask);
	assert_int_equal(stat("victim", &info), 0);
	assert_int_equal(info.st_mode & 0777, 0644);
	assert_int_equal(info.st_uid, 0);
}

IN_DIRECTORY(the_directory_is_the_one_that_was_meant)
{
	struct report_target target;

	assert_int_equal(mkdir("meant", 0700), 0);
	assert_int_equal(mkdir("other", 0700), 0);
	open_target(&target, "meant/result");
	assert_int_equal(rename("meant", "moved"), 0);
	assert_int_equal(symlink("other", "meant"), 0);
	write_new(&target);
	file_holds("moved/result", "new");
	assert_int_equal(access("other/result", F_OK), -1);
}

IN_DIRECTORY(the_mode_stays)
{
	struct report_target target;
	struct stat info;

	write_file("result", "old");
	assert_int_equal(chmod("result", 0640), 0);
	open_target(&target, "result");
	write_new(&target);
	assert_int_equal(stat("result", &info), 0);
	assert_int_equal(info.st_mode & 0777, 0640);
}

IN_DIRECTORY(what_cannot_be_written_is_said_at_once)
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

	write_file("file", "old");
	assert_int_equal(mkdir("directory", 0700), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		assert_false(report_target_open(&target, AT_FDCWD, cases[i].path, &err));
		assert_string_equal(err.text, cases[i].sentence);
		report_target_release(&target);
	}
}

IN_DIRECTORY(no_path_is_nothing_to_do)
{
	struct report_target target;
	struct err err;

	open_target(&target, NULL);
	assert_true(report_write_file(&target, "new", 3, &err));
	assert_false(target.is_written);
	report_target_release(&target);
}

static mode_t mode_of(const char *path)
{
	struct stat info;

	assert_int_equal(lstat(path, &info), 0);
	return info.st_mode;
}

/* Pipes stand for what is no file: a mistake in the code under test, run by root, would replace a
 * device. */
static int open_pipe(const char *path)
{
	assert_int_equal(mkfifo(path, 0600), 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(reader > 0);
	return reader;
}

static void pipe_holds(int reader, const char *wanted)
{
	char text[64];
	ssize_t got = read(reader, text, sizeof(text) - 1);

	assert_true(got >= 0);
	text[got] = 0;
	assert_string_equal(text, wanted);
	close(reader);
}

static bool is_same(const char *a, const char *b)
{
	struct report_target first, second;

	open_target(&first, a);
	open_target(&second, b);
	bool same = report_target_is_same(&first, &second);
	assert_int_equal(report_target_is_same(&second, &first), same);
	report_target_release(&first);
	report_target_release(&second);
	return same;
}

IN_DIRECTORY(the_same_file_is_known_by_place_and_name)
{
	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(mkdir("other", 0700), 0);
	assert_int_equal(symlink("sub/x", "link"), 0);
	assert_true(is_same("x", "x"));
	assert_true(is_same("x", "./sub/../x"));
	assert_true(is_same("link", "sub/x"));
	assert_false(is_same("x", "y"));
	assert_false(is_same("x", "sub/x"));
	assert_false(is_same("other/x", "sub/x"));
	assert_false(is_same("x", NULL));
	assert_false(is_same(NULL, NULL));
	assert_false(is_same("-", "-"));
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_false(is_same("pipe", "pipe"));
	assert_false(is_same("pipe", "x"));
}

IN_DIRECTORY(a_new_file_has_the_mode_that_the_umask_leaves)
{
	struct report_target target;

	mode_t before = umask(027);
	open_target(&target, "result");
	assert_false(target.is_there);
	assert_int_equal(umask(027), 027);
	umask(before);
	write_new(&target);
	assert_int_equal(mode_of("result"), S_IFREG | 0640);
	assert_int_equal(entries_of("."), 1);
	/* Written again it is replaced, and nothing is left aside. */
	open_target(&target, "result");
	assert_true(target.is_there);
	write_new(&target);
	assert_int_equal(entries_of("."), 1);
	file_holds("result", "new");
}

IN_DIRECTORY(an_entry_is_private_and_follows_nothing)
{
	struct report_target target;
	struct err err;

	assert_int_equal(mkdir("sub", 0700), 0);
	int directory = open("sub", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	write_file("victim", "old");
	assert_int_equal(symlink("../victim", "sub/name"), 0);
	assert_true(report_target_open_entry(&target, directory, "name", &err));
	assert_true(target.directory > 2 && target.directory != directory);
	assert_int_equal(fcntl(target.directory, F_GETFD), FD_CLOEXEC);
	assert_int_equal(target.held, -1);
	write_new(&target);
	close(directory);
	file_holds("victim", "old");
	file_holds("sub/name", "new");
	assert_int_equal(mode_of("sub/name"), S_IFREG | 0600);
	assert_false(report_target_open_entry(&target, -1, "name", &err));
	assert_string_equal(err.text, "cannot write name: Bad file descriptor");
	report_target_release(&target);
}

IN_DIRECTORY(a_stream_empties_the_file_and_appends)
{
	struct report_target target;
	struct err err;

	write_file("result", "old text");
	open_target(&target, "result");
	int one = report_target_stream(&target, &err), two = report_target_stream(&target, &err);
	assert_true(one > 2 && two > 2);
	assert_true(target.is_written);
	assert_int_equal(write(one, "a", 1), 1);
	assert_int_equal(write(two, "b", 1), 1);
	assert_int_equal(write(one, "c", 1), 1);
	close(one);
	close(two);
	report_target_release(&target);
	file_holds("result", "abc");
	/* What is no file is opened too. */
	int reader = open_pipe("pipe");
	open_target(&target, "pipe");
	one = report_target_stream(&target, &err);
	assert_true(one > 2);
	assert_int_equal(write(one, "p", 1), 1);
	close(one);
	report_target_release(&target);
	pipe_holds(reader, "p");
	open_target(&target, "-");
	one = report_target_stream(&target, &err);
	assert_true(one > 2);
	close(one);
	report_target_release(&target);
	/* A link that came later is not followed. */
	open_target(&target, "later");
	assert_int_equal(symlink("victim", "later"), 0);
	assert_int_equal(report_target_stream(&target, &err), -1);
	assert_string_equal(err.text, "cannot write later: Too many levels of symbolic links");
	assert_false(target.is_written);
	/* What was written once stays so. */
	assert_int_equal(unlink("later"), 0);
	close(report_target_stream(&target, &err));
	assert_int_equal(unlink("later"), 0);
	assert_int_equal(symlink("victim", "later"), 0);
	assert_int_equal(report_target_stream(&target, &err), -1);
	assert_true(target.is_written);
	report_target_release(&target);
}

IN_DIRECTORY(links_are_followed_as_often_as_the_kernel_does)
{
	struct report_target target;
	struct err err;
	char from[16], to[16];

	for (int i = 0; i < 40; i++) {
		snprintf(from, sizeof(from), "l%d", i);
		snprintf(to, sizeof(to), "l%d", i + 1);
		assert_int_equal(symlink(to, from), 0);
	}
	open_target(&target, "l1");
	assert_string_equal(target.name, "l40");
	report_target_release(&target);
	assert_false(report_target_open(&target, AT_FDCWD, "l0", &err));
	assert_string_equal(err.text, "cannot write l0: Too many levels of symbolic links");
	report_target_release(&target);
}

IN_DIRECTORY(names_that_are_too_long_are_told)
{
	struct report_target target;
	char path[4400];
	struct err err;

	memset(path, 'x', sizeof(path));
	for (size_t i = 100; i < sizeof(path); i += 100)
		path[i] = '/';
	path[sizeof(path) - 1] = 0;
	assert_false(report_target_open(&target, AT_FDCWD, path, &err));
	assert_memory_equal(err.text, "cannot write xxx", 16);
	report_target_release(&target);
	path[300] = 0;
	memset(path, 'y', 300);
	assert_false(report_target_open(&target, AT_FDCWD, path, &err));
	assert_non_null(strstr(err.text, "yyy: File name too long"));
	report_target_release(&target);
}

IN_DIRECTORY(what_is_no_file_is_written_as_it_is)
{
	struct report_target target;
	char path[64];

	int reader = open_pipe("pipe");
	open_target(&target, "pipe");
	assert_true(target.held >= 0);
	assert_false(target.is_there);
	write_new(&target);
	assert_int_equal(mode_of("pipe"), S_IFIFO | 0600);
	pipe_holds(reader, "new");
	/* A link of /proc names an open file, which may have lost its name. */
	write_file("open", "old text");
	int fd = open("open", O_RDWR | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	open_target(&target, path);
	assert_false(target.is_there);
	assert_int_equal(rename("open", "moved"), 0);
	write_new(&target);
	close(fd);
	file_holds("moved", "new");
	assert_int_equal(access("open", F_OK), -1);
}

/* The directory or the name may be taken away before the end. */
IN_DIRECTORY(what_fails_at_the_end_is_told)
{
	struct report_target target;
	struct err err;

	assert_int_equal(mkdir("sub", 0700), 0);
	open_target(&target, "sub/result");
	assert_int_equal(rmdir("sub"), 0);
	assert_false(report_write_file(&target, "new", 3, &err));
	/* The reason is the file system's. */
	assert_memory_equal(err.text, "cannot write sub/result: ", 25);
	assert_false(target.is_written);
	report_target_release(&target);
	open_target(&target, "result");
	assert_int_equal(mkdir("result", 0700), 0);
	assert_false(report_write_file(&target, "new", 3, &err));
	assert_string_equal(err.text, "cannot write result: Is a directory");
	report_target_release(&target);
	assert_int_equal(entries_of("."), 1);
	assert_int_equal(entries_of("result"), 0);
}

IN_DIRECTORY(nothing_stays_open)
{
	static const char *const paths[] = {"result", "pipe", "sub/x", "absent/x",
					    "sub",    "loop", "-",     NULL};
	struct report_target target;
	struct err err;

	assert_int_equal(mkdir("sub", 0700), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_equal(symlink("sub/x", "result"), 0);
	int reader = open_pipe("pipe");
	const unsigned before = entries_of("/proc/self/fd");
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
			bool ok = report_target_open(&target, AT_FDCWD, paths[i], &err);

			if (ok && (!paths[i] || strcmp(paths[i], "-") != 0))
				assert_true(report_write_file(&target, "new", 3, &err));
			report_target_release(&target);
			assert_null(target.path);
			assert_int_equal(entries_of("/proc/self/fd"), before);
		}
	pipe_holds(reader, "newnewnew");
}

static bool write_twice(FILE *out, const json_t *result, struct err *err)
{
	const char *text = json_string_value(result);

	fprintf(out, "%s%s", text, text);
	return *text || err_set(err, "there is nothing");
}

IN_DIRECTORY(results_are_written_whole)
{
	struct report_target target;
	struct err err;
	json_t *result = json_pack("{s:i, s:[s]}", "a", 1, "b", "c"), *text = json_string("xy");
	json_t *nothing = json_string("");

	open_target(&target, "json");
	assert_true(report_write_json(&target, result, &err));
	assert_true(target.is_written);
	report_target_release(&target);
	file_holds("json", "{\n  \"a\": 1,\n  \"b\": [\n    \"c\"\n  ]\n}\n");
	open_target(&target, "text");
	assert_true(report_write_result(&target, write_twice, text, &err));
	report_target_release(&target);
	file_holds("text", "xyxy");
	open_target(&target, "none");
	assert_false(report_write_result(&target, write_twice, nothing, &err));
	assert_string_equal(err.text, "there is nothing");
	assert_false(target.is_written);
	assert_int_equal(access("none", F_OK), -1);
	/* What JSON cannot hold. */
	assert_false(report_write_json(&target, NULL, &err));
	assert_string_equal(err.text, "the result cannot be written as JSON");
	report_target_release(&target);
	open_target(&target, NULL);
	assert_true(report_write_json(&target, result, &err));
	assert_true(report_write_result(&target, write_twice, nothing, &err));
	assert_false(target.is_written);
	report_target_release(&target);
	json_decref(result);
	json_decref(text);
	json_decref(nothing);
}

/* Standard output is a file for a moment. */
IN_DIRECTORY(standard_output_is_a_target)
{
	struct report_target target;
	struct err err;

	fflush(stdout);
	int kept = dup(STDOUT_FILENO), fd = open("out", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	open_target(&target, "-");
	assert_null(target.name);
	assert_true(report_target_is_stdout(&target));
	dup2(fd, STDOUT_FILENO);
	bool ok = report_write_file(&target, "new", 3, &err);
	dup2(full, STDOUT_FILENO);
	bool fails = !report_write_file(&target, "new", 3, &err);
	dup2(kept, STDOUT_FILENO);
	clearerr(stdout);
	close(kept);
	close(fd);
	close(full);
	assert_true(ok && fails);
	assert_string_equal(err.text, "cannot write to standard output: No space left on device");
	file_holds("out", "new");
	report_target_release(&target);
	open_target(&target, "-x");
	assert_false(report_target_is_stdout(&target));
	report_target_release(&target);
}

IN_DIRECTORY(signals_are_as_before)
{
	struct report_target target;
	sigset_t before, after, one;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	sigprocmask(SIG_BLOCK, &one, &before);
	open_target(&target, "result");
	write_new(&target);
	sigprocmask(SIG_SETMASK, &before, &after);
	assert_int_equal(sigismember(&after, SIGUSR1), 1);
	assert_int_equal(sigismember(&after, SIGTERM), 0);
	assert_int_equal(sigismember(&after, SIGINT), 0);
}

/* Standard input is closed before the target is opened, or before it is written. */
static void write_to(const char *path, int kept, int closed)
{
	struct report_target target;
	struct err err;

	if (closed == 1)
		close(STDIN_FILENO);
	open_target(&target, path);
	if (closed == 2)
		close(STDIN_FILENO);
	assert_true(report_write_file(&target, "new", 3, &err));
	assert_true(target.is_written);
	int fd = report_target_stream(&target, &err);
	assert_true(fd >= 0);
	close(fd);
	report_target_release(&target);
	assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
}

/* Who closed standard input gets its number for other files. */
IN_DIRECTORY(a_descriptor_may_be_zero)
{
	int kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 100);

	if (kept < 0)
		skip();
	write_file("there", "old");
	int reader = open_pipe("pipe");
	const unsigned before = entries_of("/proc/self/fd");
	for (int closed = 0; closed < 3; closed++) {
		write_to("result", kept, closed);
		write_to("there", kept, closed);
		write_to("pipe", kept, closed);
		assert_int_equal(entries_of("/proc/self/fd"), before);
	}
	close(kept);
	pipe_holds(reader, "newnewnew");
	file_holds("result", "");
	file_holds("there", "");
}

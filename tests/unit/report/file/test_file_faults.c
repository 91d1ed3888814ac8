/*
 * What the file system or the kernel refuses, at every step of writing a file: the steps are
 * recorded, and can be made to fail, because the functions that the code under test calls are
 * replaced in this program by others, which also do what they are asked.
 */
#include "../../replace.h"
#include "../../directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/array.h"
#include "report/file/file.h"

/* Reasons (errno) to fail with; 0 is none. */
static struct {
	int nameless;  /* files without a name */
	int listing;   /* directories opened to be read */
	int proc;      /* access to /proc */
	int written;   /* write */
	int synced;    /* fsync of the file */
	int closed;    /* close after a write */
	int linked;    /* the first linkat */
	int relinked;  /* the second */
	int renamed;   /* renameat */
	int random;    /* getrandom */
	int looked_at; /* fstat */
	int read_link; /* readlinkat */
	int allowed;   /* faccessat */
	bool memory;   /* open_memstream */
	bool flushed;  /* fclose */
	int interruptions;
	size_t most; /* bytes of one write; 0 is no limit */
} fails;

static struct {
	/* Write, Sync, Link, Close, Rename and Unlink, in their order. */
	char steps[64];
	char aside[NAME_MAX + 1]; /* the last name that no user chose */
	bool has_written;
	bool is_blocked; /* signals, while a file gets its name */
} seen;

static int result_of(int reason, int result)
{
	if (reason)
		errno = reason;
	return reason ? -1 : result;
}

static void step(char letter)
{
	const size_t used = strlen(seen.steps);

	assert_true(used + 1 < sizeof(seen.steps));
	seen.steps[used] = letter;
}

static void look_at_signals(void)
{
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	seen.is_blocked = sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGINT) == 1;
}

REPLACED(openat);
REPLACED(access);
REPLACED(write);
REPLACED(fsync);
REPLACED(close);
REPLACED(linkat);
REPLACED(renameat);
REPLACED(unlinkat);
REPLACED(fstat);
REPLACED(readlinkat);
REPLACED(faccessat);
REPLACED(open_memstream);
REPLACED(fclose);

static int stepped_openat(int at, const char *path, int flags, ...)
{
	va_list list;

	va_start(list, flags);
	const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
	va_end(list);
	if ((flags & O_TMPFILE) == O_TMPFILE && fails.nameless)
		return result_of(fails.nameless, -1);
	if ((flags & (O_DIRECTORY | O_TMPFILE | O_PATH)) == O_DIRECTORY && fails.listing)
		return result_of(fails.listing, -1);
	if (flags & O_EXCL) {
		assert_true(flags & O_CREAT && flags & O_NOFOLLOW);
		assert_int_equal(mode, 0600);
		snprintf(seen.aside, sizeof(seen.aside), "%s", path);
	}
	return __real_openat(at, path, flags, mode);
}
REPLACE(openat, stepped_openat);

static int stepped_access(const char *path, int mode)
{
	return result_of(fails.proc, __real_access(path, mode));
}
REPLACE(access, stepped_access);

static ssize_t stepped_write(int fd, const void *bytes, size_t size)
{
	step('w');
	seen.has_written = true;
	if (fails.interruptions-- > 0)
		return result_of(EINTR, -1);
	if (fails.written)
		return result_of(fails.written, -1);
	return __real_write(fd, bytes, fails.most && size > fails.most ? fails.most : size);
}
REPLACE(write, stepped_write);

static int stepped_fsync(int fd)
{
	struct stat info;

	step('s');
	assert_int_equal(__real_fstat(fd, &info), 0);
	return result_of(S_ISDIR(info.st_mode) ? 0 : fails.synced, __real_fsync(fd));
}
REPLACE(fsync, stepped_fsync);

static int stepped_close(int fd)
{
	step('c');
	return result_of(seen.has_written ? fails.closed : 0, __real_close(fd));
}
REPLACE(close, stepped_close);

static int stepped_linkat(int from, const char *old, int to, const char *name, int flags)
{
	const bool is_first = !strchr(seen.steps, 'l');
	const int reason = is_first ? fails.linked : fails.relinked;

	step('l');
	look_at_signals();
	if (!is_first)
		snprintf(seen.aside, sizeof(seen.aside), "%s", name);
	return reason ? result_of(reason, -1) : __real_linkat(from, old, to, name, flags);
}
REPLACE(linkat, stepped_linkat);

static int stepped_renameat(int from, const char *old, int to, const char *name)
{
	step('r');
	look_at_signals();
	return fails.renamed ? result_of(fails.renamed, -1) : __real_renameat(from, old, to, name);
}
REPLACE(renameat, stepped_renameat);

static int stepped_unlinkat(int at, const char *name, int flags)
{
	const int result = __real_unlinkat(at, name, flags);

	step('u');
	errno = EBUSY;
	return result;
}
REPLACE(unlinkat, stepped_unlinkat);

/* The bytes from 0xfa on, one more each. */
static ssize_t stepped_getrandom(void *bytes, size_t size, unsigned flags)
{
	(void)flags;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)bytes)[i] = (uint8_t)(i + 0xfa);
	if (fails.random)
		errno = fails.random;
	return (ssize_t)size - !!fails.random;
}
REPLACE(getrandom, stepped_getrandom);

static int stepped_fstat(int fd, struct stat *info)
{
	return result_of(fails.looked_at, __real_fstat(fd, info));
}
REPLACE(fstat, stepped_fstat);

static ssize_t stepped_readlinkat(int at, const char *name, char *path, size_t size)
{
	return fails.read_link ? result_of(fails.read_link, -1)
			       : __real_readlinkat(at, name, path, size);
}
REPLACE(readlinkat, stepped_readlinkat);

static int stepped_faccessat(int at, const char *name, int mode, int flags)
{
	assert_int_equal(mode, W_OK);
	return result_of(fails.allowed, __real_faccessat(at, name, mode, flags));
}
REPLACE(faccessat, stepped_faccessat);

static FILE *stepped_open_memstream(char **text, size_t *bytes)
{
	return fails.memory ? NULL : __real_open_memstream(text, bytes);
}
REPLACE(open_memstream, stepped_open_memstream);

static int stepped_fclose(FILE *file)
{
	const int result = __real_fclose(file);

	return fails.flushed ? EOF : result;
}
REPLACE(fclose, stepped_fclose);

#define ASIDE ".cyclestack-fafbfcfdfeff00010203040506070809"

static void begin(void)
{
	memset(&fails, 0, sizeof(fails));
	memset(&seen, 0, sizeof(seen));
}

/* Opens the target "result", where OLD is unless it is NULL, with what fails already; then forgets
 * the steps, so that those of writing remain. */
static void open_result(struct report_target *target, const char *old)
{
	struct err err;

	unlink("result");
	if (old)
		write_file("result", old);
	assert_true(report_target_open(target, AT_FDCWD, "result", &err));
	assert_int_equal(entries_of("."), old ? 1 : 0);
	memset(&seen, 0, sizeof(seen));
}

/* SENTENCE is NULL if all goes well. */
static void is_written(struct report_target *target, const char *sentence, const char *steps)
{
	struct err err;
	const bool ok = report_write_file(target, "some text", 9, &err);

	assert_string_equal(seen.steps, steps);
	assert_int_equal(ok, !sentence);
	assert_int_equal(target->is_written, !sentence);
	if (sentence)
		assert_string_equal(err.text, sentence);
	else
		file_holds("result", "some text");
	report_target_release(target);
	begin();
}

IN_DIRECTORY(the_steps_of_writing_have_an_order)
{
	struct report_target target;

	begin();
	open_result(&target, NULL);
	is_written(&target, NULL, "wslcs");
	/* Over an old file: a second name, which then takes the place of the first. */
	open_result(&target, "old");
	assert_int_equal(report_write_file(&target, "some text", 9, NULL), true);
	assert_string_equal(seen.steps, "wsllcrs");
	assert_string_equal(seen.aside, ASIDE);
	assert_true(seen.is_blocked);
	look_at_signals();
	assert_false(seen.is_blocked);
	report_target_release(&target);
	file_holds("result", "some text");
	assert_int_equal(entries_of("."), 1);
}

/* Some file systems have no files without a name, and without /proc they could not be named. */
IN_DIRECTORY(without_nameless_files_there_is_a_name_aside)
{
	static const int reasons[] = {EOPNOTSUPP, EISDIR, ENOENT, 0};
	const unsigned before = entries_of("/proc/self/fd");
	struct report_target target;
	struct stat info;

	for (size_t i = 0; i < ARRAY_COUNT(reasons); i++)
		for (int old = 0; old < 2; old++) {
			begin();
			fails.nameless = reasons[i];
			fails.proc = reasons[i] ? 0 : ENOENT;
			open_result(&target, old ? "old" : NULL);
			assert_int_equal(report_write_file(&target, "some text", 9, NULL), true);
			/* The nameless file is closed at once. */
			assert_string_equal(seen.steps, reasons[i] ? "wscrs" : "cwscrs");
			assert_string_equal(seen.aside, ASIDE);
			report_target_release(&target);
			file_holds("result", "some text");
			assert_int_equal(entries_of("."), 1);
			assert_int_equal(stat("result", &info), 0);
			assert_int_equal(info.st_mode & 0600, 0600);
			assert_int_equal(entries_of("/proc/self/fd"), before);
		}
}

static void is_refused(const char *sentence)
{
	const unsigned before = entries_of("/proc/self/fd"), files = entries_of(".");
	struct report_target target;
	struct err err;

	assert_false(report_target_open(&target, AT_FDCWD, "result", &err));
	assert_string_equal(err.text, sentence);
	report_target_release(&target);
	assert_int_equal(entries_of("/proc/self/fd"), before);
	assert_int_equal(entries_of("."), files);
	begin();
}

IN_DIRECTORY(what_cannot_be_opened_is_told_at_once)
{
	begin();
	fails.nameless = EROFS;
	is_refused("cannot write result: Read-only file system");
	fails.nameless = EOPNOTSUPP;
	fails.random = EAGAIN;
	is_refused("cannot write result: Resource temporarily unavailable");
	fails.listing = EMFILE;
	is_refused("cannot write result: Too many open files");
	assert_int_equal(symlink("elsewhere", "result"), 0);
	fails.read_link = EIO;
	is_refused("cannot write result: Input/output error");
	fails.looked_at = EIO;
	is_refused("cannot write result: Input/output error");
	assert_int_equal(unlink("result"), 0);
	write_file("result", "old");
	fails.looked_at = EIO;
	is_refused("cannot write result: Input/output error");
	fails.allowed = EACCES;
	is_refused("cannot write result: Permission denied");
	file_holds("result", "old");
}

/* A directory that may be searched and not read cannot be synced, which is no failure. */
IN_DIRECTORY(a_directory_need_not_be_readable)
{
	struct report_target target;

	begin();
	fails.listing = EACCES;
	fails.allowed = EACCES; /* of a file that is not there nobody asks */
	open_result(&target, NULL);
	assert_true(fcntl(target.directory, F_GETFL) & O_PATH);
	is_written(&target, NULL, "wslcs");
	open_result(&target, NULL);
	assert_false(fcntl(target.directory, F_GETFL) & O_PATH);
	is_written(&target, NULL, "wslcs");
}

IN_DIRECTORY(writing_goes_on_until_everything_is_written)
{
	struct report_target target;

	begin();
	fails.interruptions = 3;
	open_result(&target, NULL);
	is_written(&target, NULL, "wwwwslcs");
	fails.most = 4;
	open_result(&target, NULL);
	is_written(&target, NULL, "wwwslcs");
}

IN_DIRECTORY(what_fails_leaves_the_old_file_and_nothing_else)
{
	static const struct {
		int written, synced, closed, linked, relinked, renamed, random, nameless;
		const char *sentence, *steps;
	} cases[] = {
		{.written = ENOSPC, .sentence = "No space left on device", .steps = "wc"},
		/* The first reason is told. */
		{.written = ENOSPC,
		 .closed = EIO,
		 .sentence = "No space left on device",
		 .steps = "wc"},
		{.written = ENOSPC,
		 .nameless = EOPNOTSUPP,
		 .sentence = "No space left on device",
		 .steps = "wcu"},
		{.synced = EIO, .sentence = "Input/output error", .steps = "wsc"},
		{.synced = EINVAL, .steps = "wsllcrs"},
		{.synced = EROFS, .steps = "wsllcrs"},
		{.linked = EPERM, .sentence = "Operation not permitted", .steps = "wslc"},
		{.relinked = EDQUOT, .sentence = "Disk quota exceeded", .steps = "wsllc"},
		{.random = EAGAIN, .sentence = "Resource temporarily unavailable", .steps = "wslc"},
		{.closed = EIO, .sentence = "Input/output error", .steps = "wsllcu"},
		{.renamed = EACCES, .sentence = "Permission denied", .steps = "wsllcru"},
	};
	const unsigned before = entries_of("/proc/self/fd");
	struct report_target target;
	char sentence[128];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		begin();
		fails.nameless = cases[i].nameless;
		open_result(&target, "old");
		fails.written = cases[i].written;
		fails.synced = cases[i].synced;
		fails.closed = cases[i].closed;
		fails.linked = cases[i].linked;
		fails.relinked = cases[i].relinked;
		fails.renamed = cases[i].renamed;
		fails.random = cases[i].random;
		snprintf(sentence, sizeof(sentence), "cannot write result: %s",
			 cases[i].sentence ? cases[i].sentence : "");
		is_written(&target, cases[i].sentence ? sentence : NULL, cases[i].steps);
		if (cases[i].sentence)
			file_holds("result", "old");
		assert_int_equal(entries_of("."), 1);
		assert_int_equal(entries_of("/proc/self/fd"), before);
	}
}

/* A socket is held, and cannot be opened. */
IN_DIRECTORY(what_is_held_may_not_open)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "result"};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct report_target target;
	struct err err;

	begin();
	assert_int_equal(bind(fd, (const struct sockaddr *)&name, sizeof(name)), 0);
	assert_true(report_target_open(&target, AT_FDCWD, "result", &err));
	assert_true(target.held >= 0);
	assert_int_equal(report_target_stream(&target, &err), -1);
	assert_string_equal(err.text, "cannot write result: No such device or address");
	is_written(&target, "cannot write result: No such device or address", "");
	close(fd);
}

/* An open file that a link of /proc names is appended to by each of its streams. */
IN_DIRECTORY(streams_of_an_open_file_share_it)
{
	struct report_target target;
	char path[64];
	struct err err;

	begin();
	write_file("open", "old text");
	int fd = open("open", O_RDWR | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_true(report_target_open(&target, AT_FDCWD, path, &err));
	int one = report_target_stream(&target, &err), two = report_target_stream(&target, &err);
	assert_int_equal(write(one, "a", 1) + write(two, "b", 1) + write(one, "c", 1), 3);
	close(one);
	close(two);
	close(fd);
	report_target_release(&target);
	file_holds("open", "abc");
}

IN_DIRECTORY(a_target_that_is_none_has_no_descriptors)
{
	static const char *const paths[] = {NULL, "-"};
	struct report_target target = {.path = NULL};
	struct err err;

	begin();
	/* Zero would be standard input. */
	report_target_release(&target);
	assert_string_equal(seen.steps, "");
	for (size_t i = 0; i < ARRAY_COUNT(paths); i++) {
		assert_true(report_target_open(&target, AT_FDCWD, paths[i], &err));
		assert_int_equal(target.held, -1);
		assert_int_equal(target.directory, -1);
		assert_null(target.name);
		report_target_release(&target);
		report_target_release(&target);
		assert_string_equal(seen.steps, "");
	}
}

/* Who closed standard error gets its number for no file: what is said there would go into it. */
IN_DIRECTORY(standard_error_is_no_file)
{
	const int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
	const int directory = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct report_target target, entry;
	struct err err;

	begin();
	assert_true(report_target_open(&target, AT_FDCWD, "-", &err));
	close(STDERR_FILENO);
	int stream = report_target_stream(&target, &err);
	bool ok = report_target_open_entry(&entry, directory, "name", &err);
	dup2(kept, STDERR_FILENO);
	assert_true(ok && stream > 2 && entry.directory > 2);
	close(stream);
	close(kept);
	close(directory);
	report_target_release(&target);
	report_target_release(&entry);
}

/* PATH_MAX of Linux, 4096, counts the zero at the end. */
IN_DIRECTORY(paths_may_be_as_long_as_the_kernel_allows)
{
	struct report_target target;
	char path[4096 + 1];
	struct err err;

	begin();
	for (size_t length = 4094; length <= 4096; length++) {
		memset(path, '/', length);
		path[0] = '.';
		memset(path + length - 6, 0, 7);
		memcpy(path + length - 6, "result", 6);
		assert_int_equal(strlen(path), length);
		assert_int_equal(report_target_open(&target, AT_FDCWD, path, &err), length < 4096);
		if (length == 4096)
			assert_non_null(strstr(err.text, "cannot write ./"));
		report_target_release(&target);
		/* The same path from a link. */
		if (length == 4096 || symlink(path, "link") != 0)
			continue;
		assert_true(report_target_open(&target, AT_FDCWD, "link", &err));
		assert_string_equal(target.name, "result");
		report_target_release(&target);
		unlink("link");
	}
}

static bool say(FILE *out, const json_t *result, struct err *err)
{
	fputs("said", out);
	return result || err_set(err, "there is nothing to say");
}

IN_DIRECTORY(memory_may_be_missing)
{
	struct report_target target;
	json_t *result = json_true();
	struct err err;

	begin();
	open_result(&target, NULL);
	fails.memory = true;
	assert_false(report_write_result(&target, say, result, &err));
	assert_string_equal(err.text, "not enough memory for result");
	fails.memory = false;
	fails.flushed = true;
	assert_false(report_write_result(&target, say, result, &err));
	assert_string_equal(err.text, "not enough memory for result");
	assert_false(report_write_result(&target, say, NULL, &err));
	assert_string_equal(err.text, "there is nothing to say");
	assert_int_equal(entries_of("."), 0);
	fails.flushed = false;
	assert_true(report_write_result(&target, say, result, &err));
	report_target_release(&target);
	file_holds("result", "said");
}

IN_DIRECTORY(a_stream_is_delivered_or_told)
{
	struct err err;

	begin();
	FILE *file = fopen("stream", "w");
	fputs("text", file);
	assert_true(report_finish(file, "it", &err));
	file_holds("stream", "text");
	/* What was refused before is remembered, though nothing is left to deliver. */
	errno = 0;
	fclose(file);
	file = fopen("stream", "r");
	assert_int_equal(fputc('x', file), EOF);
	errno = EBADF;
	assert_false(report_finish(file, "it", &err));
	assert_string_equal(err.text, "cannot write it: Bad file descriptor");
	fclose(file);
	/* What is only refused now. */
	file = fopen("stream", "w");
	fputs("text", file);
	close(fileno(file));
	assert_false(report_finish(file, "it", &err));
	assert_string_equal(err.text, "cannot write it: Bad file descriptor");
	fclose(file);
}

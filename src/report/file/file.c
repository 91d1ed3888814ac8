#include "report/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"
#include "value/result_text.h"

#define LINKS_MOST	40 /* to follow, as the kernel */
#define ASIDE_RANDOM	16
#define ASIDE_NAME	".cyclestack-"
#define ASIDE_NAME_SIZE (sizeof(ASIDE_NAME) + 2 * ASIDE_RANDOM)

#define DESCRIPTOR_PATH_SIZE 64

static mode_t current_umask(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return mask;
}

static bool fail(const struct report_target *target, int reason, struct err *err)
{
	return err_set_errno(err, reason, "cannot write %s", target->path);
}

bool report_finish(FILE *out, const char *what, struct err *err)
{
	return fflush(out) == 0 && !ferror(out)
		       ? true
		       : err_set_errno(err, errno, "cannot write %s", what);
}

/* A name nobody can have put in the directory before; false with errno, and no name. */
static bool choose_aside(char name[ASIDE_NAME_SIZE])
{
	uint8_t random[ASIDE_RANDOM];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return false;
	size_t used = (size_t)snprintf(name, ASIDE_NAME_SIZE, ASIDE_NAME);
	for (size_t i = 0; i < sizeof(random); i++)
		used += (size_t)snprintf(name + used, ASIDE_NAME_SIZE - used, "%02x", random[i]);
	return true;
}

static void name_descriptor(int fd, char path[DESCRIPTOR_PATH_SIZE])
{
	snprintf(path, DESCRIPTOR_PATH_SIZE, "/proc/self/fd/%d", fd);
}

/* A new file in the target's directory that has no name yet, so that nothing is left of it should
 * the tool be killed; where the file system has no such files, one under a name of its own. */
static int create(const struct report_target *target, char name[ASIDE_NAME_SIZE])
{
	char self[DESCRIPTOR_PATH_SIZE];
	int fd = openat(target->directory, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);

	name[0] = 0;
	if (fd >= 0) {
		name_descriptor(fd, self);
		if (access(self, F_OK) == 0)
			return fd;
		close(fd); /* without /proc it could not be given a name */
	} else if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT) {
		return -1;
	}
	return choose_aside(name)
		       ? openat(target->directory, name,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)
		       : -1;
}

/* Gives a nameless file the target's name, or, where a file has that already, a name aside. */
static bool give_name(const struct report_target *target, int fd, char name[ASIDE_NAME_SIZE])
{
	char self[DESCRIPTOR_PATH_SIZE];

	name_descriptor(fd, self);
	if (linkat(AT_FDCWD, self, target->directory, target->name, AT_SYMLINK_FOLLOW) == 0)
		return true;
	if (errno != EEXIST || !choose_aside(name))
		return false;
	if (linkat(AT_FDCWD, self, target->directory, name, AT_SYMLINK_FOLLOW) == 0)
		return true;
	name[0] = 0;
	return false;
}

/* A directory that may be searched but not read cannot be synced. */
static int open_directory(int at, const char *path)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 && errno == EACCES ? openat(at, path, O_PATH | O_DIRECTORY | O_CLOEXEC) : fd;
}

static bool is_on_proc(int fd)
{
	struct statfs info;

	return fstatfs(fd, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

/* Opens the directory that holds the path, and keeps the path's last part as the name; false with
 * errno if that cannot be. */
static bool step_to(struct report_target *target, int at, const char *path)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX] = ".";

	if (strlen(path) >= sizeof(parent)) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (slash)
		snprintf(parent, sizeof(parent), "%.*s", (int)(slash - path + 1), path);
	int directory = open_directory(at, parent);
	if (directory < 0)
		return false;
	if (target->directory >= 0)
		close(target->directory);
	target->directory = directory;
	free(target->name);
	target->name = mem_strdup(slash ? slash + 1 : path);
	if (!*target->name)
		errno = ENOENT;
	return *target->name;
}

/* Where the link of that name leads; its length, or -1 with errno: EINVAL for what is no link, and
 * EPERM for a link of another user, who could have put it into a directory that many write to. */
static ssize_t read_link(const struct report_target *target, char path[PATH_MAX])
{
	int fd = openat(target->directory, target->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat info;
	ssize_t length = -1;

	if (fd < 0)
		return -1;
	const bool is_known = fstat(fd, &info) == 0;
	if (is_known && !S_ISLNK(info.st_mode))
		errno = EINVAL;
	else if (is_known && !is_on_proc(target->directory) && info.st_uid != geteuid() &&
		 info.st_uid != 0)
		errno = EPERM;
	else if (is_known)
		length = readlinkat(fd, "", path, PATH_MAX - 1);
	int reason = errno;
	close(fd);
	errno = reason;
	return length;
}

/* Follows the links that are there now, to the directory and name of a file that may not yet be.
 * *is_descriptor if a link of /proc is among them, which names an open file and not a path. */
static bool find_place(struct report_target *target, int at, bool *is_descriptor)
{
	char path[PATH_MAX];

	*is_descriptor = false;
	if (!step_to(target, at, target->path))
		return false;
	for (int links = 0; links < LINKS_MOST; links++) {
		ssize_t length = read_link(target, path);

		if (length < 0)
			return errno == EINVAL || errno == ENOENT;
		*is_descriptor = is_on_proc(target->directory);
		if (*is_descriptor)
			return true;
		path[length] = 0;
		if (!step_to(target, target->directory, path))
			return false;
	}
	errno = ELOOP;
	return false;
}

static bool open_place(struct report_target *target, int at, struct err *err)
{
	char aside[ASIDE_NAME_SIZE];
	struct stat info = {0};
	bool is_descriptor;

	/* Not opened for writing yet: a pipe that nobody reads would block. */
	target->held = openat(at, target->path, O_PATH | O_CLOEXEC);
	if (target->held >= 0 && fstat(target->held, &info) != 0)
		return fail(target, errno, err);
	if (target->held >= 0 && S_ISDIR(info.st_mode))
		return err_set(err, "cannot write %s: it is a directory", target->path);
	target->is_there = target->held >= 0 && S_ISREG(info.st_mode);
	if (target->held >= 0 && !target->is_there)
		return true;
	if (!find_place(target, at, &is_descriptor))
		return errno == EPERM
			       ? err_set(err,
					 "cannot write %s: it is a link that another user made",
					 target->path)
			       : fail(target, errno, err);
	if (is_descriptor) {
		target->is_there = false;
		return true;
	}
	if (target->held >= 0)
		close(target->held);
	target->held = -1;
	/* Another user's file would say who may write to the new one. */
	target->mode = target->is_there && info.st_uid == geteuid() ? info.st_mode & 0777
								    : 0666 & ~current_umask();
	if (target->is_there && faccessat(target->directory, target->name, W_OK, 0) != 0)
		return fail(target, errno, err);
	int fd = create(target, aside);
	if (fd < 0)
		return fail(target, errno, err);
	close(fd);
	if (*aside)
		unlinkat(target->directory, aside, 0);
	return true;
}

bool report_target_open(struct report_target *target, int at, const char *path, struct err *err)
{
	*target = (struct report_target){.path = path, .directory = -1, .held = -1};
	return !path || report_target_is_stdout(target) || open_place(target, at, err);
}

bool report_target_open_entry(struct report_target *target, int directory, const char *name,
			      struct err *err)
{
	*target = (struct report_target){.path = name, .held = -1, .mode = 0600};
	target->directory = fcntl(directory, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (target->directory < 0)
		return fail(target, errno, err);
	target->name = mem_strdup(name);
	return true;
}

void report_target_release(struct report_target *target)
{
	if (target->path && target->directory >= 0)
		close(target->directory);
	if (target->path && target->held >= 0)
		close(target->held);
	free(target->name);
	*target = (struct report_target){.path = NULL};
}

bool report_target_is_stdout(const struct report_target *target)
{
	return target->path && strcmp(target->path, "-") == 0;
}

bool report_target_is_same(const struct report_target *a, const struct report_target *b)
{
	struct stat place_a, place_b;

	return a->path && b->path && a->name && b->name && a->held < 0 && b->held < 0 &&
	       strcmp(a->name, b->name) == 0 && fstat(a->directory, &place_a) == 0 &&
	       fstat(b->directory, &place_b) == 0 && place_a.st_dev == place_b.st_dev &&
	       place_a.st_ino == place_b.st_ino;
}

static int open_held(const struct report_target *target, int flags)
{
	char self[DESCRIPTOR_PATH_SIZE];

	name_descriptor(target->held, self);
	return open(self, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC | flags);
}

int report_target_stream(struct report_target *target, struct err *err)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
	int fd = report_target_is_stdout(target) ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
		 : target->held >= 0		 ? open_held(target, O_APPEND)
				     : openat(target->directory, target->name, flags, target->mode);

	if (fd < 0)
		fail(target, errno, err);
	target->is_written |= fd >= 0;
	return fd;
}

/* False with errno. */
static bool write_and_sync(int fd, const void *bytes, size_t size)
{
	const uint8_t *p = bytes;

	while (size) {
		ssize_t put = write(fd, p, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		p += put;
		size -= (size_t)put;
	}
	/* A pipe or a device has nothing to sync. */
	return fsync(fd) == 0 || errno == EINVAL || errno == EROFS;
}

/* Closes the descriptor of a file that is ok so far; says, with the first errno, if it still is. */
static bool close_written(int fd, bool ok)
{
	int reason = errno;

	if (close(fd) != 0 && ok)
		return false;
	errno = reason;
	return ok;
}

static bool write_held(const struct report_target *target, const void *bytes, size_t size)
{
	int fd = open_held(target, 0);

	return fd >= 0 && close_written(fd, write_and_sync(fd, bytes, size));
}

static bool replace(const struct report_target *target, const void *bytes, size_t size)
{
	char aside[ASIDE_NAME_SIZE];
	int fd = create(target, aside);

	if (fd < 0)
		return false;
	bool is_named = *aside;
	bool ok = fchmod(fd, target->mode) == 0 && write_and_sync(fd, bytes, size) &&
		  (is_named || give_name(target, fd, aside));
	ok = close_written(fd, ok);
	if (ok && *aside)
		ok = renameat(target->directory, aside, target->directory, target->name) == 0;
	if (!ok && *aside) {
		int reason = errno;

		unlinkat(target->directory, aside, 0);
		errno = reason;
	}
	/* The result is there; that a crash of the machine could lose it again is no failure. */
	if (ok)
		fsync(target->directory);
	return ok;
}

bool report_write_file(struct report_target *target, const void *bytes, size_t size,
		       struct err *err)
{
	sigset_t all, before;
	bool ok;

	if (!target->path)
		return true;
	if (report_target_is_stdout(target)) {
		ok = fwrite(bytes, 1, size, stdout) == size && fflush(stdout) == 0;
		return ok ? true : err_set_errno(err, errno, "cannot write to standard output");
	}
	if (target->held >= 0) {
		ok = write_held(target, bytes, size);
	} else {
		/* An interruption must not leave the file that is to be renamed. */
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, &before);
		ok = replace(target, bytes, size);
		int reason = errno;
		sigprocmask(SIG_SETMASK, &before, NULL);
		errno = reason;
	}
	target->is_written |= ok;
	return ok ? true : fail(target, errno, err);
}

bool report_write_json(struct report_target *target, const json_t *result, struct err *err)
{
	if (!target->path)
		return true;
	size_t bytes;
	char *text = result_text(result, &bytes);
	if (!text)
		return err_set(err, "the result cannot be written as JSON");
	bool ok = report_write_file(target, text, bytes, err);
	free(text);
	return ok;
}

bool report_write_made(struct report_target *target, report_maker *make, const void *context,
		       struct err *err)
{
	char *text = NULL;
	size_t bytes = 0;

	if (!target->path)
		return true;
	FILE *out = open_memstream(&text, &bytes);
	if (!out)
		return err_set(err, "not enough memory for %s", target->path);
	bool ok = make(out, context, err);
	if (fclose(out) != 0 && ok)
		ok = err_set(err, "not enough memory for %s", target->path);
	ok = ok && report_write_file(target, text, bytes, err);
	free(text);
	return ok;
}

struct result_writer {
	report_writer *write;
	const json_t *result;
};

static bool make_of_result(FILE *out, const void *context, struct err *err)
{
	const struct result_writer *writer = context;

	return writer->write(out, writer->result, err);
}

bool report_write_result(struct report_target *target, report_writer *writer, const json_t *result,
			 struct err *err)
{
	const struct result_writer context = {writer, result};

	return report_write_made(target, make_of_result, &context, err);
}

#include "report/file/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static mode_t current_umask(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return mask;
}

bool report_finish(FILE *out, const char *what, struct err *err)
{
	return fflush(out) == 0 && !ferror(out)
		       ? true
		       : err_set_errno(err, errno, "cannot write %s", what);
}

bool report_write_file(const char *path, const void *bytes, size_t size, struct err *err)
{
	char aside[4096];
	bool ok;

	if (strcmp(path, "-") == 0) {
		ok = fwrite(bytes, 1, size, stdout) == size && fflush(stdout) == 0;
		return ok ? true : err_set_errno(err, errno, "cannot write to standard output");
	}
	/* A pipe or a device is opened and written, not replaced; so is the target of a link. */
	struct stat info;
	if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
		FILE *direct = fopen(path, "w");

		ok = direct && fwrite(bytes, 1, size, direct) == size;
		int reason = errno;
		if (direct && fclose(direct) != 0) {
			reason = errno;
			ok = false;
		}
		return ok ? true : err_set_errno(err, reason, "cannot write %s", path);
	}
	mode_t mode = 0666 & ~current_umask();
	if (lstat(path, &info) == 0) {
		mode = info.st_mode & 0777;
		if (access(path, W_OK) != 0)
			return err_set_errno(err, errno, "cannot write %s", path);
	}
	if ((size_t)snprintf(aside, sizeof(aside), "%s.XXXXXX", path) >= sizeof(aside))
		return err_set(err, "%s: the name is too long", path);
	int fd = mkstemp(aside);
	if (fd < 0)
		return err_set_errno(err, errno, "cannot write %s", path);
	FILE *out = fdopen(fd, "w");
	ok = out && fwrite(bytes, 1, size, out) == size && fflush(out) == 0 && fsync(fd) == 0 &&
	     fchmod(fd, mode) == 0 && rename(aside, path) == 0;
	int reason = errno;
	if (out)
		fclose(out);
	else
		close(fd);
	if (!ok) {
		unlink(aside);
		return err_set_errno(err, reason, "cannot write %s", path);
	}
	return true;
}

bool report_write_json(const char *path, const json_t *result, struct err *err)
{
	if (!path)
		return true;
	char *text = json_dumps(result, JSON_INDENT(2));
	if (!text)
		return err_set(err, "the result cannot be written as JSON");
	size_t bytes = strlen(text);
	text[bytes] = '\n'; /* replaces the terminator */
	bool ok = report_write_file(path, text, bytes + 1, err);
	free(text);
	return ok;
}

bool report_check_path(const char *path, struct err *err)
{
	char aside[4096];
	struct stat info;

	if (!path || strcmp(path, "-") == 0)
		return true;
	if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
		if (S_ISDIR(info.st_mode))
			return err_set(err, "cannot write %s: it is a directory", path);
		return true;
	}
	if ((size_t)snprintf(aside, sizeof(aside), "%s.XXXXXX", path) >= sizeof(aside))
		return err_set(err, "%s: the name is too long", path);
	int fd = mkstemp(aside);
	if (fd < 0)
		return err_set_errno(err, errno, "cannot write %s", path);
	close(fd);
	unlink(aside);
	return true;
}

bool report_write_result(const char *path, report_writer *writer, const json_t *result,
			 struct err *err)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return err_set(err, "not enough memory for %s", path);
	bool ok = writer(out, result, err);
	if (fclose(out) != 0 && ok)
		ok = err_set(err, "not enough memory for %s", path);
	ok = ok && report_write_file(path, text, bytes, err);
	free(text);
	return ok;
}

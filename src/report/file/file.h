/*
 * file.h - results reach their files whole or not at all, and no other file.
 *
 * A target is opened from a path before the work begins, and keeps the directory open: whatever a
 * hostile program renames or links meanwhile, the result goes into that directory under that name.
 * It is written to a new file beside the old one, synced, then renamed over it, which replaces a
 * symbolic link instead of following it. A link that is there when the target is opened is followed
 * then, once, if it is the user's own or root's; one that another user made is refused, whatever
 * the kernel would do (fs.protected_symlinks). What is not a regular file (a pipe, a device, a
 * descriptor under /proc) cannot be replaced: it is held from the beginning and written to.
 *
 * Keeps the mode of an old file of the user's own; not its owner, access lists or other names.
 */
#ifndef REPORT_FILE_FILE_H
#define REPORT_FILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include <jansson.h>

#include "base/err.h"

struct report_target {
	const char *path; /* as the user said it, for sentences; NULL: nothing is written */
	char *name;	  /* in the directory; NULL if the target is `held` or standard output */
	int directory;
	int held;      /* names what is not a regular file; -1 if there is none */
	mode_t mode;   /* of the file to be */
	bool is_there; /* a regular file from before */
	bool is_written;
};

/* Relative paths begin at the directory `at` (AT_FDCWD: the working directory); "-" is standard
 * output; NULL is no target. False with a sentence if writing there would fail now. The path must
 * live as long as the target. Release either way. */
bool report_target_open(struct report_target *target, int at, const char *path, struct err *err);
/* A file of that name in an open directory, private to its owner, for names that no user chose:
 * nothing that lies there is followed, opened or waited for; a link, a pipe or a file is replaced
 * when the result is written. `name` has no slash and lives as long as the target. */
bool report_target_open_entry(struct report_target *target, int directory, const char *name,
			      struct err *err);
void report_target_release(struct report_target *target);
bool report_target_is_stdout(const struct report_target *target);

/* Whether both would write the same file. */
bool report_target_is_same(const struct report_target *a, const struct report_target *b);
/* A descriptor for what is written bit by bit while a program runs: the file is emptied now and
 * appended to, so that two streams can share it. Standard output is duplicated. -1 with a
 * sentence. The caller closes it. */
int report_target_stream(struct report_target *target, struct err *err);

/* False with a sentence unless everything written to the stream has been delivered. */
bool report_finish(FILE *out, const char *what, struct err *err);

bool report_write_file(struct report_target *target, const void *bytes, size_t size,
		       struct err *err);

/* JSON to read, with a line feed after it. */
bool report_write_json(struct report_target *target, const json_t *result, struct err *err);

/* What is made into a stream, with a context of the caller's; nothing is written if that fails. */
typedef bool report_maker(FILE *out, const void *context, struct err *err);
bool report_write_made(struct report_target *target, report_maker *make, const void *context,
		       struct err *err);
/* The same of a result. */
typedef bool report_writer(FILE *out, const json_t *result, struct err *err);
bool report_write_result(struct report_target *target, report_writer *writer, const json_t *result,
			 struct err *err);

#endif

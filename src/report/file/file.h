/*
 * file.h - results reach their files whole or not at all: written aside, synced,
 * then renamed.
 */
#ifndef REPORT_FILE_FILE_H
#define REPORT_FILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "base/err.h"

/* Before long work: false with a sentence if writing there would fail now. NULL is fine. */
bool report_check_path(const char *path, struct err *err);

/* False with a sentence unless all that was written to the stream has reached it. */
bool report_finish(FILE *out, const char *what, struct err *err);

/* "-" is standard output; what is there and not a regular file is written to. */
bool report_write_file(const char *path, const void *bytes, size_t size, struct err *err);

/* JSON to read, with a line feed after it; nothing if there is no path. */
bool report_write_json(const char *path, const json_t *result, struct err *err);

/* The same for what a writer makes of a result; nothing is written if that fails. */
typedef bool report_writer(FILE *out, const json_t *result, struct err *err);
bool report_write_result(const char *path, report_writer *writer, const json_t *result,
			 struct err *err);

#endif

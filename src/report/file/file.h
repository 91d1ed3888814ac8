/*
 * file.h - writes results to files completely or not at all: to a temporary file, which is synced
 * and then renamed.
 */
#ifndef REPORT_FILE_FILE_H
#define REPORT_FILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "base/err.h"

/* For use before long work: false with a sentence if writing there would fail now. NULL is
 * allowed. */
bool report_check_path(const char *path, struct err *err);

/* False with a sentence unless everything written to the stream has been delivered. */
bool report_finish(FILE *out, const char *what, struct err *err);

/* "-" is standard output; an existing file that is not a regular one is written in place. */
bool report_write_file(const char *path, const void *bytes, size_t size, struct err *err);

/* Writes indented JSON, followed by a line feed; does nothing if there is no path. */
bool report_write_json(const char *path, const json_t *result, struct err *err);

/* The same for the output of a writer; nothing is written if that fails. */
typedef bool report_writer(FILE *out, const json_t *result, struct err *err);
bool report_write_result(const char *path, report_writer *writer, const json_t *result,
			 struct err *err);

#endif

/*
 * file.h - results reach their files whole or not at all: written aside, synced,
 * then renamed.
 */
#ifndef REPORT_FILE_H
#define REPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Before long work: false with a sentence if writing there would fail now. NULL is fine. */
bool report_check_path(const char *path, struct err *err);

/* "-" is standard output; what is there and not a regular file is written to. */
bool report_write_file(const char *path, const void *bytes, size_t size, struct err *err);

#endif

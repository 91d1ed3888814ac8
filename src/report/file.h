/*
 * file.h - results reach their files whole or not at all: written aside, synced,
 * then renamed.
 */
#ifndef REPORT_FILE_H
#define REPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* "-" is standard output. */
bool report_write_file(const char *path, const void *bytes, size_t size, struct err *err);

#endif

/*
 * gzip.h - bytes as a file of gzip (RFC 1952), without a name or a time in it: the same bytes
 * always make the same file.
 */
#ifndef REPORT_FILE_GZIP_H
#define REPORT_FILE_GZIP_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a file of this name is to be packed: it ends in .gz. */
bool gzip_is_name(const char *path);
/* The file, owned by the caller. */
void *gzip_pack(const void *bytes, size_t count, size_t *packed);

#endif

/*
 * place.h - files in a directory that the server holds open: read whole, written whole or not at
 * all. No link is followed.
 */
#ifndef WEB_PLACE_H
#define WEB_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* The descriptor of a directory, which is made if it is not there; -1 with a sentence. */
int place_open_directory(int directory, const char *name, struct err *err);
/* Of a regular file, to be read; -1 if there is none. */
int place_open_file(int directory, const char *name, uint64_t *bytes);
/* Writes it beside its place, syncs it if that is asked for, and renames it: whatever kills this
 * process, the file is an old one or a new one. Synced, it is there after a failure of the power
 * too. False with a sentence. */
bool place_write(int directory, const char *name, const void *bytes, size_t size, bool syncs,
		 struct err *err);
/* The bytes of a file, to be freed, ended by a NUL that is none of them; NULL if it is not there,
 * is no regular file or has more than so many. */
char *place_read(int directory, const char *name, size_t most, size_t *size);
/* What the files in it take, and in its directories; 0 if it is not there. */
uint64_t place_bytes(int directory, const char *name);
/* Removes a file, or a directory with all that is in it. */
void place_remove(int directory, const char *name);

#endif

/*
 * spool.h - bytes that a worker sends little by little, until they can be written as a whole: they
 * are kept in a file without a name, not in memory.
 */
#ifndef CMD_SPOOL_H
#define CMD_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "report/file/file.h"

struct spool {
	FILE *file;
	uint64_t bytes;
	int failed; /* errno of the first write that failed; 0: none */
};

/* False with a sentence; close either way. */
bool spool_open(struct spool *spool, struct err *err);
/* For struct guest_watcher: the context is the spool. */
void spool_add(void *spool, const void *bytes, size_t size);
uint64_t spool_bytes(const struct spool *spool);
/* All of it as bytes of memory, until spool_unmap. False with a sentence. */
bool spool_map(struct spool *spool, const char **bytes, size_t *size, struct err *err);
void spool_unmap(const struct spool *spool, const char *bytes);
/* Writes everything to the target, packed if its name ends in .gz. False with a sentence. */
bool spool_write(struct spool *spool, struct report_target *target, struct err *err);
void spool_close(struct spool *spool);

#endif

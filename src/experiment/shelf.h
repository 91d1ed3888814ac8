/*
 * shelf.h - results of finished points on disk, so that an experiment that was interrupted, or
 * killed, goes on from them when it is given again.
 *
 * An entry is a file named by everything that decides a result (job/key.h), this tool's own bytes
 * with it.
 * It holds one line with that name and the SHA-256 of what follows, then the result as the worker
 * sent it. It is written aside, synced and renamed; one that is damaged is ignored with a sentence
 * and made anew. A result found is checked as one from a worker is, and taken only from a file that
 * the user or root owns and nobody else can write to; the directory must be theirs alone, too, or
 * one with the sticky bit.
 *
 * In a directory that the user named, entries stay. Else they lie in the user's cache directory
 * ($XDG_CACHE_HOME/cyclestack, else ~/.cache/cyclestack) until the command has all it needs, then
 * it removes them; those of commands that were never given again go after SHELF_DAYS days. Where
 * there is no such directory nothing is kept.
 *
 * A program that can read files of the host (--mount, --sysroot) is simulated anew each time: what
 * it would find there is not part of the name.
 */
#ifndef EXPERIMENT_SHELF_H
#define EXPERIMENT_SHELF_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "experiment/point.h"

#define SHELF_DAYS 30

struct shelf {
	int directory;		  /* -1: nothing is kept */
	bool is_lasting;	  /* the user named the directory */
	char tool[JOB_KEY_BYTES]; /* SHA-256 of this program */
	char **names;		  /* of the entries found or made */
	size_t count, capacity;
	/* Puts a file into the directory, whole or not at all; false with a sentence. */
	bool (*write)(int directory, const char *name, const void *bytes, size_t count,
		      struct err *err);
	/* A sentence about an entry that is of no use, or cannot be written. */
	void (*warn)(void *context, const char *sentence);
	void *context;
};

/* Opens the directory `path`, or with NULL the usual one, and removes what is too old. The members
 * `write`, `warn` and `context` are the caller's to set. False with a sentence if there is no such
 * place as the user named. Close either way. */
bool shelf_open(struct shelf *shelf, const char *path, struct err *err);
/* The result of an equal point, owned by the caller; NULL if there is none. The shelf of these two
 * may be NULL. */
json_t *shelf_find(struct shelf *shelf, const struct point *point);
void shelf_put(struct shelf *shelf, const struct point *point, const char *result, size_t bytes);
/* `is_whole`: all results are there, so what was kept in the usual directory is removed. */
void shelf_close(struct shelf *shelf, bool is_whole);

#endif

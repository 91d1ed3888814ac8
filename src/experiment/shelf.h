/*
 * shelf.h - results of finished points in a store (store/results.h), so that an experiment that was
 * interrupted, or killed, goes on from them when it is given again, and equal points are simulated
 * once.
 *
 * A result is found by everything that decides it (job/key.h), this tool's own bytes with it. It is
 * there whole or not at all; one that is damaged is ignored with a sentence and made anew. A result
 * found is checked as one from a worker is, and taken only from a store that nobody else can have
 * written (store_is_own). The store is open only while one is put or looked for: workers are made
 * in between, and share nothing with it.
 *
 * In a store that the user named, results stay, as steps of the command. Else they lie in kept.db
 * of the user's cache directory ($XDG_CACHE_HOME/cyclestack, else ~/.cache/cyclestack) until the
 * command has all it needs, then it removes them; those of commands that were never given again go
 * after SHELF_DAYS days. Where there is no such directory nothing is kept.
 *
 * A program that can read files of the host (--mount, --sysroot) is simulated anew each time: what
 * it would find there is not part of the key.
 */
#ifndef EXPERIMENT_SHELF_H
#define EXPERIMENT_SHELF_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "experiment/point.h"

#define SHELF_DAYS 30

struct shelf {
	char *path;		  /* NULL: nothing is kept */
	bool is_lasting;	  /* the user named the store */
	char tool[JOB_KEY_BYTES]; /* SHA-256 of this program */
	int64_t *ids;		  /* of the results found or made */
	size_t count, capacity;
	bool is_told;	     /* that the store cannot be read */
	const char *version; /* of this tool, for the store; may be NULL */
	/* A sentence about a result that is of no use, or cannot be written. */
	void (*warn)(void *context, const char *sentence);
	void *context;
};

/* Opens the store `path`, or with NULL the usual one, and removes what is too old. The members
 * `version`, `warn` and `context` are the caller's to set. False with a sentence if the user named
 * what cannot be used. Close either way. */
bool shelf_open(struct shelf *shelf, const char *path, struct err *err);
/* The result of an equal point, owned by the caller; NULL if there is none. The shelf of these two
 * may be NULL. */
json_t *shelf_find(struct shelf *shelf, const struct point *point);
void shelf_put(struct shelf *shelf, const struct point *point, const json_t *result);
/* `is_whole`: all results are there, so what was kept in the usual store is removed. */
void shelf_close(struct shelf *shelf, bool is_whole);

/* The SHA-256 of this program in hexadecimal, which stands for its version in keys. False if it
 * cannot be read. */
bool shelf_hash_tool(char hash[JOB_KEY_BYTES]);

#endif

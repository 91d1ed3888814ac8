/*
 * stored.h - results in the store of --store, or of CYCLESTACK_STORE: putting one there, and
 * reading one by its name.
 *
 * A name is FILE#ID, or @ID in the store of the command line; ID is a number, or run: and the
 * number of a run that collect has received. A file that has such a name is read as a file.
 */
#ifndef CMD_STORED_H
#define CMD_STORED_H

#include <jansson.h>

#include "cmd/command.h"
#include "store/results.h"

/* Whether a result of this command line is to be stored. */
bool stored_is_wanted(const struct args *args);
/* That it can be: opens the store, which makes the file if there is none. False with a sentence.
 * To be called before long work. */
bool stored_check(const struct args *args, struct err *err);
/* Puts the result there with its tags. `key` is that of its job; NULL: none. False with a sentence.
 */
bool stored_put(const struct args *args, const json_t *result, const char *key, struct err *err);

/* Whether an operand names a result in a store. */
bool stored_is_name(const char *operand);
/* The result that an operand names, in a file or in a store; "-" is standard input. NULL with a
 * sentence. */
json_t *stored_read(const struct args *args, const char *operand, struct err *err);

/* The bytes of a file, to be freed, and the result that they are; "-" is standard input. NULL with
 * a sentence; *result is NULL then. */
char *stored_read_file(const char *path, size_t *count, json_t **result, struct err *err);

/* The store of the command line; NULL with a sentence, also if there is none. */
struct store *stored_open(const struct args *args, bool writes, struct err *err);

#endif

/*
 * kept.h - a model that has read its trace, as bytes, so that further design points need neither
 * the trace's steps nor labels: skeletons, base cycles and counts of misses.
 *
 *   "CYSKEL02", the key, bytes that follow, their check value (crc32.h), the state
 *
 * The key begins with the SHA-256 of the trace; the version of the tool that wrote it follows, for
 * people. What an earlier version kept is read: where what is kept or what it means changes, the
 * first eight bytes change. Numbers are as this machine has them. A state serves every number of
 * MSHRs and latency of memory, on machines with the same caches, TLBs and predictor as one of those
 * it was made for, and for their sizes of the window with their units and latencies of caches,
 * since base is measured for each. What it does not hold is refused, never guessed. Everything read
 * is hostile until checked.
 */
#ifndef MODEL_KEPT_H
#define MODEL_KEPT_H

#include "base/bytes.h"
#include "model/model.h"

#define KEPT_KEY_BYTES	 96
#define KEPT_TRACE_BYTES 32 /* of the key */

struct kept_key {
	char text[KEPT_KEY_BYTES];
};

/* The bytes are the caller's to free. */
struct bytes kept_write(const struct model *model, const struct kept_key *key);
/* Fills a model that has read nothing. False with a sentence if the bytes are damaged, of another
 * trace, or lack what the model's points and techniques need; `name` is the file's. */
bool kept_read(struct model *model, const uint8_t *bytes, size_t count, const struct kept_key *key,
	       const char *name, struct err *err);

#endif

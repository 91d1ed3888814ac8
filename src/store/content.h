/*
 * content.h - the bytes of a result as they are in the file: compressed where that pays, and known
 * by their SHA-256.
 */
#ifndef STORE_CONTENT_H
#define STORE_CONTENT_H

#include <stddef.h>

#include "base/err.h"

#define CONTENT_HASH_BYTES 65 /* in hexadecimal, with its end */

void content_hash(char text[CONTENT_HASH_BYTES], const void *bytes, size_t count);

/* What is written for these bytes, to be freed; *encoding says how: "zlib" or "json", as they are.
 */
void *content_pack(const void *bytes, size_t count, size_t *packed, const char **encoding);
/* The bytes again, `count` of them with a 0 behind, to be freed. NULL with a sentence if they have
 * another hash: the file may say anything. */
char *content_unpack(const void *packed, size_t packed_bytes, const char *encoding, size_t count,
		     const char *hash, struct err *err);

#endif

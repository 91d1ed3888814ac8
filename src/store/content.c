#include "store/content.h"

#include <nettle/sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"

void content_hash(char text[CONTENT_HASH_BYTES], const void *bytes, size_t count)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, count, bytes);
	sha256_digest(&sha, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

void *content_pack(const void *bytes, size_t count, size_t *packed, const char **encoding)
{
	uLongf room = compressBound(count);
	void *out = mem_alloc(room);

	*encoding = "zlib";
	/* What saves less than an eighth is not worth that SQL cannot look into it. */
	if (compress2(out, &room, bytes, count, Z_DEFAULT_COMPRESSION) == Z_OK &&
	    room < count - count / 8) {
		*packed = room;
		return out;
	}
	free(out);
	out = mem_alloc(count);
	memcpy(out, bytes, count);
	*encoding = "json";
	*packed = count;
	return out;
}

char *content_unpack(const void *packed, size_t packed_bytes, const char *encoding, size_t count,
		     const char *hash, struct err *err)
{
	char *text = mem_alloc(count + 1), found[CONTENT_HASH_BYTES];
	bool ok = false;

	if (strcmp(encoding, "zlib") == 0) {
		uLongf got = count;

		ok = uncompress((Bytef *)text, &got, packed, packed_bytes) == Z_OK && got == count;
	} else if (strcmp(encoding, "json") == 0 && packed_bytes == count) {
		memcpy(text, packed, count);
		ok = true;
	}
	if (ok)
		content_hash(found, text, count);
	if (ok && strcmp(found, hash) == 0)
		return text;
	free(text);
	err_set(err, "it is damaged: its bytes are not those that were written");
	return NULL;
}

/*
 * uploads.h - files that clients send: programs, standard input, files to mount. Each is kept once,
 * under the SHA-256 of its content; the name that the client gave it is a text beside it.
 */
#ifndef WEB_UPLOADS_H
#define WEB_UPLOADS_H

#include <nettle/sha2.h>

#include "web/server.h"

/* One that is on its way. */
struct upload {
	int fd;
	uint64_t number, bytes;
	struct sha256_ctx hash;
};

/* With the lock held. NULL with a sentence and the status of the answer. */
struct upload *upload_begin(struct server *server, unsigned *status, struct err *err);
bool upload_add(struct server *server, struct upload *upload, const void *bytes, size_t size,
		unsigned *status, struct err *err);
/* {"id", "name", "bytes", "created"}; ends it either way. */
json_t *upload_end(struct server *server, struct upload *upload, const char *name, struct err *err);
void upload_cancel(struct server *server, struct upload *upload); /* NULL is allowed */

/* All that there are. */
json_t *uploads_json(const struct server *server);
/* False if there is none. Runs that use it keep it. */
bool uploads_delete(struct server *server, const char *id);
bool uploads_has(const struct server *server, const char *id);

#endif

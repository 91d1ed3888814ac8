/*
 * http.h - the server's door: libmicrohttpd in one thread, which reads requests, has them checked
 * (request.h) and answered (api.h), and sends the answers.
 *
 * It never waits: an answer that takes a task, and one that consists of events, leaves its
 * connection suspended until the server's other thread stirs it. All headers of a request must be
 * there within a time, a body must not stop for as long, and there are limits on connections, on
 * the size of headers and bodies, and on those who watch.
 */
#ifndef WEB_HTTP_H
#define WEB_HTTP_H

#include "web/server.h"

struct http;

/* The bytes of PEM files, for TLS; NULL: none. */
struct http_tls {
	const char *certificate, *key;
};

/* Listens at the socket, which it owns from then on. NULL with a sentence. */
struct http *http_start(struct server *server, int fd, const struct http_tls *tls, struct err *err);
void http_stop(struct http *http);

#endif

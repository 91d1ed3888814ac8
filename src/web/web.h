/*
 * web.h - `cyclestack serve`: a page and an API through which programs are run, watched and
 * compared. What a command line says becomes a server here; see server.h for its parts.
 *
 * Beyond this machine's loopback addresses there must be a token, and TLS or a proxy that speaks
 * it; a server that listens there without is refused.
 */
#ifndef WEB_WEB_H
#define WEB_WEB_H

#include "web/server.h"

#define WEB_LISTEN_USUAL "127.0.0.1:8650"

struct web_options {
	const char *listen;	  /* HOST:PORT, PORT, or NULL */
	const char *const *names; /* under which it is reached besides its address */
	size_t name_count;
	const char *token_path;	       /* a file whose first line is the token; NULL: none */
	const char *certificate, *key; /* files in PEM; NULL: no TLS */
	bool is_behind_proxy;
	struct server_options server; /* without its door */
	/* Called when it listens, with its address as a URL. */
	void (*listening)(const char *url);
	void (*warn)(const char *sentence);
};

/* Until a signal asks it to end. False with a sentence. */
bool web_serve(const struct web_options *options, struct err *err);

#endif

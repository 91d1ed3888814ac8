/*
 * request.h - a request as the server understands it: its address taken apart, its headers
 * checked. Nothing here opens a file or a socket, and every byte may be hostile.
 *
 * A path has segments of letters, digits, dots, dashes and underscores; a segment of dots alone,
 * an empty one or an escaped character is refused, so nothing of a path needs decoding and none of
 * it leads anywhere. Values of a query are decoded once, and are UTF-8 without control characters.
 *
 * Who may ask: the Host must be one of the server's own names (a page of another site that made its
 * name lead here has its own name there), a request that a page of another site makes is refused by
 * its Origin or Sec-Fetch-Site, and where there is a token it must be in the Authorization header
 * or in the cookie.
 */
#ifndef WEB_REQUEST_H
#define WEB_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define REQUEST_TARGET_MOST   8192
#define REQUEST_SEGMENTS_MOST 8
#define REQUEST_SEGMENT_MOST  128
#define REQUEST_VALUES_MOST   16
#define TOKEN_BYTES_LEAST     16
#define TOKEN_BYTES_MOST      256

enum web_method { WEB_GET, WEB_HEAD, WEB_POST, WEB_DELETE, WEB_METHODS };

/* What a client sent, as it was sent; a header that is not there is NULL. */
struct web_headers {
	const char *host, *origin, *fetch_site, *authorization, *cookie, *content_type;
	const char *last_event, *content_length;
};

struct web_request {
	enum web_method method;
	/* Owned; the rest refers to it. */
	char *path, *query;
	const char *segments[REQUEST_SEGMENTS_MOST];
	size_t segment_count;
	struct {
		const char *name, *value;
	} values[REQUEST_VALUES_MOST];
	size_t value_count;
};

/* What the server is called and who may ask it. */
struct web_door {
	const char *const *names; /* HOST:PORT or HOST, lower case */
	size_t name_count;
	const char *token; /* NULL: none is required */
	bool is_secure;	   /* pages come by https, from here or from a proxy */
};

/* False with a sentence if there is no such method; a request to be released otherwise, also if the
 * target is refused. */
bool web_method_read(enum web_method *method, const char *text);
bool web_request_read(struct web_request *request, enum web_method method, const char *target,
		      struct err *err);
void web_request_release(struct web_request *request);
/* The decoded value of the query, or NULL. */
const char *web_request_value(const struct web_request *request, const char *name);
/* The same as a number; false with a sentence if it is none. Not given: *value stays. */
bool web_request_number(const struct web_request *request, const char *name, uint64_t *value,
			struct err *err);

/* 0 if it may be answered, else the status of the refusal with a sentence. `needs_token`: of a page
 * that asks for the token itself it is not. */
unsigned web_door_check(const struct web_door *door, const struct web_request *request,
			const struct web_headers *headers, bool needs_token, struct err *err);
/* Whether two texts are equal, in a time that does not depend on where they differ. */
bool web_is_token(const char *token, const char *given, size_t given_bytes);
/* Text of a request, UTF-8 without control characters. */
bool web_is_text(const char *text);

#define WEB_COOKIE "cyclestack_token"

#endif

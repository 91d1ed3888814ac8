#include "web/request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/number.h"
#include "base/printable.h"

bool web_method_read(enum web_method *method, const char *text)
{
	static const char *const names[WEB_METHODS] = {"GET", "HEAD", "POST", "DELETE"};

	for (int i = 0; i < WEB_METHODS; i++) {
		if (strcmp(text, names[i]) == 0) {
			*method = (enum web_method)i;
			return true;
		}
	}
	return false;
}

bool web_is_text(const char *text)
{
	const size_t length = strlen(text);
	char *copy = mem_alloc(length + 1);
	const size_t printed = printable_copy(copy, length, (const uint8_t *)text, length);
	const bool is_same = printed == length && memcmp(copy, text, length) == 0;

	free(copy);
	return is_same;
}

static bool is_segment_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.';
}

static bool read_segment(struct web_request *r, char *segment, struct err *err)
{
	const size_t length = strlen(segment);

	if (!length || length > REQUEST_SEGMENT_MOST || strspn(segment, ".") == length)
		return err_set(err, "there is no such page");
	for (size_t i = 0; i < length; i++)
		if (!is_segment_character(segment[i]))
			return err_set(err, "there is no such page");
	if (r->segment_count == REQUEST_SEGMENTS_MOST)
		return err_set(err, "there is no such page");
	r->segments[r->segment_count++] = segment;
	return true;
}

static bool read_path(struct web_request *r, struct err *err)
{
	char *rest = r->path;

	if (rest[0] != '/')
		return err_set(err, "an address begins with /");
	rest++;
	while (*rest) {
		char *slash = strchr(rest, '/');

		if (slash)
			*slash = 0;
		if (!read_segment(r, rest, err))
			return false;
		if (!slash)
			break;
		rest = slash + 1;
		if (!*rest)
			return err_set(err, "there is no such page");
	}
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes in place; false if an escape is none, or stands for NUL. */
static bool decode(char *text)
{
	char *out = text;

	for (const char *in = text; *in; in++) {
		if (*in != '%') {
			*out++ = (char)(*in == '+' ? ' ' : *in);
			continue;
		}
		const int high = hex_digit(in[1]), low = high < 0 ? -1 : hex_digit(in[2]);

		if (low < 0 || high * 16 + low == 0)
			return false;
		*out++ = (char)(high * 16 + low);
		in += 2;
	}
	*out = 0;
	return true;
}

static bool read_query(struct web_request *r, struct err *err)
{
	char *rest = r->query;

	while (rest && *rest) {
		char *end = strchr(rest, '&'), *name = rest;

		if (end)
			*end = 0;
		rest = end ? end + 1 : NULL;
		char *value = strchr(name, '=');
		if (!value)
			return err_set(err, "a query has the form NAME=VALUE&NAME=VALUE");
		*value++ = 0;
		if (r->value_count == REQUEST_VALUES_MOST)
			return err_set(err, "a query has at most %d values", REQUEST_VALUES_MOST);
		if (!decode(name) || !decode(value) || !web_is_text(name) || !web_is_text(value))
			return err_set(err, "a value of the query is not text in UTF-8");
		r->values[r->value_count].name = name;
		r->values[r->value_count++].value = value;
	}
	return true;
}

bool web_request_read(struct web_request *r, enum web_method method, const char *target,
		      struct err *err)
{
	const char *question = strchr(target, '?');

	*r = (struct web_request){.method = method};
	if (strnlen(target, REQUEST_TARGET_MOST + 1) > REQUEST_TARGET_MOST)
		return err_set(err, "the address is longer than the %d bytes allowed",
			       REQUEST_TARGET_MOST);
	r->path = question ? mem_strndup(target, (size_t)(question - target)) : mem_strdup(target);
	r->query = question ? mem_strdup(question + 1) : NULL;
	return read_path(r, err) && read_query(r, err);
}

void web_request_release(struct web_request *r)
{
	free(r->path);
	free(r->query);
	*r = (struct web_request){0};
}

const char *web_request_value(const struct web_request *r, const char *name)
{
	for (size_t i = 0; i < r->value_count; i++)
		if (strcmp(r->values[i].name, name) == 0)
			return r->values[i].value;
	return NULL;
}

bool web_request_number(const struct web_request *r, const char *name, uint64_t *value,
			struct err *err)
{
	const char *text = web_request_value(r, name);

	return !text || number_read(text, NUMBER_OF_THINGS, value) ||
	       err_set(err, "%s: expected a whole number", name);
}

bool web_is_token(const char *token, const char *given, size_t given_bytes)
{
	const size_t length = strlen(token);
	unsigned differs = length != given_bytes;

	for (size_t i = 0; i < length; i++)
		differs |= (unsigned char)token[i] ^
			   (unsigned char)(given_bytes ? given[i % given_bytes] : 0);
	return !differs;
}

static bool is_own_name(const struct web_door *door, const char *name)
{
	for (size_t i = 0; i < door->name_count; i++)
		if (strcasecmp(door->names[i], name) == 0)
			return true;
	return false;
}

/* SCHEME://HOST of one of the server's own names. */
static bool is_own_origin(const struct web_door *door, const char *origin)
{
	const char *scheme = door->is_secure ? "https://" : "http://";
	const size_t length = strlen(scheme);

	return strncmp(origin, scheme, length) == 0 && is_own_name(door, origin + length);
}

static bool has_bearer(const struct web_door *door, const char *authorization)
{
	static const char bearer[] = "Bearer ";
	const size_t length = sizeof(bearer) - 1;

	return authorization && strncasecmp(authorization, bearer, length) == 0 &&
	       web_is_token(door->token, authorization + length, strlen(authorization + length));
}

static bool has_cookie(const struct web_door *door, const char *cookie)
{
	const size_t length = strlen(WEB_COOKIE "=");

	while (cookie && *cookie) {
		cookie += strspn(cookie, " ;");
		const size_t bytes = strcspn(cookie, ";");

		if (strncmp(cookie, WEB_COOKIE "=", length) == 0 && bytes >= length &&
		    web_is_token(door->token, cookie + length, bytes - length))
			return true;
		cookie += bytes;
	}
	return false;
}

unsigned web_door_check(const struct web_door *door, const struct web_request *r,
			const struct web_headers *headers, bool needs_token, struct err *err)
{
	const bool changes = r->method == WEB_POST || r->method == WEB_DELETE;

	if (!headers->host || !is_own_name(door, headers->host)) {
		err_set(err, "this server does not have the name in Host: open it by the address "
			     "that it printed, or give it the name with --name");
		return 421;
	}
	if (headers->origin && !is_own_origin(door, headers->origin)) {
		err_set(err, "the request comes from a page of another site");
		return 403;
	}
	/* A link on another page may lead to a page, and nothing else. */
	const bool is_page = !changes && (!r->segment_count || strcmp(r->segments[0], "api") != 0);
	if (headers->fetch_site && !is_page && strcmp(headers->fetch_site, "same-origin") != 0 &&
	    strcmp(headers->fetch_site, "none") != 0) {
		err_set(err, "the request comes from a page of another site");
		return 403;
	}
	if (door->token && needs_token && !has_bearer(door, headers->authorization) &&
	    !has_cookie(door, headers->cookie)) {
		err_set(err, "the token is missing or wrong: send it as `Authorization: Bearer "
			     "TOKEN`, or enter it on the page");
		return 401;
	}
	return 0;
}

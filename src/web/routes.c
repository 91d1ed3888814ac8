#include "web/routes.h"

#include <string.h>

const struct route routes[ROUTE_COUNT] = {
#define ROUTE(id, method, path, body) [ROUTE_##id] = {method, path, ROUTE_BODY_##body},
#include "web/routes.def"
};

static bool fits(const struct web_request *request, const char *path)
{
	size_t count = 0;

	for (const char *at = path + 1; *at;) {
		const size_t length = strcspn(at, "/");

		if (count == request->segment_count)
			return false;
		const char *segment = request->segments[count++];
		if (*at != '{' && (strlen(segment) != length || strncmp(segment, at, length) != 0))
			return false;
		at += length + (at[length] == '/');
	}
	return count == request->segment_count;
}

enum route_id route_find(const struct web_request *request, unsigned *allowed)
{
	const enum web_method method = request->method == WEB_HEAD ? WEB_GET : request->method;

	*allowed = 0;
	for (int i = 0; i < ROUTE_COUNT; i++) {
		if (!fits(request, routes[i].path))
			continue;
		if (routes[i].method == method) {
			*allowed = 0;
			return (enum route_id)i;
		}
		*allowed |= 1u << routes[i].method;
	}
	return ROUTE_COUNT;
}

bool route_is_api(enum route_id id)
{
	return strncmp(routes[id].path, "/api/", 5) == 0;
}

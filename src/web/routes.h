/*
 * routes.h - which row of routes.def a request is for.
 */
#ifndef WEB_ROUTES_H
#define WEB_ROUTES_H

#include "web/request.h"

enum route_id {
#define ROUTE(id, method, path, body) ROUTE_##id,
#include "web/routes.def"
	ROUTE_COUNT
};

enum route_body { ROUTE_BODY_NONE, ROUTE_BODY_JSON, ROUTE_BODY_UPLOAD };

struct route {
	enum web_method method;
	const char *path;
	enum route_body body;
};

extern const struct route routes[ROUTE_COUNT];

/* ROUTE_COUNT if there is none; *allowed then says which methods the path has, as bits. HEAD is
 * answered as GET. */
enum route_id route_find(const struct web_request *request, unsigned *allowed);
/* Whether the route is beneath /api/. */
bool route_is_api(enum route_id id);

#endif

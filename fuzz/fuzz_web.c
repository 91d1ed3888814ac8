/*
 * Any bytes as a request: a line METHOD TARGET, lines NAME: VALUE, an empty line and a body. What
 * gets through the door has one of its names, no foreign origin and the token; a path has harmless
 * segments only; an order becomes a command line in which nothing of the client's is an option of
 * its own or a path. The body is also read as what a command says on its standard error.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "web/order.h"
#include "web/routes.h"
#include "web/said.h"

#define TOKEN "0123456789abcdef"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void read_header(struct web_headers *headers, const char *name, const char *value)
{
	static const struct {
		const char *name;
		size_t offset;
	} known[] = {
		{"host", offsetof(struct web_headers, host)},
		{"origin", offsetof(struct web_headers, origin)},
		{"sec-fetch-site", offsetof(struct web_headers, fetch_site)},
		{"authorization", offsetof(struct web_headers, authorization)},
		{"cookie", offsetof(struct web_headers, cookie)},
		{"content-type", offsetof(struct web_headers, content_type)},
		{"last-event-id", offsetof(struct web_headers, last_event)},
	};

	for (size_t i = 0; i < ARRAY_COUNT(known); i++)
		if (strcasecmp(known[i].name, name) == 0)
			*(const char **)((char *)headers + known[i].offset) = value;
}

/* Takes the text apart in place; the body. */
static char *read_all(char *text, char **method, char **target, struct web_headers *headers)
{
	char *line = text, *end = strchr(text, '\n');

	if (end)
		*end = 0;
	char *blank = strchr(line, ' ');
	if (blank)
		*blank = 0;
	*method = line;
	*target = blank ? blank + 1 : line + strlen(line);
	while (end && end[1] && end[1] != '\n') {
		line = end + 1;
		end = strchr(line, '\n');
		if (end)
			*end = 0;
		char *colon = strstr(line, ": ");
		if (colon) {
			*colon = 0;
			read_header(headers, line, colon + 2);
		}
	}
	return end ? end + 1 + (end[1] == '\n') : text + strlen(text);
}

static void check_path(const struct web_request *request)
{
	for (size_t i = 0; i < request->segment_count; i++) {
		const char *segment = request->segments[i];

		BUG_ON(!*segment || strcmp(segment, ".") == 0 || strcmp(segment, "..") == 0 ||
		       strpbrk(segment, "/%\\"));
	}
	for (size_t i = 0; i < request->value_count; i++)
		BUG_ON(!web_is_text(request->values[i].value));
}

static void check_door(const struct web_request *request, const struct web_headers *headers)
{
	static const char *const names[] = {"localhost:8650", "127.0.0.1:8650"};
	struct web_door door = {.names = names, .name_count = 2, .token = TOKEN};
	struct err err;

	if (web_door_check(&door, request, headers, true, &err) == 0) {
		const bool is_bearer =
			headers->authorization && strstr(headers->authorization, " " TOKEN);

		BUG_ON(!is_bearer && !(headers->cookie && strstr(headers->cookie, "=" TOKEN)));
		BUG_ON(strcasecmp(headers->host, names[0]) && strcasecmp(headers->host, names[1]));
		BUG_ON(headers->origin && strncmp(headers->origin, "http://", 7));
	}
	door.is_secure = true;
	if (web_door_check(&door, request, headers, false, &err) == 0)
		BUG_ON(headers->origin && strncmp(headers->origin, "https://", 8));
}

/* Until the program comes, each word is the command's own. */
static void check_arguments(char **arguments, const char *program)
{
	size_t i = 2;

	BUG_ON(strcmp(arguments[0], "cyclestack"));
	for (; arguments[i] && strncmp(arguments[i], "--", 2) == 0; i++)
		BUG_ON(strncmp(arguments[i], "--mount=", 8) == 0 &&
		       strcmp(arguments[i], "--mount=/files=files:ro"));
	BUG_ON(!arguments[i]);
	if (program)
		BUG_ON(program[0] == '@' ? strncmp(arguments[i], program, strlen(program))
					 : strncmp(arguments[i], "./" ORDER_PROGRAM, 9));
}

static void check_order(const char *body)
{
	struct web_limits limits;
	char field[ORDER_FIELD_BYTES];
	struct err err;
	json_t *json = json_loads(body, JSON_REJECT_DUPLICATES, NULL);

	web_limits_init(&limits);
	json_t *order = json ? order_read(json, &limits, field, &err) : NULL;
	if (order) {
		const struct order_place place = {
			.key = "/key", .to = 1, .listen = 2, .limits = &limits, .store = "/s"};
		char **arguments = order_arguments(order, &place);

		check_arguments(arguments, json_string_value(json_object_get(order, "program")));
		BUG_ON(order_memory(order, &limits) < (1 << 20));
		order_arguments_free(arguments);
		json_decref(order);
	}
	order = json ? order_read_counters(json, field, &err) : NULL;
	if (order) {
		char **arguments = order_configure_arguments(order, "/key", 1);

		check_arguments(arguments, NULL);
		order_arguments_free(arguments);
		json_decref(order);
	}
	json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = mem_alloc(size + 1), *method, *target;
	struct web_headers headers = {0};
	struct web_request request;
	enum web_method kind = WEB_GET;
	unsigned allowed;
	struct err err;

	memcpy(text, bytes, size);
	const char *body = read_all(text, &method, &target, &headers);
	web_method_read(&kind, method);
	if (web_request_read(&request, kind, target, &err)) {
		check_path(&request);
		check_door(&request, &headers);
		const enum route_id route = route_find(&request, &allowed);
		BUG_ON(route != ROUTE_COUNT && allowed);
	}
	web_request_release(&request);
	check_order(body);

	struct said said;
	said_init(&said);
	said_take(&said, body, strlen(body));
	said_end(&said);
	for (size_t i = 0; i < said.count; i++)
		BUG_ON(!web_is_text(said.items[i]));
	said_release(&said);
	free(text);
	return 0;
}

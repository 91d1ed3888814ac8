/* Answers about the results that the store has: those of this server's runs, and all others. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "web/api.h"
#include "web/order.h"

#define QUERY_SECONDS "10"
#define QUERY_MOST    8192

struct words {
	char **items;
	size_t count, capacity;
};

static void add(struct words *words, char *text)
{
	*ARRAY_PUSH(words->items, words->count, words->capacity) = text;
}

/* The filters of `results list`, by their names. */
void api_results(const struct api_call *call, struct answer *answer)
{
	static const char *const filters[] = {"program", "machine", "command", "tag"};
	struct words words = {0};
	uint64_t most = 200;
	struct err err;

	if (!web_request_number(call->request, "limit", &most, &err)) {
		answer_error(answer, 400, err.text);
		return;
	}
	add(&words, mem_strdup("cyclestack"));
	add(&words, mem_strdup("results"));
	add(&words, mem_strdup("list"));
	add(&words, mem_format("--store=%s", call->server->options.store));
	add(&words, mem_format("--limit=%llu", (unsigned long long)(most ? most : 1)));
	for (size_t i = 0; i < ARRAY_COUNT(filters); i++) {
		const char *value = web_request_value(call->request, filters[i]);

		if (value)
			add(&words, mem_format("--%s=%s", filters[i], value));
	}
	add(&words, mem_strdup("--json=-"));
	add(&words, NULL);
	api_task(call, answer, words.items, false, "application/json");
}

void api_result(const struct api_call *call, struct answer *answer)
{
	const struct api_format *format = api_format_of(call, call->request->segments[4], answer);
	uint64_t id;

	if (!format)
		return;
	if (!number_read(call->request->segments[3], NUMBER_OF_THINGS, &id)) {
		answer_error(answer, 404, "there is no such result");
		return;
	}
	char *path = mem_format("%s#%llu", call->server->options.store, (unsigned long long)id);
	snprintf(answer->name, sizeof(answer->name), "cyclestack-s%llu.%s", (unsigned long long)id,
		 format->extension);
	api_make_format(call, format, "show", path, NULL, answer);
	free(path);
}

/* One SELECT, which can write nothing and ends after some seconds. */
void api_query(const struct api_call *call, struct answer *answer)
{
	json_t *body = api_body(call, answer);
	const json_t *sql = json_object_get(body, "sql");
	struct words words = {0};

	if (!body)
		return;
	if (!json_is_string(sql) || json_string_length(sql) > QUERY_MOST ||
	    strlen(json_string_value(sql)) != json_string_length(sql) ||
	    json_string_value(sql)[0] == '-') {
		api_field_error(answer, "sql", "sql: expected one SELECT");
		json_decref(body);
		return;
	}
	add(&words, mem_strdup("cyclestack"));
	add(&words, mem_strdup("results"));
	add(&words, mem_format("--store=%s", call->server->options.store));
	add(&words, mem_strdup("--timeout=" QUERY_SECONDS));
	add(&words, mem_strdup("--json=-"));
	add(&words, mem_strdup("query"));
	add(&words, mem_strdup(json_string_value(sql)));
	add(&words, NULL);
	json_decref(body);
	api_task(call, answer, words.items, false, "application/json");
}

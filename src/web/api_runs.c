/* Answers about runs. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/number.h"
#include "web/api.h"
#include "web/order.h"
#include "web/place.h"
#include "web/uploads.h"

#define LIST_USUAL 100
#define LIST_MOST  1000

static const struct api_format formats[] = {
	{"json", "--json", "application/json", "json", ANSWER_DATA},
	{"html", "--html", "text/html; charset=utf-8", "html", ANSWER_RESULT},
	{"csv", "--csv", "text/csv; charset=utf-8", "csv", ANSWER_DATA},
	{"svg", "--svg", "image/svg+xml", "svg", ANSWER_RESULT},
	{"sqlite", "--sqlite", "application/vnd.sqlite3", "db", ANSWER_DATA},
	{"text", "--report", "text/plain; charset=utf-8", "txt", ANSWER_DATA},
};

static const struct api_format *find_format(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

/* The run of the address, or an answer that there is none. */
static struct run *run_of(const struct api_call *call, const char *text, struct answer *answer)
{
	uint64_t id;
	struct run *run =
		number_read(text, NUMBER_OF_THINGS, &id) ? server_find(call->server, id) : NULL;

	if (!run)
		answer_error(answer, 404, "there is no such run");
	return run;
}

void api_runs(const struct api_call *call, struct answer *answer)
{
	const struct server *server = call->server;
	uint64_t most = LIST_USUAL, before = UINT64_MAX;
	json_t *list = json_array();
	struct err err;

	if (!web_request_number(call->request, "limit", &most, &err) ||
	    !web_request_number(call->request, "before", &before, &err)) {
		json_decref(list);
		answer_error(answer, 400, err.text);
		return;
	}
	most = most < LIST_MOST ? most : LIST_MOST;
	for (size_t i = server->run_count; i-- > 0 && json_array_size(list) < most;)
		if (server->runs[i]->id < before)
			json_array_append_new(list, run_json(server->runs[i], false));
	answer_json(answer, 200, json_pack("{s:o}", "runs", list));
}

static bool has_uploads(const struct api_call *call, const json_t *order,
			char field[ORDER_FIELD_BYTES], struct err *err)
{
	static const char *const members[] = {"program", "input"};

	for (size_t i = 0; i < ARRAY_COUNT(members); i++) {
		const char *id = json_string_value(json_object_get(order, members[i]));

		if (id && id[0] != '@' && !uploads_has(call->server, id)) {
			snprintf(field, ORDER_FIELD_BYTES, "%s", members[i]);
			return err_set(err, "%s: there is no such upload", members[i]);
		}
	}
	return true;
}

void api_run_begin(const struct api_call *call, struct answer *answer)
{
	json_t *body = api_body(call, answer);
	char field[ORDER_FIELD_BYTES];
	struct err err;
	unsigned status = 422;

	if (!body)
		return;
	json_t *order = order_read(body, &call->server->options.limits, field, &err);
	json_decref(body);
	if (!order || !has_uploads(call, order, field, &err)) {
		json_decref(order);
		api_field_error(answer, field, err.text);
		return;
	}
	const struct run *run = server_enqueue(call->server, order, &status, &err);
	if (!run) {
		answer_error(answer, status, err.text);
		return;
	}
	answer_json(answer, 201, run_json(run, true));
	snprintf(answer->location, sizeof(answer->location), "/api/v1/runs/%llu",
		 (unsigned long long)run->id);
}

static void delete_run(const struct api_call *call, struct run *run, struct answer *answer)
{
	if (!run_is_over(run)) {
		answer_error(answer, 409, "the run is not over: stop it first");
		return;
	}
	server_delete(call->server, run);
	answer_json(answer, 200, json_object());
}

static void stop_run(const struct api_call *call, struct run *run, struct answer *answer)
{
	if (run_is_over(run)) {
		answer_error(answer, 409, "the run is over");
		return;
	}
	server_stop(call->server, run);
	server_wake(call->server);
	answer_json(answer, 202, run_json(run, true));
}

static void configure_run(const struct api_call *call, const struct run *run, struct answer *answer)
{
	char field[ORDER_FIELD_BYTES];
	struct err err;

	if (run->state != RUN_RUNNING || !run->live) {
		answer_error(answer, 409,
			     run->state == RUN_RUNNING
				     ? "only a run of stat has counters that can be configured"
				     : "the run is not under way");
		return;
	}
	json_t *body = api_body(call, answer);
	if (!body)
		return;
	json_t *counters = order_read_counters(body, field, &err);
	json_decref(body);
	if (!counters) {
		api_field_error(answer, field, err.text);
		return;
	}
	api_task(call, answer,
		 order_configure_arguments(counters, call->server->key_path,
					   live_configure_port(run->live)),
		 false, "application/json");
	json_decref(counters);
}

static void show_output(const struct api_call *call, const struct run *run, struct answer *answer)
{
	const bool is_errors = call->route == ROUTE_RUN_ERRORS;
	char name[64];
	uint64_t bytes;

	snprintf(name, sizeof(name), "%llu/%s", (unsigned long long)run->id,
		 is_errors ? "errors" : "output");
	const int fd = place_open_file(call->server->runs_fd, name, &bytes);
	if (fd >= 0)
		answer_file(answer, "text/plain; charset=utf-8", fd);
	else
		answer_static(answer, "text/plain; charset=utf-8", "", 0);
}

static void watch(const struct api_call *call, const struct run *run, struct answer *answer)
{
	const char *last = call->headers->last_event;
	uint64_t from = 0;
	struct err err;

	if (last && number_read(last, NUMBER_OF_THINGS, &from))
		from++;
	if (!web_request_number(call->request, "from", &from, &err)) {
		answer_error(answer, 400, err.text);
		return;
	}
	answer_release(answer);
	answer->status = 200;
	answer->type = "text/event-stream";
	answer->watches = run->id;
	answer->from_event = from;
}

void api_run(const struct api_call *call, struct answer *answer)
{
	struct run *run = run_of(call, call->request->segments[3], answer);

	if (!run)
		return;
	switch (call->route) {
	case ROUTE_RUN_DELETE: delete_run(call, run, answer); break;
	case ROUTE_RUN_STOP: stop_run(call, run, answer); break;
	case ROUTE_RUN_CONFIGURE: configure_run(call, run, answer); break;
	case ROUTE_RUN_EVENTS: watch(call, run, answer); break;
	case ROUTE_RUN_OUTPUT:
	case ROUTE_RUN_ERRORS: show_output(call, run, answer); break;
	default: answer_json(answer, 200, run_json(run, true)); break;
	}
}

const struct api_format *api_format_of(const struct api_call *call, const char *name,
				       struct answer *answer)
{
	const struct api_format *format = find_format(name);
	const char *table = web_request_value(call->request, "table");

	if (!format)
		answer_error(answer, 404,
			     "a result is there as json, html, csv, svg, sqlite and text");
	else if (table && !order_is_word(table))
		answer_error(answer, 400, "table: expected the name of a table of the result");
	else
		return format;
	return NULL;
}

void api_make_format(const struct api_call *call, const struct api_format *format,
		     const char *command, const char *first, const char *second,
		     struct answer *answer)
{
	const char *table = web_request_value(call->request, "table");
	const bool is_csv = strcmp(format->name, "csv") == 0;
	char **words;

	answer->policy = format->policy;
	if (is_csv && table) {
		char *named = mem_format("--table=%s", table);

		words = api_words("cyclestack", command, format->option, "-", named, first, second,
				  NULL);
		free(named);
	} else {
		words = api_words("cyclestack", command, format->option, "-", first, second, NULL);
	}
	/* The store may give a number to another result, once the one that had it is gone. */
	const bool is_stored = strchr(first, '#') || (second && strchr(second, '#'));
	api_task(call, answer, words, !is_stored, format->type);
}

void api_run_result(const struct api_call *call, struct answer *answer)
{
	struct run *run = run_of(call, call->request->segments[3], answer);
	const struct api_format *format =
		run ? api_format_of(call, call->request->segments[5], answer) : NULL;
	char name[64], saved[sizeof(answer->name)];
	uint64_t bytes;

	if (!format)
		return;
	if (!run_is_over(run)) {
		answer_error(answer, 409, "the run is not over: there is no result yet");
		return;
	}
	const bool is_direct =
		strcmp(format->name, "json") == 0 || strcmp(format->name, "html") == 0;
	snprintf(saved, sizeof(saved), "cyclestack-%llu.%s", (unsigned long long)run->id,
		 format->extension);
	snprintf(name, sizeof(name), "%llu/result.%s", (unsigned long long)run->id,
		 is_direct ? format->name : "json");
	const int fd = place_open_file(call->server->runs_fd, name, &bytes);
	if (fd < 0) {
		answer_error(answer, 404, "the run has no result");
		return;
	}
	if (is_direct) {
		answer_file(answer, format->type, fd);
		answer->policy = format->policy;
	} else {
		char *path = mem_format("runs/%s", name);

		close(fd);
		api_make_format(call, format, "show", path, NULL, answer);
		free(path);
	}
	if (answer->status == 200 || answer->task)
		memcpy(answer->name, saved, sizeof(saved));
}

void api_compare(const struct api_call *call, struct answer *answer)
{
	const struct api_format *format = api_format_of(call, call->request->segments[3], answer);
	const char *texts[2] = {web_request_value(call->request, "a"),
				web_request_value(call->request, "b")};
	char *paths[2] = {NULL, NULL};
	uint64_t id;

	if (!format)
		return;
	for (int i = 0; i < 2; i++) {
		if (texts[i] && texts[i][0] == 's' &&
		    number_read(texts[i] + 1, NUMBER_OF_THINGS, &id)) {
			paths[i] = mem_format("%s#%llu", call->server->options.store,
					      (unsigned long long)id);
			continue;
		}
		const struct run *run = texts[i] ? run_of(call, texts[i], answer) : NULL;

		if (!run || !run_is_over(run)) {
			if (!texts[i])
				answer_error(answer, 400,
					     "which? Give a=RUN and b=RUN, or sID for a "
					     "result of the store");
			else if (run)
				answer_error(answer, 409, "the run is not over");
			break;
		}
		paths[i] = mem_format("runs/%llu/result.json", (unsigned long long)run->id);
	}
	if (paths[0] && paths[1])
		api_make_format(call, format, "diff", paths[0], paths[1], answer);
	free(paths[0]);
	free(paths[1]);
}

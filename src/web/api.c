#include "web/api.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "config/config.h"
#include "doc/page.h"
#include "web/assets.h"
#include "web/machine_check.h"
#include "web/order.h"
#include "web/uploads.h"

#define GROUP_BYTES_MOST 65536

char **api_words(const char *first, ...)
{
	char **words = NULL;
	size_t count = 0, capacity = 0;
	va_list list;

	va_start(list, first);
	for (const char *word = first; word; word = va_arg(list, const char *))
		*ARRAY_PUSH(words, count, capacity) = mem_strdup(word);
	va_end(list);
	*ARRAY_PUSH(words, count, capacity) = NULL;
	return words;
}

void api_task(const struct api_call *call, struct answer *answer, char **arguments, bool is_kept,
	      const char *type)
{
	struct task *task = tasks_begin(&call->server->tasks, arguments, is_kept);

	if (!task) {
		answer_error(answer, 503, "too much is asked for at a time: try again later");
		return;
	}
	answer->task = task;
	answer->type = type;
	if (task->state == TASK_ENDED)
		api_finish(call, answer);
	else
		server_wake(call->server);
}

void api_finish(const struct api_call *call, struct answer *answer)
{
	struct task *task = answer->task;
	const enum answer_policy policy = answer->policy;
	const char *type = answer->type;
	char sentence[ERR_TEXT_BYTES], name[sizeof(answer->name)];

	memcpy(name, answer->name, sizeof(name));
	if (task->status != 0) {
		task_sentence(task, sentence, sizeof(sentence));
		answer_error(answer, 422, sentence);
	} else if (call->route == ROUTE_RUN_CONFIGURE) {
		answer_json(answer, 200, json_pack("{s:b}", "accepted", true));
	} else {
		answer_release(answer);
		answer->status = 200;
		answer->policy = policy;
		answer->type = type;
		memcpy(answer->name, name, sizeof(name));
		answer->text = mem_alloc(task->bytes + 1);
		memcpy(answer->text, task->text, task->bytes);
		answer->bytes = task->bytes;
	}
	answer->task = NULL;
	tasks_drop(&call->server->tasks, task);
}

void api_field_error(struct answer *answer, const char *field, const char *sentence)
{
	answer_json(answer, 422,
		    *field ? json_pack("{s:s, s:s}", "error", sentence, "field", field)
			   : json_pack("{s:s}", "error", sentence));
}

json_t *api_body(const struct api_call *call, struct answer *answer)
{
	json_error_t error;
	json_t *body = json_loadb(call->body ? call->body : "", call->bytes, JSON_REJECT_DUPLICATES,
				  &error);
	char sentence[256];

	if (body)
		return body;
	snprintf(sentence, sizeof(sentence), "the body is not JSON: line %d: %.160s", error.line,
		 error.text);
	answer_error(answer, 400, sentence);
	return NULL;
}

static void about(const struct api_call *call, struct answer *answer)
{
	const struct server *server = call->server;
	json_t *states = json_object();
	uint64_t counts[RUN_STATE_COUNT] = {0};

	for (size_t i = 0; i < server->run_count; i++)
		counts[server->runs[i]->state]++;
	for (int i = 0; i < RUN_STATE_COUNT; i++)
		json_object_set_new(states, run_state_name((enum run_state)i),
				    json_integer((json_int_t)counts[i]));
	answer_json(answer, 200,
		    json_pack("{s:s, s:i, s:s, s:s, s:o, s:I, s:b}", "name", "cyclestack", "api", 1,
			      "version", server->options.version, "description",
			      "/api/v1/openapi.json", "runs", states, "disk",
			      (json_int_t)server->disk_bytes, "store",
			      server->options.store != NULL));
}

static void begin_session(const struct api_call *call, struct answer *answer)
{
	const struct web_door *door = &call->server->options.door;
	json_t *body = api_body(call, answer);
	const char *given = json_string_value(json_object_get(body, "token"));

	if (!body)
		return;
	if (!door->token || (given && web_is_token(door->token, given, strlen(given)))) {
		answer_json(answer, 200, json_pack("{s:b}", "token", door->token != NULL));
		if (door->token)
			snprintf(answer->cookie, sizeof(answer->cookie),
				 WEB_COOKIE "=%s; Path=/; HttpOnly; SameSite=Strict%s", door->token,
				 door->is_secure ? "; Secure" : "");
	} else {
		answer_error(answer, 401, "the token is wrong");
	}
	json_decref(body);
}

static void end_session(const struct api_call *call, struct answer *answer)
{
	answer_json(answer, 200, json_object());
	snprintf(answer->cookie, sizeof(answer->cookie),
		 WEB_COOKIE "=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0%s",
		 call->server->options.door.is_secure ? "; Secure" : "");
}

static json_t *group_json(const char *directory, const char *name)
{
	char *path = mem_format("%s/%s.group", directory, name), line[512];
	FILE *in = fopen(path, "re");
	json_t *lines = json_array();
	char meaning[512] = "";

	free(path);
	while (in && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = 0;
		if (line[0] == '#' && !meaning[0])
			snprintf(meaning, sizeof(meaning), "%s", line + 1 + strspn(line + 1, " "));
		else if (line[0] && line[0] != '#')
			json_array_append_new(lines, json_string(line));
	}
	if (in)
		fclose(in);
	return json_pack("{s:s, s:s, s:o}", "name", name, "meaning", meaning, "lines", lines);
}

/* The files of the installation. */
static void groups(const struct api_call *call, struct answer *answer)
{
	const char *directory = call->server->options.groups;
	struct dirent **entries = NULL;
	json_t *list = json_array();
	const int count = scandir(directory, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		char *name = entries[i]->d_name, *dot = strrchr(name, '.');

		if (dot && dot != name && strcmp(dot, ".group") == 0) {
			*dot = 0;
			json_array_append_new(list, group_json(directory, name));
		}
		free(entries[i]);
	}
	free(entries);
	answer_json(answer, 200, json_pack("{s:o}", "groups", list));
}

static void check_machine(const struct api_call *call, struct answer *answer)
{
	const char *name = call->request->segments[3];
	char field[ORDER_FIELD_BYTES] = "";
	json_t *body = api_body(call, answer);
	struct err err;

	if (!body)
		return;
	const json_t *set = json_object_get(body, "set");
	if (!json_is_object(body) || !set) {
		api_field_error(answer, "set",
				"set: expected an object of parameters and their "
				"values");
	} else if (!order_check_set(set, field, &err)) {
		api_field_error(answer, field, err.text);
	} else {
		json_t *found = machine_check(call->server->options.presets, name, set, &err);

		if (found)
			answer_json(answer, 200, found);
		else
			answer_error(answer, 404, err.text);
	}
	json_decref(body);
}

static void machine(const struct api_call *call, struct answer *answer)
{
	const char *name = call->request->segments[3];

	if (!order_is_word(name)) {
		answer_error(answer, 404, "there is no such machine");
		return;
	}
	char *config = mem_format("--config=%s", name);
	api_task(call, answer,
		 api_words("cyclestack", "config", "dump", config, "--json", "-", NULL), true,
		 "application/json");
	free(config);
}

static void functions(const struct api_call *call, struct answer *answer)
{
	const char *program = web_request_value(call->request, "program");

	if (!program || (program[0] != '@' && !uploads_has(call->server, program))) {
		api_field_error(answer, "program",
				"program: expected a workload such as @chess:test, or the id of "
				"an upload");
		return;
	}
	char *path = program[0] == '@' ? mem_strdup(program) : mem_format("uploads/%s", program);
	api_task(call, answer, api_words("cyclestack", "serve", "--list-functions", path, NULL),
		 true, "application/json");
	free(path);
}

static void delete_upload(const struct api_call *call, struct answer *answer)
{
	if (uploads_delete(call->server, call->request->segments[3]))
		answer_json(answer, 200, json_object());
	else
		answer_error(answer, 404, "there is no such upload");
}

static void asset(const struct web_asset *found, enum answer_policy policy, struct answer *answer)
{
	answer_static(answer, found->type, found->bytes, found->size);
	answer->policy = policy;
}

static void find_asset(const struct api_call *call, struct answer *answer)
{
	struct web_asset found;

	if (strcmp(call->request->segments[1], "colours.css") == 0) {
		answer_release(answer);
		answer->status = 200;
		answer->type = "text/css; charset=utf-8";
		answer->text = page_colours();
		answer->bytes = strlen(answer->text);
	} else if (asset_find(&found, call->request->segments[1]))
		asset(&found, ANSWER_DATA, answer);
	else
		answer_error(answer, 404, "there is no such file");
}

static void list(const struct api_call *call, struct answer *answer, const char *command,
		 const char *what)
{
	api_task(call, answer, api_words("cyclestack", command, "--json", "-", what, NULL), true,
		 "application/json");
}

void api_answer(const struct api_call *call, struct answer *answer)
{
	const struct web_asset page = asset_page(), openapi = asset_openapi();

	switch (call->route) {
	case ROUTE_PAGE:
	case ROUTE_PAGE_RUN:
	case ROUTE_PAGE_RESULTS:
	case ROUTE_PAGE_COMPARE: asset(&page, ANSWER_PAGE, answer); break;
	case ROUTE_ASSET: find_asset(call, answer); break;
	case ROUTE_ABOUT: about(call, answer); break;
	case ROUTE_OPENAPI: asset(&openapi, ANSWER_DATA, answer); break;
	case ROUTE_SESSION_BEGIN: begin_session(call, answer); break;
	case ROUTE_SESSION_END: end_session(call, answer); break;
	case ROUTE_LIMITS:
		answer_json(answer, 200,
			    json_pack("{s:o}", "limits",
				      web_limits_json(&call->server->options.limits)));
		break;
	case ROUTE_WORKLOADS: list(call, answer, "workloads", NULL); break;
	case ROUTE_SIGNALS: list(call, answer, "signals", NULL); break;
	case ROUTE_GROUPS: groups(call, answer); break;
	case ROUTE_PARAMETERS: list(call, answer, "config", "keys"); break;
	case ROUTE_MACHINES: list(call, answer, "config", "list"); break;
	case ROUTE_MACHINE: machine(call, answer); break;
	case ROUTE_MACHINE_CHECK: check_machine(call, answer); break;
	case ROUTE_UPLOADS:
		answer_json(answer, 200, json_pack("{s:o}", "uploads", uploads_json(call->server)));
		break;
	case ROUTE_UPLOAD_DELETE: delete_upload(call, answer); break;
	case ROUTE_FUNCTIONS: functions(call, answer); break;
	case ROUTE_RUNS: api_runs(call, answer); break;
	case ROUTE_RUN_BEGIN: api_run_begin(call, answer); break;
	case ROUTE_RUN:
	case ROUTE_RUN_DELETE:
	case ROUTE_RUN_STOP:
	case ROUTE_RUN_CONFIGURE:
	case ROUTE_RUN_EVENTS:
	case ROUTE_RUN_OUTPUT:
	case ROUTE_RUN_ERRORS: api_run(call, answer); break;
	case ROUTE_RUN_RESULT: api_run_result(call, answer); break;
	case ROUTE_COMPARE: api_compare(call, answer); break;
	case ROUTE_RESULTS: api_results(call, answer); break;
	case ROUTE_RESULT: api_result(call, answer); break;
	case ROUTE_QUERY: api_query(call, answer); break;
	/* UPLOAD is http.c's, which takes it in part by part. */
	default: answer_error(answer, 404, "there is no such page"); break;
	}
}

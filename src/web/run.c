#include "web/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "web/order.h"
#include "web/place.h"

#define FILE_MOST    (UINT64_C(16) << 20)
#define EVENTS_BYTES (UINT64_C(8) << 20)

static const char *const state_names[RUN_STATE_COUNT] = {
#define STATE(id, name, meaning) name,
	RUN_STATES(STATE)
#undef STATE
};

const char *run_state_name(enum run_state state)
{
	return state_names[state];
}

bool run_is_over(const struct run *run)
{
	return run->state != RUN_QUEUED && run->state != RUN_RUNNING;
}

struct run *run_create(uint64_t id, json_t *order)
{
	struct run *run = mem_alloc(sizeof(*run));
	struct timespec now;

	*run = (struct run){
		.id = id,
		.order = order,
		.status = -1,
		.child = {0, {-1, -1, -1}},
		.captures = {{.fd = -1}, {.fd = -1}},
	};
	said_init(&run->said);
	clock_gettime(CLOCK_REALTIME, &now);
	events_init(&run->events, (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000,
		    EVENTS_BYTES);
	return run;
}

void run_destroy(struct run *run)
{
	if (!run)
		return;
	child_release(&run->child);
	live_destroy(run->live);
	for (int i = 0; i < 2; i++)
		if (run->captures[i].fd >= 0)
			close(run->captures[i].fd);
	said_release(&run->said);
	events_release(&run->events);
	json_decref(run->order);
	free(run);
}

void run_directory(const struct run *run, char name[32])
{
	snprintf(name, 32, "%llu", (unsigned long long)run->id);
}

static json_t *time_json(double seconds)
{
	char text[32];
	struct tm parts;
	const time_t whole = (time_t)seconds;

	if (seconds <= 0 || !gmtime_r(&whole, &parts))
		return json_null();
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	return json_string(text);
}

/* All sentences, or those about what the program tried and may not. */
static json_t *said_json(const struct said *said, bool is_contained)
{
	json_t *list = json_array();

	for (size_t i = 0; i < said->count; i++)
		if (!is_contained || said->items[i].is_contained)
			json_array_append_new(list, json_string(said->items[i].text));
	return list;
}

bool run_save(const struct run *run, int runs, struct err *err)
{
	char name[32];
	json_t *state = json_pack("{s:s, s:f, s:f, s:f, s:i, s:o, s:o, s:I, s:I}", "state",
				  run_state_name(run->state), "created", run->created, "started",
				  run->started, "ended", run->ended, "status", run->status, "said",
				  said_json(&run->said, false), "contained",
				  said_json(&run->said, true), "packets", (json_int_t)run->packets,
				  "lost", (json_int_t)run->packets_lost);
	char *text = json_dumps(state, JSON_INDENT(1));

	run_directory(run, name);
	const int directory = place_open_directory(runs, name, err);
	bool ok = directory >= 0 && place_write(directory, "state.json", text, strlen(text),
						run->state != RUN_RUNNING, err);
	if (directory >= 0)
		close(directory);
	free(text);
	json_decref(state);
	return ok;
}

static bool link_upload(int uploads, const char *upload, int directory, const char *name,
			struct err *err)
{
	if (linkat(uploads, upload, directory, name, 0) == 0 || errno == EEXIST)
		return true;
	if (errno == ENOENT)
		return err_set(err, "there is no upload %.12s...: it may have been deleted",
			       upload);
	return err_set_errno(err, errno, "cannot use the upload %.12s...", upload);
}

static bool link_files(const struct run *run, int directory, int uploads, struct err *err)
{
	const json_t *list = json_object_get(run->order, "files"), *file;
	bool ok = true;
	size_t i;

	if (!json_array_size(list))
		return true;
	const int files = place_open_directory(directory, "files", err);
	if (files < 0)
		return false;
	json_array_foreach((json_t *)(uintptr_t)list, i, file)
	{
		ok = ok &&
		     link_upload(uploads, json_string_value(json_object_get(file, "upload")), files,
				 json_string_value(json_object_get(file, "name")), err);
	}
	close(files);
	return ok;
}

bool run_save_order(const struct run *run, int runs, int uploads, struct err *err)
{
	const char *program = json_string_value(json_object_get(run->order, "program"));
	const char *input = json_string_value(json_object_get(run->order, "input"));
	char name[32];
	char *text = json_dumps(run->order, JSON_INDENT(1));

	run_directory(run, name);
	const int directory = place_open_directory(runs, name, err);
	bool ok = directory >= 0 &&
		  (program[0] == '@' ||
		   link_upload(uploads, program, directory, ORDER_PROGRAM, err)) &&
		  (!input || link_upload(uploads, input, directory, "input", err)) &&
		  link_files(run, directory, uploads, err) &&
		  place_write(directory, "order.json", text, strlen(text), false, err);
	if (directory >= 0)
		close(directory);
	free(text);
	return ok;
}

static void read_sentence(struct said *said, const json_t *contained, const json_t *sentence)
{
	const json_t *one;
	bool is_contained = false;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)contained, i, one)
	{
		is_contained |= json_equal(one, sentence);
	}
	if (is_contained)
		said_add_contained(said, json_string_value(sentence));
	else
		said_add(said, json_string_value(sentence));
}

static void read_state(struct run *run, const json_t *state)
{
	const char *name = json_string_value(json_object_get(state, "state"));
	const json_t *said = json_object_get(state, "said"), *sentence;
	size_t i;

	for (int k = 0; name && k < RUN_STATE_COUNT; k++)
		if (strcmp(state_names[k], name) == 0)
			run->state = (enum run_state)k;
	run->created = json_number_value(json_object_get(state, "created"));
	run->started = json_number_value(json_object_get(state, "started"));
	run->ended = json_number_value(json_object_get(state, "ended"));
	run->status = (int)json_integer_value(json_object_get(state, "status"));
	run->packets = (uint64_t)json_integer_value(json_object_get(state, "packets"));
	run->packets_lost = (uint64_t)json_integer_value(json_object_get(state, "lost"));
	json_array_foreach((json_t *)(uintptr_t)said, i, sentence)
	{
		if (json_is_string(sentence))
			read_sentence(&run->said, json_object_get(state, "contained"), sentence);
	}
}

static json_t *read_json(int directory, const char *name)
{
	size_t bytes;
	char *text = place_read(directory, name, FILE_MOST, &bytes);
	json_t *json = text ? json_loadb(text, bytes, 0, NULL) : NULL;

	free(text);
	return json;
}

struct run *run_load(int runs, const char *name)
{
	char *end;
	const uint64_t id = strtoull(name, &end, 10);

	if (name[0] < '1' || name[0] > '9' || *end)
		return NULL;
	const int directory = openat(runs, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return NULL;
	json_t *order = read_json(directory, "order.json");
	json_t *state = read_json(directory, "state.json");
	struct run *run = NULL;
	if (json_is_object(order) && json_is_object(state) &&
	    json_is_string(json_object_get(order, "program"))) {
		run = run_create(id, json_incref(order));
		read_state(run, state);
		run->bytes = place_bytes(runs, name);
	}
	json_decref(order);
	json_decref(state);
	close(directory);
	return run;
}

json_t *run_json(const struct run *run, bool is_whole)
{
	json_t *json =
		json_pack("{s:I, s:s, s:o, s:o, s:o, s:I, s:s}", "id", (json_int_t)run->id, "state",
			  run_state_name(run->state), "created", time_json(run->created), "started",
			  time_json(run->started), "ended", time_json(run->ended), "bytes",
			  (json_int_t)run->bytes, "link", "");
	char link[64];

	snprintf(link, sizeof(link), "/runs/%llu", (unsigned long long)run->id);
	json_object_set_new(json, "link", json_string(link));
	json_object_set_new(json, "status",
			    run->status < 0 ? json_null() : json_integer(run->status));
	if (is_whole) {
		json_object_set(json, "order", run->order);
	} else {
		static const char *const shown[] = {"command", "program", "name", "machine"};
		json_t *order = json_object();

		for (size_t i = 0; i < ARRAY_COUNT(shown); i++)
			if (json_object_get(run->order, shown[i]))
				json_object_set(order, shown[i],
						json_object_get(run->order, shown[i]));
		json_object_set_new(json, "order", order);
		return json;
	}
	json_object_set_new(json, "said", said_json(&run->said, false));
	json_object_set_new(json, "contained", said_json(&run->said, true));
	json_object_set_new(json, "progress",
			    run->said.progress[0]
				    ? json_pack("{s:s, s:f}", "text", run->said.progress, "share",
						run->said.share)
				    : json_null());
	json_object_set_new(
		json, "packets",
		json_pack("{s:I, s:I}", "received",
			  (json_int_t)(run->live ? live_received(run->live) : run->packets), "lost",
			  (json_int_t)(run->live ? live_lost(run->live) : run->packets_lost)));
	return json;
}

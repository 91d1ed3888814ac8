#include "job/model_job.h"

#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/jail.h"
#include "job/model_explain.h"
#include "model/kept.h"
#include "model/model.h"
#include "trace/file.h"
#include "trace/places.h"
#include "trace/record.h"
#include "value/layout.h"
#include "value/member.h"

#define WATCH_INSTRUCTIONS 1000000

/* ---- in the worker ---- */

static json_t *components_json(const struct model_components *c)
{
	return json_pack("{s:f, s:f, s:f, s:f}", "base", c->base, "branch", c->branch, "icache",
			 c->icache, "dmiss", c->dmiss);
}

static json_t *detail_json(const struct model *model, size_t point,
			   const struct technique_result *r)
{
	struct model_events events;

	model_events(model, point, &events);
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:I, s:I, s:I, s:I}", "windows",
			 (json_int_t)r->windows, "full_windows", (json_int_t)r->ended[WINDOW_FULL],
			 "mshr_windows", (json_int_t)r->ended[WINDOW_MSHRS], "serialized_misses",
			 (json_int_t)r->serialized, "load_misses", (json_int_t)r->misses,
			 "store_misses", (json_int_t)events.store_misses, "mean_distance",
			 r->mean_distance, "compensation_cycles", r->compensation_cycles,
			 "mispredictions", (json_int_t)events.mispredictions, "fetch_misses",
			 (json_int_t)events.fetch_misses, "fetch_long_misses",
			 (json_int_t)events.fetch_long_misses, "labellings",
			 (json_int_t)model_labellings(model));
}

static json_t *points_json(const struct model_request *request, const struct model *model)
{
	json_t *points = json_array();

	for (size_t i = 0; i < request->point_count; i++)
		for (size_t t = 0; t < request->technique_count; t++) {
			char technique[TECHNIQUE_TEXT_BYTES];
			struct model_components components;
			struct technique_result result;

			model_evaluate(model, i, t, &components, &result, NULL);
			technique_text(&request->techniques[t], technique);
			json_array_append_new(points,
					      json_pack("{s:O, s:s, s:f, s:o, s:o}", "set",
							request->points[i].set, "technique",
							technique, "cpi", components.cpi,
							"components", components_json(&components),
							"detail", detail_json(model, i, &result)));
		}
	return points;
}

static json_t *result_json(const struct model_request *request, const struct model *model,
			   const struct trace_places *places, json_t *program)
{
	json_t *result = json_pack("{s:s, s:o, s:I, s:o}", "schema", "cyclestack-model-1",
				   "configuration", job_machine_json(request->machine),
				   "instructions", (json_int_t)model_instructions(model), "points",
				   points_json(request, model));

	if (program)
		json_object_set(result, "program", program);
	if (request->explains)
		json_object_set_new(result, "explanation",
				    model_explain(model, 0, 0, &request->techniques[0], places));
	return result;
}

/* Runs the program and feeds the model what it does. */
static json_t *model_program(struct worker *worker, const struct model_request *request,
			     struct model *model, struct err *err)
{
	struct process_options options = program_process_options(request->program);
	uint64_t most = request->program->max_instructions;
	json_t *result = NULL;

	options.profile = request->machine->config.isa_profile;
	options.silent = request->is_silent;
	options.note_reading = worker_note_reading;
	options.reading_context = worker;
	struct process *process = process_create(&options, err);
	if (!process)
		return NULL;
	struct recorder *recorder = recorder_create(process);
	while (process->state == PROCESS_RUNNING && process->cpu.instructions < most &&
	       !worker_should_stop(worker)) {
		uint64_t until = process->cpu.instructions + WATCH_INSTRUCTIONS;

		recorder_run(recorder, until < most ? until : most, model_add, model);
		worker_note_progress(worker, process->cpu.instructions);
	}
	if (process->state == PROCESS_FAILED) {
		*err = process->error;
	} else if (!worker_should_stop(worker)) {
		char *text = trace_places_text(recorder, process);
		struct trace_places *places = trace_places_read(text, strlen(text), err);
		json_t *program = program_json(request->program);

		result = result_json(request, model, places, program);
		json_decref(program);
		trace_places_free(places);
		free(text);
	} else {
		err_stopped(err, "stopped before the program's end");
	}
	recorder_destroy(recorder);
	process_destroy(process);
	return result;
}

struct feed {
	struct worker *worker;
	struct model *model;
};

static bool feed_steps(void *context, const struct trace_step *steps, size_t count)
{
	struct feed *feed = context;

	model_add(feed->model, steps, count);
	worker_note_progress(feed->worker, model_instructions(feed->model));
	return !worker_should_stop(feed->worker);
}

static struct kept_key make_key(const struct model_request *request)
{
	struct kept_key key = {""};
	struct sha256_ctx context;

	_Static_assert(KEPT_TRACE_BYTES == SHA256_DIGEST_SIZE, "the version follows the hash");
	sha256_init(&context);
	sha256_update(&context, request->trace_bytes, request->trace);
	sha256_digest(&context, SHA256_DIGEST_SIZE, (uint8_t *)key.text);
	snprintf(key.text + SHA256_DIGEST_SIZE, sizeof(key.text) - SHA256_DIGEST_SIZE, "%s",
		 request->tool);
	return key;
}

/* All that the model needs of the trace: from what was kept of it, or from its steps. */
static bool fill_model(const struct model_request *request, struct trace_reader *reader,
		       struct feed *feed, struct err *err)
{
	struct kept_key key;

	if (!request->kept)
		return trace_reader_run(reader, feed_steps, feed, err);
	key = make_key(request);
	return kept_read(feed->model, request->kept, request->kept_bytes, &key, request->kept_name,
			 err);
}

static json_t *model_trace(struct worker *worker, const struct model_request *request,
			   struct model *model, struct err *err)
{
	struct trace_reader *reader =
		trace_reader_open(request->trace, request->trace_bytes, request->trace_name, err);
	struct feed feed = {worker, model};
	struct trace_totals totals;
	json_t *result = NULL;
	const bool is_filled = reader && fill_model(request, reader, &feed, err);

	if (is_filled && worker_should_stop(worker)) {
		err_stopped(err, "stopped before the end of the trace");
	} else if (is_filled && trace_reader_totals(reader, &totals, err)) {
		struct trace_places *places =
			trace_places_read(totals.places, totals.places_bytes, err);
		size_t bytes;
		const char *text = trace_reader_description(reader, &bytes);
		json_t *about = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);

		if (places)
			result = result_json(request, model, places,
					     json_object_get(about, "program"));
		json_decref(about);
		trace_places_free(places);
	}
	trace_reader_close(reader);
	return result;
}

/* The text, and after a zero byte what is to be kept. */
static void send_result(struct worker *worker, const struct model_request *request,
			const struct model *model, const char *text)
{
	size_t text_bytes = strlen(text);

	if (!request->saves) {
		worker_send_result(worker, text, text_bytes);
		return;
	}
	struct kept_key key = make_key(request);
	struct bytes saved = kept_write(model, &key);
	char *whole = mem_alloc(text_bytes + 1 + saved.count);
	memcpy(whole, text, text_bytes + 1);
	memcpy(whole + text_bytes + 1, saved.bytes, saved.count);
	worker_send_result(worker, whole, text_bytes + 1 + saved.count);
	free(whole);
	free(saved.bytes);
}

static void model_body(struct worker *worker, const struct model_request *request)
{
	struct config *configs = mem_alloc_array(request->point_count, sizeof(*configs));
	struct err err;
	json_t *result = NULL;

	for (size_t i = 0; i < request->point_count; i++)
		configs[i] = request->points[i].config;
	struct model *model = model_create(configs, request->point_count, request->techniques,
					   request->technique_count, request->explains, &err);
	if (model)
		result = request->program ? model_program(worker, request, model, &err)
					  : model_trace(worker, request, model, &err);
	if (result) {
		char *text = json_dumps(result, JSON_COMPACT);

		send_result(worker, request, model, text);
		free(text);
	} else if (err.kind != ERR_STOPPED) {
		worker_send_error(worker, &err);
	}
	json_decref(result);
	model_destroy(model);
	free(configs);
}

void model_work(const struct model_request *request, struct worker *worker)
{
	const struct program *program = request->program;

	jail_close_descriptors(program ? program->mounts : NULL,
			       program ? program_directories(program) : 0, worker->to_parent);
	model_body(worker, request);
}

/* ---- in the parent ---- */

bool model_may_start(const struct model_request *request, struct err *err)
{
	return !request->program || job_may_start(request->program, err);
}

void model_fill_task(const struct model_request *request, struct worker_task *task)
{
	const struct program *program = request->program;

	*task = (struct worker_task){
		.mounts = program ? program->mounts : NULL,
		.mount_count = program ? program_directories(program) : 0,
		.timeout_seconds = program ? program->timeout_seconds : 0,
	};
}

json_t *model_read(const struct model_request *request, const char *bytes, size_t count,
		   struct err *err)
{
	json_t *result = json_loadb(bytes, strnlen(bytes, count), JSON_REJECT_DUPLICATES, NULL);

	/* A worker is not trusted. */
	if (!result)
		err_set(err, "it is not JSON");
	else if (layout_check(result, &layout_model, err) &&
		 (json_array_size(json_object_get(result, "points")) ==
			  request->point_count * request->technique_count ||
		  err_set(err, "it has not the points that were asked for")))
		return result;
	json_decref(result);
	return NULL;
}

static void run_body(struct worker *worker, void *context)
{
	model_work(context, worker);
}

static void run_progress(void *context, uint64_t instructions)
{
	const struct job_listener *listener = ((const struct model_request *)context)->listener;

	if (listener && listener->progress)
		listener->progress(listener->context, instructions);
}

/* What follows the result and a zero byte. */
static void take_saved(const struct worker_report *report, struct bytes *saved)
{
	size_t text_bytes = strnlen(report->result, report->result_bytes);

	if (text_bytes == report->result_bytes)
		return;
	saved->count = report->result_bytes - text_bytes - 1;
	saved->bytes = mem_alloc(saved->count + 1);
	memcpy(saved->bytes, report->result + text_bytes + 1, saved->count);
}

json_t *model_run(const struct model_request *request, struct worker_report *report,
		  struct bytes *saved, struct err *err)
{
	struct model_request copy = *request;
	struct worker_task task;

	model_fill_task(request, &task);
	task.body = run_body;
	task.progress = run_progress;
	task.context = &copy;
	if (!model_may_start(request, err) || !worker_run(&task, report, err))
		return NULL;
	if (!report->result) {
		err_stopped(err, "stopped before there was a result");
		return NULL;
	}
	json_t *result = model_read(request, report->result, report->result_bytes, err);
	if (!result) {
		err_as_tool(err);
		err_prefix(err, "internal error: the worker's result");
	}
	if (request->saves)
		take_saved(report, saved);
	free(report->result);
	report->result = NULL;
	return result;
}

/* A model in a worker: what is asked of it and what becomes of its answer, which is made up. */
#include <nettle/sha2.h>

#include "../replace.h"
#include "../json.h"
#include "base/array.h"
#include "job/jail.h"
#include "job/model_job.h"
#include "model/kept.h"
#include "model/model.h"
#include "trace/file.h"
#include "value/layout.h"

static struct {
	const char *result;
	size_t result_bytes;
	bool fails, is_unfit;
	struct worker_task task;
	uint64_t last_progress;
} made;

static bool fits(const json_t *result, const struct layout *layout, struct err *err)
{
	(void)result;
	assert_ptr_equal(layout, &layout_model);
	return !made.is_unfit || err_set(err, "it does not fit");
}
REPLACE(layout_check, fits);

static bool made_up_worker(const struct worker_task *task, struct worker_report *report,
			   struct err *err)
{
	made.task = *task;
	if (made.fails)
		return err_set(err, "it failed");
	task->progress(task->context, 55);
	*report = (struct worker_report){.stop = made.result ? WORKER_GO_ON : WORKER_INTERRUPTED};
	if (made.result) {
		report->result = malloc(made.result_bytes);
		memcpy(report->result, made.result, made.result_bytes);
		report->result_bytes = made.result_bytes;
	}
	return true;
}
REPLACE(worker_run, made_up_worker);

static void see(void *context, uint64_t instructions)
{
	assert_ptr_equal(context, &made);
	made.last_progress = instructions;
}

#define POINTS	   3
#define TECHNIQUES 2

static struct model_point_request points[POINTS];
static struct mount mounts[1];
static struct program program = {
	.mounts = mounts, .timeout_seconds = 2.5, .max_instructions = 4321};
static const struct job_machine machine = {.name = "m"};
static const struct technique techniques[TECHNIQUES] = {
	{.windows = WINDOWS_SWAM}, {.windows = WINDOWS_PLAIN, .pending_hits = true}};
static const struct job_listener listener = {.progress = see, .context = &made};

static struct model_request make(void)
{
	memset(&made, 0, sizeof(made));
	program.mount_count = 0;
	for (unsigned i = 0; i < POINTS; i++) {
		config_default(&points[i].config);
		points[i].config.cache_levels = 1 + i;
		points[i].config.rob_size = 40 + i;
		points[i].config.memory_latency = 333;
	}
	return (struct model_request){.program = &program,
				      .machine = &machine,
				      .points = points,
				      .point_count = POINTS,
				      .techniques = techniques,
				      .technique_count = TECHNIQUES,
				      .listener = &listener};
}

/* The model's answer: a CPI and a D-miss component for each point and technique. */
static double modelled(size_t i)
{
	return 0.5 + 0.25 * (double)i;
}

static void answer(char text[2000])
{
	strcpy(text, "{\"instructions\":8000,\"points\":[");
	for (unsigned i = 0; i < POINTS * TECHNIQUES; i++) {
		char point[100];

		snprintf(point, sizeof(point), "%s{\"cpi\":%g,\"components\":{\"dmiss\":%g}}",
			 i ? "," : "", 2 * modelled(i), modelled(i));
		strcat(text, point);
	}
	strcat(text, "]}");
	made.result = text;
	made.result_bytes = strlen(text);
}

TEST(a_worker_is_not_trusted)
{
	struct model_request request = make();
	struct worker_report report;
	struct err err = {.text = "before"};
	char text[2000];

	/* Stopped before there was a result. */
	assert_null(model_run(&request, &report, NULL, &err));
	assert_int_equal(err.kind, ERR_STOPPED);
	answer(text);
	json_t *result = model_run(&request, &report, NULL, &err);
	assert_non_null(result);
	json_decref(result);
	assert_null(report.result);
	assert_ptr_equal(made.task.mounts, mounts);
	assert_true(made.task.timeout_seconds == 2.5);
	assert_int_equal(made.last_progress, 55);
	/* Nobody needs to see the progress. */
	request.listener = NULL;
	json_decref(model_run(&request, &report, NULL, &err));
	const struct job_listener blind = {.context = &made};
	request.listener = &blind;
	json_decref(model_run(&request, &report, NULL, &err));
	request.technique_count = 1;
	assert_null(model_run(&request, &report, NULL, &err));
	assert_string_equal(err.text,
			    "internal error: the worker's result: it has not the points that "
			    "were asked for");
	assert_int_equal(err.kind, ERR_TOOL);
	request.technique_count = 2;
	made.is_unfit = true;
	assert_null(model_run(&request, &report, NULL, &err));
	assert_string_equal(err.text, "internal error: the worker's result: it does not fit");
	made.is_unfit = false;
	made.result = "nonsense";
	made.result_bytes = 8;
	assert_null(model_run(&request, &report, NULL, &err));
	assert_string_equal(err.text, "internal error: the worker's result: it is not JSON");
	made.fails = true;
	assert_null(model_run(&request, &report, NULL, &err));
	assert_string_equal(err.text, "it failed");
}

/* After the text and a zero byte come the bytes that are kept. */
TEST(what_is_saved_follows)
{
	struct model_request request = make();
	struct bytes saved = {.count = 99};
	struct worker_report report;
	struct err err;
	char text[2000];

	request.saves = true;
	request.program = NULL;
	answer(text);
	memcpy(text + made.result_bytes, "\0ab\0c", 5);
	json_decref(model_run(&request, &report, &saved, &err));
	assert_int_equal(saved.count, 99); /* nothing came */
	made.result_bytes += 5;
	json_t *result = model_run(&request, &report, &saved, &err);
	assert_non_null(result);
	json_decref(result);
	assert_int_equal(saved.count, 4);
	assert_memory_equal(saved.bytes, "ab\0c", 4);
	free(saved.bytes);
	assert_null(made.task.mounts);
	assert_true(made.task.timeout_seconds == 0);
	/* Not asked for. */
	request.saves = false;
	result = model_run(&request, &report, NULL, &err);
	assert_non_null(result);
	json_decref(result);
}

/* ---- in the worker ---- */

static void evaluate_made_up(const struct model *model, size_t point, size_t technique,
			     struct model_components *components, struct technique_result *result,
			     const struct technique_observer *observer)
{
	const double n = (double)(10 * point + technique);

	(void)model;
	assert_null(observer);
	*components = (struct model_components){n + 1, n + 2, n + 3, n + 4, n + 5};
	*result = (struct technique_result){
		.windows = 6,
		.ended = {7, 8, 9},
		.serialized = 10,
		.misses = 11,
		.mean_distance = 12.5,
		.compensation_cycles = 13.5,
	};
}
REPLACE(model_evaluate, evaluate_made_up);

static void made_up_events(const struct model *model, size_t point, struct model_events *events)
{
	(void)model;
	*events = (struct model_events){20 + point, 30 + point, 40 + point, 50 + point};
}
REPLACE(model_events, made_up_events);

static size_t six_labellings(const struct model *model)
{
	(void)model;
	return 6;
}
REPLACE(model_labellings, six_labellings);

static uint64_t so_many_instructions(const struct model *model)
{
	(void)model;
	return 9000;
}
REPLACE(model_instructions, so_many_instructions);

/* The worker is this process: what it sends is kept here. */
static struct {
	char text[10000];
	size_t count;
	struct kept_key key;
} sent;

static void keep_descriptors(const struct mount *unused, size_t count, int fd)
{
	(void)unused, (void)count, (void)fd;
}
REPLACE(jail_close_descriptors, keep_descriptors);

static void keep_sent(struct worker *worker, const void *bytes, size_t count)
{
	(void)worker;
	assert_true(count < sizeof(sent.text));
	memcpy(sent.text, bytes, count);
	sent.text[count] = 0;
	sent.count = count;
}
REPLACE(worker_send_result, keep_sent);

static struct bytes keep_key(const struct model *model, const struct kept_key *key)
{
	struct bytes kept = {.bytes = malloc(4), .count = 4};

	(void)model;
	sent.key = *key;
	memcpy(kept.bytes, "kept", 4);
	return kept;
}
REPLACE(kept_write, keep_key);

/* What the worker answers of an empty trace with this description. */
static json_t *worked(struct model_request *request, const char *description)
{
	struct trace_writer *writer = trace_writer_create(description);
	const struct bytes *trace = trace_writer_finish(writer, "{\"names\":[],\"ranges\":[]}");
	struct worker_page page = {0};
	struct worker nobody = {.to_parent = -1, .page = &page};

	memset(&sent, 0, sizeof(sent));
	request->program = NULL;
	request->trace = trace->bytes;
	request->trace_bytes = trace->count;
	request->trace_name = "t";
	model_work(request, &nobody);
	json_t *result = json_loads(sent.text, 0, NULL);
	assert_non_null(result);
	/* The key of what is kept: the hash of the trace, then the tool's version. */
	if (request->saves) {
		uint8_t hash[SHA256_DIGEST_SIZE];
		struct sha256_ctx context;

		sha256_init(&context);
		sha256_update(&context, trace->count, trace->bytes);
		sha256_digest(&context, sizeof(hash), hash);
		assert_memory_equal(sent.key.text, hash, sizeof(hash));
		assert_string_equal(sent.key.text + sizeof(hash), request->tool);
		assert_int_equal(sent.count, strlen(sent.text) + 1 + 4);
		assert_memory_equal(sent.text + strlen(sent.text), "\0kept", 5);
	} else {
		assert_int_equal(sent.count, strlen(sent.text));
	}
	trace_writer_destroy(writer);
	return result;
}

TEST(a_result_has_it_all)
{
	static const char *const components[] = {"base", "branch", "icache", "dmiss"};
	static const struct {
		const char *name;
		double value;
		bool plus_point;
	} details[] = {
		{"windows", 6, false},		 {"full_windows", 7, false},
		{"mshr_windows", 8, false},	 {"serialized_misses", 10, false},
		{"load_misses", 11, false},	 {"store_misses", 50, true},
		{"mean_distance", 12.5, false},	 {"compensation_cycles", 13.5, false},
		{"mispredictions", 20, true},	 {"fetch_misses", 30, true},
		{"fetch_long_misses", 40, true}, {"labellings", 6, false},
	};
	static const char *const names[] = {"swam, no pending hits, no compensation, MSHRs ignored",
					    "plain, pending hits, no compensation, MSHRs ignored"};
	struct model_request request = make();
	json_t *about = json_pack("{s:s}", "name", "p");

	for (int i = 0; i < POINTS; i++)
		points[i].set = json_pack("{s:i}", "k", i);
	json_t *result = worked(&request, "{\"program\":{\"name\":\"p\"}}");
	assert_string_equal(json_string_value(json_object_get(result, "schema")),
			    "cyclestack-model-1");
	assert_string_equal(json_string_value(json_object_get(
				    json_object_get(result, "configuration"), "name")),
			    "m");
	assert_number(result, "instructions", 9000);
	assert_true(json_equal(json_object_get(result, "program"), about));
	assert_null(json_object_get(result, "explanation"));
	assert_int_equal(json_array_size(json_object_get(result, "points")), POINTS * TECHNIQUES);
	for (size_t i = 0; i < POINTS * TECHNIQUES; i++) {
		const json_t *point = json_array_get(json_object_get(result, "points"), i);
		size_t p = i / TECHNIQUES, t = i % TECHNIQUES;
		double n = (double)(10 * p + t);

		assert_number(json_object_get(point, "set"), "k", (double)p);
		assert_string_equal(json_string_value(json_object_get(point, "technique")),
				    names[t]);
		assert_number(point, "cpi", n + 5);
		for (unsigned k = 0; k < 4; k++)
			assert_number(json_object_get(point, "components"), components[k],
				      n + 1 + k);
		for (size_t k = 0; k < ARRAY_COUNT(details); k++)
			assert_number(json_object_get(point, "detail"), details[k].name,
				      details[k].value + (details[k].plus_point ? (double)p : 0));
	}
	json_decref(result);
	/* Of what the trace does not tell nothing is told, and what is to be kept follows. */
	request.saves = true;
	request.tool = "1.2.3";
	result = worked(&request, "{}");
	assert_null(json_object_get(result, "program"));
	json_decref(result);
	json_decref(about);
	for (int i = 0; i < POINTS; i++) {
		json_decref(points[i].set);
		points[i].set = NULL;
	}
}

/* A model in a worker, and beside simulations: what is asked of them and what becomes of their
 * answers, which are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "job/job.h"
#include "job/worker.h"
#include "model/model.h"
#include "value/layout.h"

static bool made_up_jobs(const struct job_batch *batch, bool *interrupted, struct err *err);
static bool made_up_worker(const struct worker_task *task, struct worker_report *report,
			   struct err *err);
static bool fits(const json_t *result, const struct layout *layout, struct err *err);
static void evaluate_made_up(const struct model *model, size_t point, size_t technique,
			     struct model_components *components, struct technique_result *result,
			     const struct technique_observer *observer);
static void made_up_events(const struct model *model, size_t point, struct model_events *events);
#define jobs_run		made_up_jobs
#define worker_run		made_up_worker
#define layout_check		fits
#define model_evaluate		evaluate_made_up
#define model_events(m, p, e)	made_up_events(m, p, e)
#define model_labellings(model) ((void)(model), (size_t)6)
#define model_instructions(m)	((void)(m), (uint64_t)9000)
#include "job/model_job.c" /* with its static functions */

static struct {
	const char *result;
	size_t result_bytes;
	bool fails, is_unfit, is_interrupted;
	uint64_t instructions; /* that simulations commit */
	struct worker_task task;
	unsigned progress;
	uint64_t last_progress;
	const struct model_request *request;
} made;

static bool fits(const json_t *result, const struct layout *layout, struct err *err)
{
	(void)result;
	assert_ptr_equal(layout, &layout_model);
	return !made.is_unfit || err_set(err, "it does not fit");
}

static bool made_up_worker(const struct worker_task *task, struct worker_report *report,
			   struct err *err)
{
	made.task = *task;
	if (made.fails)
		return err_set(err, "it failed");
	task->progress(task->context, 55);
	*report = (struct worker_report){.stop = WORKER_INTERRUPTED};
	if (made.result) {
		report->result = malloc(made.result_bytes);
		memcpy(report->result, made.result, made.result_bytes);
		report->result_bytes = made.result_bytes;
	}
	return true;
}

static double made_up_cpi(size_t point, size_t variant)
{
	return 2 + 0.5 * (double)point + 0.125 * (double)(variant * variant);
}

/* What is perfect in each variant, on machines with one, two and three caches. */
static void check_variant(const struct config *c, unsigned levels, unsigned variant)
{
	bool hides_data = variant >= 1 && variant <= 3;

	assert_int_equal(c->ideal_branch, variant == 1 || variant == 3 || variant == 4);
	assert_int_equal(c->ideal_l1i, variant == 1 || variant == 2 || variant == 4);
	assert_int_equal(c->ideal_itlb, variant == 1 || variant == 2 || variant == 4);
	assert_int_equal(c->ideal_l1d, hides_data && levels == 1);
	assert_int_equal(c->ideal_l2d, hides_data && levels == 2);
	assert_int_equal(c->memory_latency, hides_data && levels == 3 ? 1 : 333);
}

static bool made_up_jobs(const struct job_batch *batch, bool *interrupted, struct err *err)
{
	*interrupted = made.is_interrupted;
	assert_int_equal(batch->count, 5 * made.request->point_count);
	assert_int_equal(batch->at_once, 3);
	assert_null(batch->shelf);
	for (size_t i = 0; i < batch->count; i++) {
		const struct job *job = &batch->jobs[i];
		json_t *result = json_pack("{s:{s:I, s:I}}", "values", "cycles",
					   (json_int_t)(made_up_cpi(i / 5, i % 5) * 8000),
					   "instructions", (json_int_t)made.instructions);

		assert_ptr_equal(job->program, made.request->program);
		assert_int_equal(job->max_instructions, 4321);
		assert_true(job->is_silent && job->is_whole);
		assert_string_equal(job->machine->name, "m");
		assert_int_equal(job->machine->config.rob_size, 40 + i / 5);
		check_variant(&job->machine->config, 1 + (unsigned)(i / 5), i % 5);
		bool ok = batch->done(batch->context, i, result, err);
		json_decref(result);
		if (!ok)
			return false;
		batch->progress(batch->context, i);
	}
	return true;
}

static void see(void *context, uint64_t instructions)
{
	assert_ptr_equal(context, &made);
	made.progress++;
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

static struct model_request make(bool is_simulated)
{
	memset(&made, 0, sizeof(made));
	made.instructions = 8000;
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
				      .is_simulated = is_simulated,
				      .at_once = 3,
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

static void assert_number(const json_t *object, const char *name, double want)
{
	double got = json_number_value(json_object_get(object, name));

	if (!json_object_get(object, name) || got < want - 1e-9 || got > want + 1e-9)
		fail_msg("%s is %.9g, not %.9g", name, got, want);
}

static void points_have_their_simulations(void **unused)
{
	struct model_request request = make(true);
	struct worker_report report;
	struct err err;
	char text[2000];

	(void)unused;
	answer(text);
	made.request = &request;
	json_t *result = model_run(&request, &report, NULL, &err);
	assert_non_null(result);
	assert_null(report.result);
	assert_true(made.task.body == run_body);
	assert_ptr_equal(made.task.mounts, mounts);
	assert_true(made.task.timeout_seconds == 2.5);
	assert_int_equal(made.progress, 1 + 5 * POINTS);
	assert_int_equal(made.last_progress, 0);
	for (size_t i = 0; i < POINTS * TECHNIQUES; i++) {
		const json_t *point = json_array_get(json_object_get(result, "points"), i);
		const json_t *simulated = json_object_get(point, "simulated");
		const json_t *components = json_object_get(simulated, "components");
		double c[5];

		for (unsigned v = 0; v < 5; v++)
			c[v] = made_up_cpi(i / TECHNIQUES, v);
		assert_number(simulated, "cpi", c[0]);
		assert_number(components, "base", c[1]);
		assert_number(components, "branch", c[2] - c[1]);
		assert_number(components, "icache", c[3] - c[1]);
		assert_number(components, "dmiss", c[4] - c[1]);
		assert_number(json_object_get(point, "error"), "dmiss",
			      modelled(i) / (c[4] - c[1]) - 1);
		assert_number(json_object_get(point, "error"), "cpi", 2 * modelled(i) / c[0] - 1);
	}
	json_decref(result);
	/* Nobody needs to see the progress. */
	request.listener = NULL;
	json_decref(model_run(&request, &report, NULL, &err));
	const struct job_listener blind = {.context = &made};
	request.listener = &blind;
	json_decref(model_run(&request, &report, NULL, &err));
	assert_true(error_of(3, 0) == 0);
	assert_true(error_of(3, 2) == 0.5);
}

static void simulations_that_differ_are_refused(void **unused)
{
	struct model_request request = make(true);
	struct worker_report report;
	struct err err;
	char text[2000];

	(void)unused;
	answer(text);
	made.request = &request;
	made.instructions = 8001;
	assert_null(model_run(&request, &report, NULL, &err));
	assert_string_equal(err.text,
			    "the simulation committed 8001 instructions and the model saw "
			    "8000: the program does not do the same each time");
	made.instructions = 8000;
	made.is_interrupted = true;
	assert_null(model_run(&request, &report, NULL, &err));
	assert_string_equal(err.text, "");
}

static void a_worker_is_not_trusted(void **unused)
{
	struct model_request request = make(false);
	struct worker_report report;
	struct err err = {"before"};
	char text[2000];

	(void)unused;
	/* Stopped before there was a result. */
	assert_null(model_run(&request, &report, NULL, &err));
	assert_string_equal(err.text, "");
	answer(text);
	json_t *result = model_run(&request, &report, NULL, &err);
	assert_non_null(result);
	assert_null(
		json_object_get(json_array_get(json_object_get(result, "points"), 0), "simulated"));
	json_decref(result);
	assert_int_equal(made.last_progress, 55);
	request.technique_count = 1;
	assert_null(model_run(&request, &report, NULL, &err));
	assert_string_equal(err.text, "internal error: the worker's result: ");
	request.technique_count = 2;
	made.is_unfit = true;
	assert_null(model_run(&request, &report, NULL, &err));
	assert_string_equal(err.text, "internal error: the worker's result: it does not fit");
	made.is_unfit = false;
	made.result = "nonsense";
	made.result_bytes = 8;
	assert_null(model_run(&request, &report, NULL, &err));
	assert_string_equal(err.text, "internal error: the worker's result: ");
	made.fails = true;
	assert_null(model_run(&request, &report, NULL, &err));
	assert_string_equal(err.text, "it failed");
}

/* After the text and a zero byte come the bytes that are kept. */
static void what_is_saved_follows(void **unused)
{
	struct model_request request = make(false);
	struct frame_bytes saved = {.count = 99};
	struct worker_report report;
	struct err err;
	char text[2000];

	(void)unused;
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

	assert_null(model);
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

static void made_up_events(const struct model *model, size_t point, struct model_events *events)
{
	(void)model;
	*events = (struct model_events){20 + point, 30 + point, 40 + point, 50 + point};
}

static void a_result_has_it_all(void **unused)
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
	struct model_request request = make(false);
	json_t *about = json_pack("{s:s}", "name", "p");

	(void)unused;
	for (int i = 0; i < POINTS; i++)
		points[i].set = json_pack("{s:i}", "k", i);
	json_t *result = result_json(&request, NULL, NULL, about);
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
	result = result_json(&request, NULL, NULL, NULL);
	assert_null(json_object_get(result, "program"));
	json_decref(result);
	json_decref(about);
	for (int i = 0; i < POINTS; i++) {
		json_decref(points[i].set);
		points[i].set = NULL;
	}
}

/* The key of what is kept: the hash of the trace, then the tool's version. */
static void keys(void **unused)
{
	static const uint8_t abc[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
				      0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
				      0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
				      0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
	const struct model_request request = {
		.trace = (const uint8_t *)"abcd", .trace_bytes = 3, .tool = "1.2.3"};
	const struct kept_key key = make_key(&request);

	(void)unused;
	assert_memory_equal(key.text, abc, 32);
	assert_string_equal(key.text + 32, "1.2.3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_have_their_simulations),
		cmocka_unit_test(simulations_that_differ_are_refused),
		cmocka_unit_test(a_worker_is_not_trusted),
		cmocka_unit_test(what_is_saved_follows),
		cmocka_unit_test(a_result_has_it_all),
		cmocka_unit_test(keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

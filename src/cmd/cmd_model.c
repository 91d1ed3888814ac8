#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/guest.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "cmd/progress.h"
#include "cmd/runner.h"
#include "experiment/against.h"
#include "experiment/grid.h"
#include "image/image.h"
#include "job/model_job.h"

#define POINTS_MOST	1024
#define TECHNIQUES_MOST 16
#define TRACE_MAGIC	"CYTRACE1"

/* Everything that the command line asks for. */
struct model_command {
	struct program program;
	bool has_program;
	struct job_machine machine;
	struct model_point_request *points;
	size_t point_count;
	struct technique techniques[TECHNIQUES_MOST];
	struct model_request request;
	struct progress progress;
	unsigned at_once;
	uint8_t *kept;
	char tool[64];
};

static void release(struct model_command *m)
{
	for (size_t i = 0; i < m->point_count; i++)
		json_decref(m->points[i].set);
	free(m->points);
	free(m->kept);
	if (m->has_program)
		program_release(&m->program);
}

static bool make_grid(struct grid *grid, const struct args *args, struct err *err)
{
	grid_add(grid, GRID_EMPTY, NULL);
	for (size_t i = 0; i < args->counts[OPTION_GRID]; i++) {
		const char *axis = args->values[OPTION_GRID][i];

		if (!grid_is_axis(axis) || !strchr(axis, '=')[1])
			return err_set(err, "--grid %s: expected KEY=VALUE,VALUE...", axis);
		if (!grid_multiply(grid, axis, POINTS_MOST))
			return err_set(err, "--grid: more than %d design points are asked for",
				       POINTS_MOST);
	}
	return true;
}

static bool make_point(struct model_point_request *point, const struct grid_point *changes,
		       struct err *err)
{
	for (size_t i = 0; i < changes->count; i++) {
		const char *change = changes->changes[i];
		const size_t key_bytes = strcspn(change, "=");

		if (!config_set(&point->config, change, err))
			return err_prefix(err, "--grid");
		json_object_setn_new(point->set, change, key_bytes,
				     json_string(change + key_bytes + 1));
	}
	return config_settle(&point->config, err) || err_prefix(err, "--grid");
}

static bool read_points(struct model_command *m, const struct args *args, struct err *err)
{
	struct grid grid = {0};
	bool ok = make_grid(&grid, args, err);

	m->points = mem_alloc_array(grid.count, sizeof(*m->points));
	while (ok && m->point_count < grid.count) {
		struct model_point_request *point = &m->points[m->point_count];

		*point = (struct model_point_request){m->machine.config, json_object()};
		ok = make_point(point, &grid.points[m->point_count++], err);
	}
	grid_release(&grid);
	return ok;
}

static bool read_switch(const struct args *args, enum option_id id, const char *yes, const char *no,
			bool *value, struct err *err)
{
	const char *text = args_get(args, id);

	if (!text)
		return true;
	*value = strcmp(text, yes) == 0;
	return *value || strcmp(text, no) == 0 ? true
					       : err_set(err, "--%s %s: expected %s or %s",
							 option_rows[id].name, text, yes, no);
}

static bool read_compensation(const struct args *args, struct technique *t, struct err *err)
{
	static const char *const fixed[] = {"0", "1/4", "1/2", "3/4", "1"};
	const char *text = args_get(args, OPTION_COMPENSATION);

	if (!text || strcmp(text, "distance") == 0)
		return true;
	t->compensation = COMPENSATION_NONE;
	if (strcmp(text, "none") == 0)
		return true;
	t->compensation = COMPENSATION_FIXED;
	for (uint32_t i = 0; i < ARRAY_COUNT(fixed); i++)
		if (strcmp(text, fixed[i]) == 0) {
			t->fixed_quarters = i;
			return true;
		}
	return err_set(err, "--compensation %s: expected distance, none, 0, 1/4, 1/2, 3/4 or 1",
		       text);
}

static bool read_techniques(struct model_command *m, const struct args *args, struct err *err)
{
	static const char *const names[] = {"plain", "swam", "swam-mlp", "timeline", "retime"};
	struct technique t = technique_default;
	size_t count = args->counts[OPTION_TECHNIQUE];

	if (!read_switch(args, OPTION_PENDING_HITS, "on", "off", &t.pending_hits, err) ||
	    !read_switch(args, OPTION_MSHR_AWARE, "on", "off", &t.mshr_aware, err) ||
	    !read_switch(args, OPTION_STORE_FILLS, "miss", "pending", &t.store_fills_miss, err) ||
	    !read_compensation(args, &t, err))
		return false;
	m->techniques[0] = t;
	m->request.technique_count = count ? count : 1;
	if (count > TECHNIQUES_MOST)
		return err_set(err, "--technique: at most %d in one call", TECHNIQUES_MOST);
	for (size_t i = 0; i < count; i++) {
		const char *text = args->values[OPTION_TECHNIQUE][i];
		size_t k = 0;

		while (k < ARRAY_COUNT(names) && strcmp(text, names[k]) != 0)
			k++;
		if (k == ARRAY_COUNT(names))
			return err_set(err,
				       "--technique %s: expected plain, swam, swam-mlp, timeline "
				       "or retime",
				       text);
		m->techniques[i] = t;
		m->techniques[i].windows = (enum technique_windows)k;
		if (k == WINDOWS_TIMELINE) {
			m->techniques[i].store_addresses = technique_timeline.store_addresses;
			m->techniques[i].store_mshrs = technique_timeline.store_mshrs;
			m->techniques[i].base_times = technique_timeline.base_times;
		}
	}
	return true;
}

/* Whether retiming is asked for together with what needs a skeleton of misses. */
static bool check_retiming(const struct model_command *m, const struct args *args, struct err *err)
{
	static const enum option_id needs_misses[] = {OPTION_SKELETON, OPTION_SAVE_SKELETON,
						      OPTION_EXPLAIN};

	for (size_t i = 0; i < m->request.technique_count; i++)
		for (size_t k = 0; k < ARRAY_COUNT(needs_misses); k++)
			if (m->techniques[i].windows == WINDOWS_RETIME &&
			    args_get(args, needs_misses[k]))
				return err_set(err,
					       "--%s is made of misses, which --technique retime "
					       "does not single out: use timeline",
					       option_rows[needs_misses[k]].name);
	return true;
}

static bool read_request(struct model_command *m, const struct args *args, struct err *err)
{
	return (read_points(m, args, err) && read_techniques(m, args, err) &&
		check_retiming(m, args, err) && jobs_from_args(&m->at_once, args, err)) ||
	       err_as_usage(err);
}

/* A file that begins as a trace does is one; anything else is a program. */
static bool open_input(struct model_command *m, const struct args *args, struct err *err)
{
	m->has_program = true;
	if (!program_open(&m->program, args, err))
		return false;
	if (m->program.image_bytes < strlen(TRACE_MAGIC) ||
	    memcmp(m->program.image, TRACE_MAGIC, strlen(TRACE_MAGIC)) != 0) {
		m->request.program = &m->program;
		return args_get(args, OPTION_SKELETON) || args_get(args, OPTION_SAVE_SKELETON)
			       ? err_usage(
					 err,
					 "--skeleton and --save-skeleton need a trace, and %s is a "
					 "program: record it first",
					 args->rest[0])
			       : true;
	}
	if (args_get(args, OPTION_AGAINST))
		return err_usage(err, "--against simulates, which needs the program: %s is a trace",
				 args->rest[0]);
	if (args->rest_count > 1)
		return err_usage(err, "a trace takes no arguments");
	m->request.trace = m->program.image;
	m->request.trace_bytes = m->program.image_bytes;
	m->request.trace_name = args->rest[0];
	m->request.saves = args_get(args, OPTION_SAVE_SKELETON);
	m->request.kept_name = args_get(args, OPTION_SKELETON);
	if (!m->request.kept_name)
		return true;
	m->kept = image_read(m->request.kept_name, &m->request.kept_bytes, err);
	m->request.kept = m->kept;
	return m->kept;
}

static void show_progress(void *context, uint64_t instructions)
{
	progress_update(context, instructions);
}

/* The result with the points simulated; NULL as model_run. */
static json_t *simulate_points(const struct model_command *m, const struct args *args,
			       json_t *modelled, struct worker_report *report, struct err *err)
{
	struct plan *plan = against_plan(&m->request, modelled);
	struct runner runner;
	bool interrupted = false;
	json_t *result = NULL;

	if (runner_open(&runner, args, m->at_once, err))
		result = runner_result(&runner, plan, &interrupted, err);
	if (interrupted)
		report->stop = WORKER_INTERRUPTED;
	runner_close(&runner, result);
	plan_destroy(plan);
	return result;
}

static json_t *run(struct model_command *m, const struct args *args, struct worker_report *report,
		   struct bytes *saved, struct err *err)
{
	const struct job_listener listener = {.progress = show_progress, .context = &m->progress};

	m->request.listener = &listener;
	progress_start(&m->progress, args, 0, false);
	json_t *result = model_run(&m->request, report, saved, err);
	progress_end(&m->progress);
	if (!result || !args_get(args, OPTION_AGAINST))
		return result;
	json_t *compared = simulate_points(m, args, result, report, err);
	json_decref(result);
	return compared;
}

static int run_and_print(struct model_command *m, const struct args *args, struct outputs *outputs)
{
	struct worker_report report = {0};
	struct bytes saved = {0};
	struct err err;
	int status = 0;
	json_t *result = run(m, args, &report, &saved, &err);

	if (!result && err.kind == ERR_STOPPED)
		return guest_explain_stop(&report, report.instructions, false);
	if (!result)
		return fail_tool(err.text);
	if (!outputs_show(outputs, args, result, NULL, &err) ||
	    (saved.bytes && !report_write_file(&outputs->targets[OPTION_SAVE_SKELETON], saved.bytes,
					       saved.count, &err)))
		status = fail_tool(err.text);
	json_decref(result);
	free(saved.bytes);
	return status;
}

int cmd_model(const struct args *args)
{
	struct model_command *m = mem_alloc(sizeof(*m));
	struct outputs outputs;
	struct err err;
	int status;

	if (!outputs_open(&outputs, args, &err) || !machine_from_args(&m->machine, args, &err) ||
	    !read_request(m, args, &err) || !open_input(m, args, &err)) {
		status = fail_err(command_named("model"), &err);
	} else {
		m->request.machine = &m->machine;
		m->request.points = m->points;
		m->request.point_count = m->point_count;
		m->request.techniques = m->techniques;
		m->request.explains = args_get(args, OPTION_EXPLAIN);
		m->request.is_silent = true;
		snprintf(m->tool, sizeof(m->tool), "%s %s", version_text(), version_commit());
		m->request.tool = m->tool;
		status = run_and_print(m, args, &outputs);
	}
	outputs_close(&outputs, status);
	release(m);
	free(m);
	return status;
}

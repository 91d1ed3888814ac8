#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/guest.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "cmd/progress.h"
#include "image/image.h"
#include "job/model_job.h"
#include "report/page/model_page.h"
#include "report/text/model_text.h"

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

/* Every point so far, with each value of one --grid KEY=VALUE,VALUE... */
static bool spread(struct model_command *m, const char *grid, struct err *err)
{
	size_t key_bytes = strcspn(grid, "="), count = 0;
	struct model_point_request *points = NULL;
	bool ok = true;

	if (!grid[key_bytes] || !grid[key_bytes + 1])
		return err_set(err, "--grid %s: expected KEY=VALUE,VALUE...", grid);
	for (size_t i = 0; ok && i < m->point_count; i++) {
		const char *value = grid + key_bytes + 1;

		while (ok) {
			size_t bytes = strcspn(value, ",");
			char assignment[256], key[128];

			snprintf(key, sizeof(key), "%.*s", (int)key_bytes, grid);
			snprintf(assignment, sizeof(assignment), "%s=%.*s", key, (int)bytes, value);
			if (count == POINTS_MOST) {
				ok = err_set(err, "more than %d design points are asked for",
					     POINTS_MOST);
				break;
			}
			points = mem_realloc(points, count + 1, sizeof(*points));
			struct model_point_request *point = &points[count++];
			*point = (struct model_point_request){m->points[i].config,
							      json_deep_copy(m->points[i].set)};
			ok = config_set(&point->config, assignment, err);
			if (ok)
				json_object_set_new(point->set, key,
						    json_string(strchr(assignment, '=') + 1));
			if (!value[bytes])
				break;
			value += bytes + 1;
		}
	}
	for (size_t i = 0; i < m->point_count; i++)
		json_decref(m->points[i].set);
	free(m->points);
	m->points = points;
	m->point_count = count;
	return ok ? true : err_prefix(err, "--grid");
}

static bool read_points(struct model_command *m, const struct args *args, struct err *err)
{
	m->points = mem_alloc_array(1, sizeof(*m->points));
	m->points[0] = (struct model_point_request){m->machine.config, json_object()};
	m->point_count = 1;
	for (size_t i = 0; i < args->counts[OPTION_GRID]; i++)
		if (!spread(m, args->values[OPTION_GRID][i], err))
			return false;
	for (size_t i = 0; i < m->point_count; i++)
		if (!config_settle(&m->points[i].config, err))
			return err_prefix(err, "--grid");
	return true;
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
	static const char *const names[] = {"plain", "swam", "swam-mlp", "timeline"};
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
				       "--technique %s: expected plain, swam, swam-mlp or timeline",
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

/* A file that begins as a trace does is one; anything else is a program. */
static bool open_input(struct model_command *m, const struct args *args, int *status,
		       struct err *err)
{
	m->has_program = true;
	if (!program_open(&m->program, args, status, err))
		return false;
	if (m->program.image_bytes < strlen(TRACE_MAGIC) ||
	    memcmp(m->program.image, TRACE_MAGIC, strlen(TRACE_MAGIC)) != 0) {
		m->request.program = &m->program;
		*status = EXIT_USAGE;
		return args_get(args, OPTION_SKELETON) || args_get(args, OPTION_SAVE_SKELETON)
			       ? err_set(err,
					 "--skeleton and --save-skeleton need a trace, and %s is a "
					 "program: record it first",
					 args->rest[0])
			       : true;
	}
	*status = EXIT_USAGE;
	if (args_get(args, OPTION_AGAINST))
		return err_set(err, "--against simulates, which needs the program: %s is a trace",
			       args->rest[0]);
	if (args->rest_count > 1)
		return err_set(err, "a trace takes no arguments");
	m->request.trace = m->program.image;
	m->request.trace_bytes = m->program.image_bytes;
	m->request.trace_name = args->rest[0];
	m->request.saves = args_get(args, OPTION_SAVE_SKELETON);
	m->request.kept_name = args_get(args, OPTION_SKELETON);
	if (!m->request.kept_name)
		return true;
	*status = EXIT_TOOL;
	m->kept = image_read(m->request.kept_name, &m->request.kept_bytes, err);
	m->request.kept = m->kept;
	return m->kept;
}

static void show_progress(void *context, uint64_t instructions)
{
	progress_update(context, instructions);
}

static void print_model(FILE *out, const struct terminal *terminal, const void *result)
{
	model_text_write(out, result, terminal);
}

static int run_and_print(struct model_command *m, const struct args *args, struct outputs *outputs)
{
	const struct job_listener listener = {.progress = show_progress, .context = &m->progress};
	struct worker_report report = {0};
	struct frame_bytes saved = {0};
	struct err err = {""};
	int status = 0;

	m->request.listener = &listener;
	progress_start(&m->progress, args, 0, false);
	json_t *result = model_run(&m->request, &report, &saved, &err);
	progress_end(&m->progress);
	if (!result && !err.text[0])
		return guest_explain_stop(&report, report.instructions, false);
	if (!result)
		return fail_tool(err.text);
	if (!outputs_write_report(outputs, print_model, result, &err) ||
	    !outputs_write_json(outputs, result, &err) ||
	    !report_write_result(&outputs->targets[OPTION_HTML], model_page_write, result, &err) ||
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
	int status = EXIT_USAGE;

	if (!outputs_open(&outputs, args, &err)) {
		status = fail_run(command_named("model"), err.text);
	} else if (!machine_from_args(&m->machine, args, &status, &err)) {
		status = fail_with(status, command_named("model"), err.text);
	} else if (!read_points(m, args, &err) || !read_techniques(m, args, &err) ||
		   !jobs_from_args(&m->request.at_once, args, &err)) {
		status = fail_usage(command_named("model"), err.text);
	} else if (!open_input(m, args, &status, &err)) {
		status = fail_with(status, command_named("model"), err.text);
	} else {
		m->request.machine = &m->machine;
		m->request.points = m->points;
		m->request.point_count = m->point_count;
		m->request.techniques = m->techniques;
		m->request.explains = args_get(args, OPTION_EXPLAIN);
		m->request.is_simulated = args_get(args, OPTION_AGAINST);
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

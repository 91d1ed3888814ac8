#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/guest.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "cmd/spool.h"
#include "cmd/window.h"
#include "count/count.h"
#include "count/pipeline.h"
#include "count/what_if.h"
#include "report/file/callgrind.h"
#include "report/file/csv.h"
#include "report/file/folded.h"
#include "report/file/kanata.h"
#include "report/page/run_page.h"
#include "report/text/annotate.h"
#include "report/text/events_text.h"
#include "report/text/run_text.h"
#include "report/text/summary_text.h"
#include "report/text/what_if_text.h"
#include "value/member.h"

#define OBSERVERS_MOST 32

/* What a command line requests. */
struct run {
	struct program program;
	char *roi; /* the function's name */
	struct job_machine machine;
	const struct observer_kind *observers[OBSERVERS_MOST]; /* ends with NULL; exact first */
	uint64_t functions;				       /* to show */
	const char *events;				       /* to print alone; or NULL */
	struct what_if *what_if;
	struct source_roots sources;
	struct job job;
};

static void print_title(FILE *out, const struct run *run, const json_t *result)
{
	fputc('\n', out);
	print_printable(out, run->program.name);
	fputs(" on ", out);
	print_printable(out, run->machine.name);
	for (size_t i = 0; i < run->machine.change_count; i++) {
		fputs(i ? ", " : " with ", out);
		print_printable(out, run->machine.changes[i]);
	}
	fputs(json_is_true(json_object_get(result, "partial")) ? " (partial)\n" : "\n", out);
}

/* What the report is printed from. */
struct printed {
	const struct run *run;
	const json_t *result;
};

static void print_result(FILE *out, const struct terminal *terminal, const void *context)
{
	const struct printed *printed = context;
	const struct run *run = printed->run;

	print_title(out, run, printed->result);
	if (run->events) {
		events_text_print(out, printed->result, terminal, run->events);
		what_if_text_print(out, printed->result, terminal);
		return;
	}
	if (run->observers[0] == &count_exact)
		run_text_print(out, printed->result, terminal, (unsigned)run->functions);
	what_if_text_print(out, printed->result, terminal);
	if (run->job.annotate_count) {
		fputc('\n', out);
		annotate_print_from(out, printed->result, terminal, &run->sources);
	}
	fputc('\n', out);
	summary_text_print(out, printed->result);
}

/* A report that is written to a file completely or not at all. */
struct file_report {
	enum option_id option;
	report_writer *write;
};

static const struct file_report file_reports[] = {
	{OPTION_HTML, page_write},	 {OPTION_CSV, csv_write},
	{OPTION_FOLDED, folded_write},	 {OPTION_CALLGRIND, callgrind_write},
	{OPTION_PIPEVIEW, kanata_write},
};

static bool write_reports(struct outputs *outputs, const json_t *result, struct err *err)
{
	bool ok = outputs_write_json(outputs, result, err);

	for (size_t i = 0; ok && i < ARRAY_COUNT(file_reports); i++)
		ok = report_write_result(&outputs->targets[file_reports[i].option],
					 file_reports[i].write, result, err);
	return ok;
}

/* An empty window is no mistake, but probably not what was wanted. */
static void warn_of_window(const struct run *run, const json_t *result)
{
	const json_t *values = json_object_get(result, "values");
	uint64_t cycles = (uint64_t)member_whole(values, "cycles");
	struct err err;

	const json_t *pipeline = json_object_get(result, "pipeline");
	if (!run->job.has_window || json_array_size(json_object_get(pipeline, "instructions")))
		return;
	err_set(&err, "no instruction was fetched in cycles %llu to %llu of the %llu simulated",
		(unsigned long long)run->job.window_from, (unsigned long long)run->job.window_to,
		(unsigned long long)cycles);
	say_warning(NULL, err.text);
}

static int finish(struct outputs *outputs, const struct run *run, const json_t *result,
		  const struct worker_report *report)
{
	struct err err;

	if (!result) {
		fail_tool(report->stop == WORKER_INTERRUPTED
				  ? "interrupted before anything was simulated"
				  : "no result came within the time given");
		return report->stop == WORKER_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_PARTIAL;
	}
	const struct printed printed = {run, result};
	if (!outputs_write_report(outputs, print_result, &printed, &err))
		return fail_tool(err.text);
	warn_of_window(run, result);
	if (!write_reports(outputs, result, &err))
		return fail_tool(err.text);
	if (json_is_true(json_object_get(result, "partial")))
		return guest_explain_stop(
			report,
			(uint64_t)member_whole(json_object_get(result, "values"), "instructions"),
			true);
	return (int)member_whole(result, "status");
}

static void add_observer(struct run *run, const struct observer_kind *kind)
{
	size_t i = 0;

	while (run->observers[i] && run->observers[i] != kind)
		i++;
	run->observers[i] = kind;
}

/* One word of --counters. */
static bool add_counter(struct run *run, const char *name, struct err *err)
{
	const struct observer_kind *kind = observer_kind_named(name);
	char known[512] = "all, none";

	if (kind)
		add_observer(run, kind);
	for (size_t i = 0; observer_kinds[i]; i++) {
		if (strcmp(name, "all") == 0 && observer_kinds[i]->is_usual &&
		    observer_fits(observer_kinds[i], &run->machine.config))
			add_observer(run, observer_kinds[i]);
		snprintf(known + strlen(known), sizeof(known) - strlen(known), ", %s",
			 observer_kinds[i]->name);
	}
	if (kind || strcmp(name, "all") == 0)
		return true;
	return err_set(err, "--counters: there is no \"%s\"; there are %s", name, known);
}

/* Functions and lines come from exact, so it is always among the counters. */
static bool read_counters(struct run *run, const char *list, struct err *err)
{
	char *copy = mem_strdup(list), *rest = NULL;
	bool ok = true;

	add_observer(run, &count_exact);
	for (char *name = strtok_r(copy, ",", &rest); ok && name; name = strtok_r(NULL, ",", &rest))
		ok = add_counter(run, name, err);
	free(copy);
	return ok && observers_fit(run->observers, &run->machine.config, err);
}

static bool read_counter_options(struct run *run, const struct args *args, struct err *err)
{
	const char *which = args_get(args, OPTION_COUNTERS);
	static const enum option_id options_of_counters[] = {OPTION_ANNOTATE, OPTION_INTERVALS,
							     OPTION_HTML,     OPTION_CSV,
							     OPTION_FOLDED,   OPTION_CALLGRIND};

	if ((!which || strcmp(which, "none") != 0) &&
	    !read_counters(run, which ? which : "all", err))
		return false;
	for (size_t i = 0; !run->observers[0] && i < ARRAY_COUNT(options_of_counters); i++)
		if (args->counts[options_of_counters[i]])
			return err_set(err, "--%s has nothing to show with --counters none",
				       option_rows[options_of_counters[i]].name);
	run->job.annotate = args->values[OPTION_ANNOTATE];
	run->job.annotate_count = args->counts[OPTION_ANNOTATE];
	run->events = args_get(args, OPTION_EVENTS);
	run->functions = 10;
	return (!run->events || events_text_check(run->events, err)) &&
	       args_get_count(args, OPTION_FUNCTIONS, 0, 1000000, &run->functions, err) &&
	       args_get_count(args, OPTION_INTERVALS, 1, INT64_MAX, &run->job.interval, err);
}

/* FUNCTION, FUNCTION:N or FUNCTION:all. The name of a function has no colon in it, or two that are
 * neighbours. */
static bool read_roi(struct run *run, const struct args *args, struct err *err)
{
	const char *text = args_get(args, OPTION_ROI), *colon = text ? strrchr(text, ':') : NULL;

	bool skips = args_get(args, OPTION_SKIP);

	if (text && skips)
		return err_set(err, "--roi and --skip say two different places to start");
	if (!text && !skips && run->job.is_cold)
		return err_set(err, "--cold is for --skip and --roi, which warm otherwise");
	if (!text)
		return true;
	run->job.roi = run->roi = mem_strdup(text);
	if (!colon || (colon > text && colon[-1] == ':'))
		return true;
	char *end;
	run->roi[colon - text] = '\0';
	if (!strcmp(colon + 1, "all")) {
		run->job.roi_call = JOB_EVERY_CALL;
		return !run->job.by_cycles ||
		       err_set(err,
			       "--time cycles has no time for what --roi %s leaves out: use "
			       "--time insns",
			       text);
	}
	run->job.roi_call = strtoull(colon + 1, &end, 10);
	return (colon[1] >= '1' && colon[1] <= '9' && !*end && run->job.roi_call < INT64_MAX) ||
	       err_set(err,
		       "--roi: \"%s\" is not FUNCTION:N with the number of a call, from 1 on, or "
		       "FUNCTION:all",
		       text);
}

/* Added last: nothing is shown of it but its file. */
static bool read_pipeview(struct run *run, const struct args *args, struct err *err)
{
	struct job *job = &run->job;

	job->has_window = args_get(args, OPTION_WINDOW);
	if (job->has_window != !!args_get(args, OPTION_PIPEVIEW))
		return err_set(err,
			       job->has_window
				       ? "--window is for --pipeview: name a file to write"
				       : "--pipeview needs --window FROM:TO, the cycles to show");
	if (!job->has_window)
		return true;
	if (!window_from_args(args, &job->window_from, &job->window_to, err))
		return false;
	if (job->window_to - job->window_from >= PIPELINE_CYCLES_MAX)
		return err_set(err, "--window: at most %d cycles can be shown",
			       PIPELINE_CYCLES_MAX);
	add_observer(run, &count_pipeline);
	return true;
}

static bool read_what_if(struct run *run, const struct args *args, struct err *err)
{
	const size_t count = args->counts[OPTION_WHAT_IF];
	bool ok = count <= WHAT_IF_MOST ||
		  err_set(err, "--what-if: at most %d machines can be asked for", WHAT_IF_MOST);

	run->what_if = mem_alloc_array(count, sizeof(*run->what_if));
	for (size_t i = 0; ok && i < count; i++)
		ok = what_if_read(&run->what_if[i], &run->machine.config,
				  args->values[OPTION_WHAT_IF][i], err) ||
		     err_prefix(err, "--what-if");
	run->job.what_if = run->what_if;
	run->job.what_if_count = count;
	if (ok && count)
		add_observer(run, &count_what_if);
	return ok;
}

/* Opened before the program runs, which might replace them. */
static bool read_sources(struct run *run, const struct args *args, struct err *err)
{
	bool ok = true;

	if (args->counts[OPTION_SOURCE] && !run->job.annotate_count)
		return err_set(err,
			       "--source is where --annotate finds its lines: name a function");
	for (size_t i = 0; ok && i < args->counts[OPTION_SOURCE]; i++)
		ok = source_roots_add(&run->sources, args->values[OPTION_SOURCE][i], err);
	source_roots_add_working_directory(&run->sources);
	return ok;
}

static bool read_options(struct run *run, const struct args *args, int *status, struct err *err)
{
	const char *time = args_get(args, OPTION_TIME);
	uint64_t threads = 0;

	if (!machine_from_args(&run->machine, args, status, err))
		return false;
	*status = EXIT_USAGE;
	run->job = (struct job){
		.program = &run->program,
		.machine = &run->machine,
		.observers = run->observers,
		.is_cold = args_get(args, OPTION_COLD),
		.by_cycles = time && strcmp(time, "cycles") == 0,
		.has_functions = true,
	};
	if (time && !run->job.by_cycles && strcmp(time, "insns") != 0)
		return err_set(err, "--time: \"%s\" is neither insns nor cycles", time);
	if (!read_roi(run, args, err) || !read_counter_options(run, args, err) ||
	    !read_pipeview(run, args, err) || !read_what_if(run, args, err) ||
	    !read_sources(run, args, err) ||
	    !args_get_count(args, OPTION_SKIP, 0, INT64_MAX, &run->job.skip, err) ||
	    !args_get_count(args, OPTION_THREADS, 1, 2, &threads, err) ||
	    !program_open(&run->program, args, status, err))
		return false;
	run->job.threads = (unsigned)threads;
	run->job.max_instructions = run->program.max_instructions;
	return true;
}

/* Runs the job; its cycles, if they are recorded, go to their file. */
static bool run_guest(struct run *run, const struct args *args, struct outputs *outputs,
		      json_t **result, struct worker_report *report, struct err *err)
{
	struct report_target *target = &outputs->targets[OPTION_RECORD_CYCLES];
	struct spool spool;
	const struct guest_watcher watcher = {.data = spool_add, .context = &spool};

	if (!target->path)
		return guest_run(&run->job, args, result, report, err);
	run->job.records_cycles = true;
	bool ok = spool_open(&spool, err) &&
		  guest_run_watched(&run->job, args, &watcher, result, report, err);
	if (ok && *result)
		ok = spool_write(&spool, target, err);
	const uint64_t bytes = spool_bytes(&spool);
	spool_close(&spool);
	if (ok && *result && !args_get(args, OPTION_QUIET)) {
		const double cycles =
			(double)member_whole(json_object_get(*result, "values"), "cycles");

		fprintf(stderr, "cyclestack: %.0f cycles in %llu bytes, %.2f bits each\n", cycles,
			(unsigned long long)bytes, cycles > 0 ? 8.0 * (double)bytes / cycles : 0.0);
	}
	return ok;
}

int cmd_run(const struct args *args)
{
	struct run run = {0};
	struct outputs outputs;
	struct worker_report report = {0};
	struct err err;
	json_t *result;
	int status;

	if (!outputs_open(&outputs, args, &err)) {
		status = fail_run(command_named("run"), err.text);
	} else if (!read_options(&run, args, &status, &err)) {
		status = fail_with(status, command_named("run"), err.text);
	} else if (!outputs_direct(&outputs, &run.job, &err) ||
		   !run_guest(&run, args, &outputs, &result, &report, &err)) {
		status = fail_run(command_named("run"), err.text);
	} else {
		status = finish(&outputs, &run, result, &report);
		json_decref(result);
	}
	outputs_close(&outputs, status);
	source_roots_release(&run.sources);
	program_release(&run.program);
	free(run.roi);
	free(run.what_if);
	return status;
}

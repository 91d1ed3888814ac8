#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/number.h"
#include "cmd/gain_options.h"
#include "cmd/guest.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "cmd/reuse.h"
#include "cmd/sampling.h"
#include "cmd/spool.h"
#include "cmd/window.h"
#include "count/count.h"
#include "count/pipeline.h"
#include "job/parts.h"
#include "job/what_if.h"
#include "report/file/callgrind.h"
#include "report/file/firefox.h"
#include "report/file/folded.h"
#include "report/file/kanata.h"
#include "report/file/pprof.h"
#include "report/run.h"
#include "report/source.h"
#include "value/member.h"

#define OBSERVERS_MOST 32
#define PARTS_MOST     11

/* What a command line requests. */
struct run {
	struct program program;
	char *roi; /* the function's name */
	struct job_machine machine;
	const struct observer_kind *observers[OBSERVERS_MOST]; /* ends with NULL; exact first */
	uint64_t functions;				       /* to show */
	bool is_brief;	    /* nobody asked for what is annotated */
	const char *events; /* to print alone; or NULL */
	struct config *what_if;
	const char **causal; /* the names that --causal gives */
	struct source_roots sources;
	struct {
		struct part_counters counters;
		struct part_places places;
		struct part_sample sample;
		struct part_phases phases;
		struct part_gain gain;
		struct part_calls calls;
		struct part_data data;
		struct part_pipeline pipeline;
		struct part_what_if what_if;
		struct part_causal causal;
		struct part_recorder recorder;
		const struct job_part *list[PARTS_MOST + 1]; /* ends with NULL */
	} parts;
	struct sampling sampling;
	struct job job;
};

static void add_part(struct run *run, const struct job_part *part)
{
	size_t i = 0;

	while (run->parts.list[i])
		i++;
	run->parts.list[i] = part;
}

/* A file of another tool's format, written completely or not at all. */
struct file_report {
	enum option_id option;
	report_writer *write;
};

static const struct file_report file_reports[] = {
	{OPTION_FOLDED, folded_write},
	{OPTION_CALLGRIND, callgrind_write},
	{OPTION_PPROF, pprof_write},
	{OPTION_PIPEVIEW, kanata_write},
};

struct profile {
	const json_t *result;
	struct firefox_sources sources;
};

static char *text_of(const void *roots, const char *file)
{
	char *path = source_path("", file);
	struct source source;

	source_open(&source, roots, path);
	char *text = source_printable(&source);
	source_close(&source);
	free(path);
	return text;
}

static bool make_profile(FILE *out, const void *context, struct err *err)
{
	const struct profile *profile = context;

	return firefox_write(out, profile->result, &profile->sources, err);
}

static bool write_reports(struct outputs *outputs, const struct args *args, const struct run *run,
			  const json_t *result, struct err *err)
{
	const struct report_options options = {.sources = &run->sources,
					       .functions = (size_t)run->functions,
					       .has_functions = true,
					       .is_brief = run->is_brief,
					       .events = run->events};
	const struct profile profile = {result, {text_of, &run->sources}};
	bool ok = outputs_show(outputs, args, result, &options, err);

	for (size_t i = 0; ok && i < ARRAY_COUNT(file_reports); i++)
		ok = report_write_result(&outputs->targets[file_reports[i].option],
					 file_reports[i].write, result, err);
	return ok &&
	       report_write_made(&outputs->targets[OPTION_FIREFOX], make_profile, &profile, err);
}

/* An empty window is no mistake, but probably not what was wanted. */
static void warn_of_window(const struct run *run, const json_t *result)
{
	const json_t *values = json_object_get(result, "values");
	uint64_t cycles = (uint64_t)member_whole(values, "cycles");
	struct err err;

	const json_t *pipeline = json_object_get(result, "pipeline");
	if (!run->parts.pipeline.has_window ||
	    json_array_size(json_object_get(pipeline, "instructions")))
		return;
	err_set(&err, "no instruction was fetched in cycles %llu to %llu of the %llu simulated",
		(unsigned long long)run->parts.pipeline.from,
		(unsigned long long)run->parts.pipeline.to, (unsigned long long)cycles);
	say_warning(NULL, err.text);
}

static int finish(struct outputs *outputs, const struct args *args, const struct run *run,
		  const json_t *result, const struct worker_report *report)
{
	struct err err;

	if (!result)
		return guest_explain_nothing(report);
	if (!write_reports(outputs, args, run, result, &err))
		return fail_tool(err.text);
	warn_of_window(run, result);
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
	static const enum option_id options_of_counters[] = {
		OPTION_ANNOTATE,  OPTION_INTERVALS, OPTION_HTML,    OPTION_CSV,	  OPTION_FOLDED,
		OPTION_CALLGRIND, OPTION_PPROF,	    OPTION_FIREFOX, OPTION_CALLS, OPTION_DATA};

	if ((!which || strcmp(which, "none") != 0) &&
	    !read_counters(run, which ? which : "exact", err))
		return false;
	for (size_t i = 0; !run->observers[0] && i < ARRAY_COUNT(options_of_counters); i++)
		if (args->counts[options_of_counters[i]])
			return err_set(err, "--%s has nothing to show with --counters none",
				       option_rows[options_of_counters[i]].name);
	run->parts.places.annotate = args->values[OPTION_ANNOTATE];
	run->parts.places.annotate_count = args->counts[OPTION_ANNOTATE];
	if (run->parts.places.annotate_count == 1 &&
	    strcmp(args_get(args, OPTION_ANNOTATE), "none") == 0)
		run->parts.places.annotate_count = 0;
	run->events = args_get(args, OPTION_EVENTS);
	run->functions = 10;
	return (!run->events || run_events_check(run->events, err)) &&
	       args_get_count(args, OPTION_FUNCTIONS, 0, 1000000, &run->functions, err) &&
	       args_get_count(args, OPTION_INTERVALS, 1, INT64_MAX, &run->parts.places.interval,
			      err);
}

/* Each interval settles what is undecided: slots by calls need to know of them. */
static void read_calls(struct run *run, const struct args *args)
{
	if (args_get(args, OPTION_CALLS))
		add_part(run, part_calls_init(&run->parts.calls, run->parts.places.interval));
}

/* Somebody who looks at a terminal sees the hottest lines without asking for them. What is written
 * to a file or a pipe has no more than was asked for. */
static void annotate_unasked(struct run *run, const struct args *args)
{
	run->is_brief = run->observers[0] && run->functions && !run->events &&
			!args->counts[OPTION_ANNOTATE] && !outputs_has_format(args) &&
			!args_get(args, OPTION_QUIET) && isatty(STDOUT_FILENO);
	run->parts.places.annotates_hottest = run->is_brief;
	/* A page has room for the instructions of every hot function. */
	run->parts.places.annotates_hot = run->observers[0] && !run->events &&
					  !args->counts[OPTION_ANNOTATE] &&
					  args_get(args, OPTION_HTML);
	if (run->parts.places.annotate_count || run->parts.places.annotates_hot)
		part_places_observe_sites(&run->parts.places, &run->machine.config);
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

/* Nothing is shown of the window but its file. */
static bool read_pipeview(struct run *run, const struct args *args, struct err *err)
{
	const bool has_window = args_get(args, OPTION_WINDOW);
	uint64_t from, to;

	if (has_window != !!args_get(args, OPTION_PIPEVIEW))
		return err_set(
			err, has_window ? "--window is for --pipeview: name a file to write"
					: "--pipeview needs --window FROM:TO, the cycles to show");
	if (!has_window)
		return true;
	if (!window_from_args(args, &from, &to, err))
		return false;
	if (to - from >= PIPELINE_CYCLES_MAX)
		return err_set(err, "--window: at most %d cycles can be shown",
			       PIPELINE_CYCLES_MAX);
	part_pipeline_set_window(&run->parts.pipeline, from, to);
	return true;
}

/* Copies of the worker at once: as many as the host has cores, or one if one thread is asked for.
 */
static unsigned copies_of(const struct args *args)
{
	const char *threads = args_get(args, OPTION_THREADS);
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores < 1 || (threads && strcmp(threads, "1") == 0) ? 1 : (unsigned)cores;
}

static bool read_what_if(struct run *run, const struct args *args, struct err *err)
{
	const size_t count = args->counts[OPTION_WHAT_IF];
	bool ok = count <= WHAT_IF_MOST ||
		  err_set(err, "--what-if: at most %d machines can be asked for", WHAT_IF_MOST);

	if (ok && count && run->job.by_cycles)
		ok = err_set(err, "--what-if: with --time cycles the program may do other things "
				  "on another machine; --set simulates a change");
	run->what_if = mem_alloc_array(count, sizeof(*run->what_if));
	for (size_t i = 0; ok && i < count; i++)
		ok = what_if_read(&run->what_if[i], &run->machine.config,
				  args->values[OPTION_WHAT_IF][i], err) ||
		     err_prefix(err, "--what-if");
	if (ok && count)
		add_part(run, part_what_if_init(&run->parts.what_if, run->what_if,
						(const char *const *)args->values[OPTION_WHAT_IF],
						count, copies_of(args)));
	return ok;
}

/* Lines by number of the hottest, or by name. */
static bool read_causal(struct run *run, const struct args *args, struct err *err)
{
	enum { USUAL = 5 };
	const size_t count = args->counts[OPTION_CAUSAL];
	uint64_t hottest = 0;
	size_t names = 0;

	if (!count)
		return true;
	if (!run->observers[0])
		return err_set(err, "--causal has nothing to choose from with --counters none");
	if (run->sampling.is_asked)
		return err_set(err, "--causal needs all of the run, which --sample leaves out");
	if (run->job.by_cycles)
		return err_set(err, "--causal: with --time cycles the program may do other things "
				    "if a line took less time");
	run->causal = mem_alloc_array(count, sizeof(*run->causal));
	for (size_t i = 0; i < count; i++) {
		const char *text = args->values[OPTION_CAUSAL][i];

		if (!*text)
			hottest = USUAL;
		else if (text[strspn(text, "0123456789")])
			run->causal[names++] = text;
		else if (!number_parse(text, NUMBER_OF_THINGS, 1, CAUSAL_MOST, &hottest, err))
			return err_prefix(err, "--causal");
	}
	add_part(run, part_causal_init(&run->parts.causal, hottest, run->causal, names,
				       copies_of(args)));
	return part_causal_check(&run->parts.causal, err);
}

/* How closely what would go away is measured. */
static bool read_gain(struct run *run, const struct args *args, struct err *err)
{
	const char *budget = args_get(args, OPTION_GAIN_BUDGET);
	const bool is_asked = budget || (args_get(args, OPTION_WITHIN) && !run->sampling.is_asked);
	bool is_none;

	if (is_asked && !run->observers[0])
		return err_set(err,
			       "--%s is about `exact`, which does not observe with --counters "
			       "none",
			       budget ? "gain-budget" : "within");
	if (is_asked && run->job.by_cycles)
		return err_set(err,
			       "--%s: with --time cycles the program may do other things on "
			       "another machine",
			       budget ? "gain-budget" : "within");
	if (!gain_options_from_args(&run->parts.gain.options, &is_none, args, err))
		return false;
	if (run->sampling.is_asked)
		run->parts.gain.options.within = 0;
	if (is_none)
		run->parts.gain.copies = 0;
	return true;
}

/* Opened before the program runs, which might replace them. */
static bool read_sources(struct run *run, const struct args *args, struct err *err)
{
	bool ok = true;

	if (args->counts[OPTION_SOURCE] && !run->parts.places.annotate_count &&
	    !args_get(args, OPTION_HTML) && !args_get(args, OPTION_FIREFOX))
		return err_set(err, "--source is where --annotate, --html and --firefox find "
				    "source lines: name a function, or a page");
	for (size_t i = 0; ok && i < args->counts[OPTION_SOURCE]; i++)
		ok = source_roots_add(&run->sources, args->values[OPTION_SOURCE][i], err);
	source_roots_add_working_directory(&run->sources);
	return ok;
}

static bool read_options(struct run *run, const struct args *args, struct err *err)
{
	const char *time = args_get(args, OPTION_TIME);
	uint64_t threads = 0;

	if (!machine_from_args(&run->machine, args, err))
		return false;
	run->job = (struct job){
		.program = &run->program,
		.machine = &run->machine,
		.parts = run->parts.list,
		.is_cold = args_get(args, OPTION_COLD),
		.by_cycles = time && strcmp(time, "cycles") == 0,
	};
	add_part(run, part_counters_init(&run->parts.counters, run->observers));
	add_part(run, part_gain_init(&run->parts.gain, run->job.by_cycles ? 0 : copies_of(args)));
	add_part(run, part_places_init(&run->parts.places));
	add_part(run, part_pipeline_init(&run->parts.pipeline));
	if (time && !run->job.by_cycles && strcmp(time, "insns") != 0)
		return err_usage(err, "--time: \"%s\" is neither insns nor cycles", time);
	if (!read_roi(run, args, err) ||
	    !sampling_from_args(&run->sampling, &run->job, args, err) ||
	    !read_counter_options(run, args, err) || !read_pipeview(run, args, err) ||
	    !read_what_if(run, args, err) || !read_causal(run, args, err) ||
	    !read_gain(run, args, err) || !read_sources(run, args, err) ||
	    !args_get_count(args, OPTION_SKIP, 0, INT64_MAX, &run->job.skip, err) ||
	    !args_get_count(args, OPTION_THREADS, 1, 2, &threads, err))
		return err_as_usage(err);
	read_calls(run, args);
	if (run->sampling.is_by_phases)
		add_part(run, part_phases_init(&run->parts.phases));
	else if (run->sampling.is_asked)
		add_part(run, part_sample_init(&run->parts.sample));
	if (args_get(args, OPTION_DATA))
		add_part(run, part_data_init(&run->parts.data));
	annotate_unasked(run, args);
	if (!program_open(&run->program, args, err))
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

	if (!target->path) {
		bool ok = sampling_prepare(&run->sampling, &run->job, args, outputs, err) &&
			  guest_run(&run->job, args, result, report, err);

		while (ok && sampling_goes_on(&run->sampling, &run->job, *result)) {
			json_decref(*result);
			ok = guest_run(&run->job, args, result, report, err);
		}
		return ok;
	}
	add_part(run, part_recorder_init(&run->parts.recorder));
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
	struct reuse reuse;
	struct err err;
	json_t *result;
	int status;

	if (!outputs_open(&outputs, args, &err) || !read_options(&run, args, &err) ||
	    !reuse_find(&reuse, &run.job, args, &outputs, &result, &err) ||
	    !outputs_direct(&outputs, &run.job, &err) ||
	    (!result && !run_guest(&run, args, &outputs, &result, &report, &err))) {
		status = fail_err(command_named("run"), &err);
	} else {
		reuse_made(&reuse, &outputs, &report);
		status = finish(&outputs, args, &run, result, &report);
		json_decref(result);
	}
	outputs_close(&outputs, status);
	source_roots_release(&run.sources);
	sampling_release(&run.sampling);
	program_release(&run.program);
	free(run.roi);
	free(run.what_if);
	free(run.causal);
	return status;
}

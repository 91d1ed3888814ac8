#include "cmd/guest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/progress.h"

#define JOBS_MOST 1024

/* While a guest runs. */
struct watching {
	struct progress progress;
	const struct guest_watcher *watcher; /* NULL: none */
};

static void show_warning(void *context, const char *sentence)
{
	progress_end(&((struct watching *)context)->progress);
	say_warning(NULL, sentence);
}

static void show_progress(void *context, uint64_t instructions)
{
	struct watching *watching = context;

	if (!watching->watcher || !watching->watcher->hides_progress || watching->progress.every)
		progress_update(&watching->progress, instructions);
	if (watching->watcher && watching->watcher->tick)
		watching->watcher->tick(watching->watcher->context);
}

static void pass_data(void *context, const void *bytes, size_t size)
{
	const struct guest_watcher *watcher = ((struct watching *)context)->watcher;

	if (watcher && watcher->data)
		watcher->data(watcher->context, bytes, size);
}

static void pass_ready(void *context)
{
	const struct guest_watcher *watcher = ((struct watching *)context)->watcher;

	watcher->ready(watcher->context);
}

/* How many instructions there will be, as far as that is known; 0: it is not. */
static uint64_t expected_instructions(const struct job *job, bool *is_limit)
{
	uint64_t whole = job->program->usual_instructions;
	bool has_limit = job->max_instructions != INT64_MAX;

	whole = whole > job->skip && !job->roi ? whole - job->skip : 0;
	*is_limit = has_limit && !whole;
	return has_limit && (!whole || job->max_instructions < whole) ? job->max_instructions
								      : whole;
}

static void say_start(const struct job *job)
{
	fputs("cyclestack: ", stderr);
	print_printable(stderr, job->program->name);
	fprintf(stderr, ": %zu bytes, sha256 %s\n", job->program->image_bytes, job->program->hash);
	if (job->machine) {
		char hash[65];

		config_hash(&job->machine->config, hash);
		fputs("cyclestack: machine ", stderr);
		print_printable(stderr, job->machine->name);
		fprintf(stderr, ", sha256 %s\n", hash);
	}
}

static void say_end(double seconds, const struct worker_report *report)
{
	fprintf(stderr, "cyclestack: %.2f s, %llu instructions, %.1f million a second\n", seconds,
		(unsigned long long)report->instructions,
		(double)report->instructions / seconds * 1e-6);
	fprintf(stderr, "cyclestack: processor time %.3f s", (double)report->time_ns * 1e-9);
	if (report->observer_time_ns)
		fprintf(stderr, ", and %.3f s in the thread of the observers",
			(double)report->observer_time_ns * 1e-9);
	fputc('\n', stderr);
}

bool guest_run(const struct job *job, const struct args *args, json_t **result,
	       struct worker_report *report, struct err *err)
{
	return guest_run_watched(job, args, NULL, result, report, err);
}

bool guest_run_watched(const struct job *job, const struct args *args,
		       const struct guest_watcher *watcher, json_t **result,
		       struct worker_report *report, struct err *err)
{
	struct watching watching = {.watcher = watcher};
	const struct job_listener listener = {show_warning, show_progress,
					      &watching,    pass_data,
					      pass_ready,   watcher ? watcher->watched : 0};
	bool is_verbose = args_get(args, OPTION_VERBOSE), is_limit;
	uint64_t total = expected_instructions(job, &is_limit);

	if (is_verbose)
		say_start(job);
	progress_start(&watching.progress, args, total, is_limit);
	bool ok = job_start(job, &listener, result, report, err);
	progress_end(&watching.progress);
	if (is_verbose && ok)
		say_end(progress_seconds(&watching.progress), report);
	return ok;
}

static int status_of(const struct worker_report *report)
{
	return report->stop == WORKER_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_PARTIAL;
}

int guest_explain_nothing(const struct worker_report *report)
{
	fprintf(stderr, "cyclestack: %s\n",
		report->stop == WORKER_INTERRUPTED ? "interrupted before anything was simulated"
						   : "no result came within the time given");
	return status_of(report);
}

int guest_explain_stop(const struct worker_report *report, uint64_t instructions, bool has_result)
{
	const char *why = report->stop == WORKER_INTERRUPTED ? "interrupted"
			  : report->stop == WORKER_TIMEOUT   ? "stopped by --timeout"
							     : "stopped by --max-insns";

	fprintf(stderr, "cyclestack: %s after %llu instructions: %s\n", why,
		(unsigned long long)instructions,
		has_result ? "the result is partial" : "there is no result");
	return status_of(report);
}

bool machine_from_args(struct job_machine *machine, const struct args *args, struct err *err)
{
	const char *name = args_get(args, OPTION_CONFIG);

	if (!name)
		name = option_rows[OPTION_CONFIG].fallback;
	const char *slash = strrchr(name, '/');
	*machine = (struct job_machine){
		.name = slash ? slash + 1 : name,
		.changes = args->values[OPTION_SET],
		.change_count = args->counts[OPTION_SET],
	};
	return config_from_args(&machine->config, args, err);
}

bool jobs_from_args(unsigned *at_once, const struct args *args, struct err *err)
{
	uint64_t jobs = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	if (!args_get_count(args, OPTION_JOBS, 1, JOBS_MOST, &jobs, err))
		return false;
	*at_once = (unsigned)jobs;
	return true;
}
